import { request } from 'node:http';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SCRIPT } from '../../src/web/live.ts';
import { names, REPO } from '../collaboration-fixture.ts';
import { story } from './web-fixture.ts';
import type { Story } from './web-fixture.ts';

const ROOT = '/acme/blueprints';

let forge: Story;
beforeAll(async () => {
  forge = await story();
});
afterAll(async () => {
  await forge[Symbol.asyncDispose]();
});

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** What a reader sees of a page, in one line. */
const words = (page: { text: string }): string =>
  page.text
    .replaceAll(/<(style|script)>[^]*?<\/\1>|<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => CHARACTERS[name]!)
    .replaceAll(/\s+/g, ' ');

describe('pages', () => {
  test.each([
    ['/', /Repositories acme\/blueprints private · 1 open pull request/],
    ['/acme', /acme organization acme\/blueprints/],
    [ROOT, /app\/ README\.md/],
    [`${ROOT}/tree/drafts/app/first`, /At drafts\/app\/first/],
    [`${ROOT}/tree/drafts/app/first/app`, /blueprints \/ app .*deployment\.yaml/],
    [`${ROOT}/tree/drafts%2Fapp%2Ffirst`, /At drafts\/app\/first/],
    [`${ROOT}/blob/drafts/app/first/app/deployment.yaml`, /6 replicas: 7/],
    [`${ROOT}/commits`, /Commits On main .* UTC/],
    [`${ROOT}/commits/drafts/app/first/app`, /Commits of app On drafts\/app\/first Add the app/],
    [`${ROOT}/pull/1/commits`, /Commits \(1\) .* Commits Add the app/],
    [`${ROOT}/branches`, /drafts\/app\/first [0-9a-f]{7} Pull request #1 main [0-9a-f]{7} default/],
    [`${ROOT}/tags`, /No tags yet/],
    [`${ROOT}/releases`, /No releases yet/],
    [`${ROOT}/pulls`, /open Add the app #1 by bob from drafts\/app\/first/],
    [`${ROOT}/pull/1`, /Load the page again for its answer: scripts, which would do that, are off/],
    [`${ROOT}/pull/1`, /bob wants to merge 1 commit into main from drafts\/app\/first/],
    [`${ROOT}/pull/1`, /local-app\[bot\] bot commented .* Proposal: 2 checks fail .*rocket 1/],
    [`${ROOT}/pull/1`, /carol on README\.md line 11 .* Is eleven right\? <script>alert\(1\)<\/script>/],
    [`${ROOT}/pull/1`, /failure guardrail\/replicas .* 2 annotations success portico\/render/],
    [`${ROOT}/pull/1`, /unstable This can be merged, but not all checks are green/],
    [
      `${ROOT}/pull/1/files`,
      /6 \+ replicas: 7 failure Too many replicas line 6, from guardrail\/replicas At most 5/,
    ],
    [`${ROOT}/pull/1/files`, /11 \+line <b>eleven<\/b> & more carol commented .* Is eleven right/],
    [`${ROOT}/pull/1/files`, /Findings in unchanged files app\/Kptfile notice .*The Kptfile has no pipeline/],
    [
      `${ROOT}/pull/1/checks`,
      /Lower spec\.replicas .* Mend: Set replicas to 5 Run guardrail\/replicas again/,
    ],
    [`${ROOT}/pull/1.diff`, /^diff --git a\/README\.md/],
    [`${ROOT}/compare/main...drafts/app/first`, /There is pull request #1 from this branch\. 1 new commit/],
    [`${ROOT}/compare`, /Compare branches Into/],
    [`${ROOT}/issues`, /Issues Write an issue Open Closed All None/],
    [`${ROOT}/issues/new`, /Write an issue Title/],
    ['/settings/deliveries', /issue_comment\.created acme\/blueprints/],
  ])('%s', async (path, expected) => {
    const page = await forge.page(path);
    expect(page.status).toBe(200);
    expect(words(page)).toMatch(expected);
    expect(page.text.replace(`<script>${SCRIPT}</script>`, '')).not.toMatch(/<script|javascript:/i);
  });

  test('a commit and a check run have theirs', async () => {
    expect(words(await forge.page(`${ROOT}/commit/${forge.head}`))).toMatch(
      /Add the app Commit [0-9a-f]{40} by .*replicas: 7/,
    );
    expect(words(await forge.page(`${ROOT}/runs/${forge.failing}`))).toMatch(
      /Check guardrail\/replicas On .* pull request #1/,
    );
  });

  test('each delivery has one, with what was sent', async () => {
    const list = await forge.page('/settings/deliveries');
    const link = /href="(\/settings\/deliveries\/\d+)"><b>issue_comment\.created/.exec(list.text)?.[1] ?? '';
    expect(words(await forge.page(link))).toMatch(
      /failed to connect to host .* x-github-event: issue_comment .* "action": "created"/,
    );
  });

  test('files come raw as text alone', async () => {
    const raw = await forge.page(`${ROOT}/raw/main/app/Kptfile`);
    expect(raw.text).toBe('kind: Kptfile\n');
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(raw.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('the number of a pull request leads to it from the issues', async () => {
    const page = await forge.page(`${ROOT}/issues/1`);
    expect([page.status, page.headers.get('location')]).toEqual([302, `${ROOT}/pull/1`]);
  });

  test.each([
    '/nobody',
    '/acme/none',
    `${ROOT}/pull/99`,
    `${ROOT}/tree/nope`,
    `${ROOT}/blob/main/nope`,
    `${ROOT}/commit/nope`,
    `${ROOT}/nope`,
  ])('nothing at %s', async (path) => {
    const page = await forge.page(path);
    expect(page.status).toBe(404);
    expect(words(page)).toContain('Not found');
  });

  test('a private repository is not shown to nobody', async () => {
    expect((await forge.page(ROOT, '')).status).toBe(404);
    expect(words(await forge.page('/', ''))).toContain('None that you may see');
  });

  test('the address of the API answers clients of the API as before', async () => {
    const reply = await fetch(`${forge.forge.url}/repos/acme/blueprints`, {
      headers: { authorization: 'Bearer bob-token' },
    });
    expect(await reply.json()).toMatchObject({
      full_name: 'acme/blueprints',
      html_url: forge.forge.url + ROOT,
    });
    const none = await fetch(`${forge.forge.url}/acme/blueprints`, {
      headers: { accept: 'application/vnd.github+json' },
    });
    expect(await none.json()).toMatchObject({ message: 'Not Found' });
  });
});

describe('who may ask', () => {
  test('pages run one script of their own and are framed by nobody', async () => {
    const policy = (await forge.page(`${ROOT}/pull/1`)).headers.get('content-security-policy');
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  test.each([
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    {},
  ] as Record<string, string>[])('a form from %j is refused and does nothing', async (headers) => {
    const reply = await fetch(`${forge.forge.url}${ROOT}/issues`, {
      method: 'POST',
      body: new URLSearchParams({ title: 'Forged' }),
      headers,
    });
    expect(reply.status).toBe(403);
    const { data } = await forge.bob.rest.issues.listForRepo(REPO);
    expect(data.map((issue) => issue.title)).not.toContain('Forged');
  });

  test('a name that somebody pointed at this machine is refused', async () => {
    const { port } = new URL(forge.forge.url);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    request({ port, host: '127.0.0.1', path: ROOT, headers: { host: `evil.test:${port}` } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
    expect(await promise).toBe(421);
  });

  test('a form leads back to this forge alone', async () => {
    for (const back of ['https://evil.test/', '//evil.test', '/\\evil.test', 'javascript:alert(1)']) {
      const page = await forge.post('/settings/viewer', { login: 'carol', back });
      expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
    }
  });

  test('too large a form, and what is none', async () => {
    const large = await forge.post(`${ROOT}/issues/1/comments`, { body: 'x'.repeat(800_000) });
    expect(large.status).toBe(413);
    const reply = await fetch(`${forge.forge.url}${ROOT}/issues/1/comments`, {
      method: 'POST',
      body: '{}',
      headers: { origin: forge.forge.url, 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(415);
  });
});

describe('forms', () => {
  test('the reader chooses who to be', async () => {
    const page = await forge.post('/settings/viewer', { login: 'carol', back: `${ROOT}/pulls?state=all` });
    expect(page.headers.get('location')).toBe(`${ROOT}/pulls?state=all`);
    expect(page.headers.get('set-cookie')).toMatch(/^forge_viewer=carol; Path=\/; HttpOnly; SameSite=Lax/);
    expect((await forge.page('/', 'carol')).text).toContain('value="carol" aria-pressed="true"');
    for (const nobody of ['', 'mallory']) {
      const asked = await forge.page(ROOT, nobody);
      expect(asked.status).toBe(404);
      expect(words(asked)).toMatch(
        /Who are you\? .* Be alice admin of 1 repository Be bob write of 1 repository/,
      );
      expect(asked.text).toContain(`name="back" value="${ROOT}"`);
    }
  });

  test('a comment is written as that user, and told', async () => {
    forge.hooks();
    const page = await forge.post(
      `${ROOT}/issues/1/comments`,
      { body: 'Hello\r\n/portico help', button: 'comment' },
      'carol',
    );
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toMatch(/^\/acme\/blueprints\/issues\/1#issuecomment-\d+$/);
    const { data } = await forge.bob.rest.issues.listComments({ ...REPO, issue_number: 1 });
    expect(data.at(-1)).toMatchObject({ body: 'Hello\n/portico help', user: { login: 'carol' } });
    expect(names(forge.hooks())).toEqual(['issue_comment.created']);
  });

  test('what is refused is said on the page, with the text kept', async () => {
    const back = `${ROOT}/pull/1`;
    const form = { form: 'review', event: 'APPROVE', body: 'My <own> words', sha: forge.head, back };
    const page = await forge.post(`${ROOT}/pull/1/review`, form, 'bob');
    expect(page.status).toBe(422);
    expect(words(page)).toContain(
      'That was refused (422): Unprocessable Entity Can not approve your own pull request',
    );
    expect(page.text).toContain('My &lt;own&gt; words</textarea>');
    expect(page.text).toMatch(/value="APPROVE" checked/);
  });

  test('rights are those of the user', async () => {
    const back = `${ROOT}/pull/1`;
    const merge = await forge.post(`${ROOT}/pull/1/merge`, { method: 'merge', sha: forge.head, back }, 'eve');
    expect(merge.status).toBe(404);
    expect(words(merge)).toContain('That was refused (404)');
    const press = await forge.post(
      `${ROOT}/runs/${forge.failing}/action`,
      { identifier: 'mend', back },
      'eve',
    );
    expect(press.status).toBe(403);
    expect((await forge.post(`${ROOT}/issues/1/comments`, { body: 'x', back }, '')).status).toBe(404);
  });

  test('a check is pressed and asked for again', async () => {
    forge.hooks();
    const back = `${ROOT}/pull/1/checks`;
    const pressed = await forge.post(`${ROOT}/runs/${forge.failing}/action`, { identifier: 'mend', back });
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, back]);
    expect((await forge.post(`${ROOT}/runs/${forge.failing}/rerequest`, { back })).status).toBe(303);
    expect(
      (await forge.post(`${ROOT}/runs/${forge.failing}/action`, { identifier: 'none', back })).status,
    ).toBe(422);
    const hooks = forge.hooks();
    expect(names(hooks)).toEqual(['check_run.requested_action', 'check_run.rerequested']);
    expect(hooks[0]?.payload).toMatchObject({
      requested_action: { identifier: 'mend' },
      sender: { login: 'bob' },
    });
  });

  test('a line gets a comment and an answer', async () => {
    const fields = { path: 'app/deployment.yaml', sha: forge.head, line: '6', side: 'RIGHT', body: 'Why 7?' };
    const page = await forge.post(`${ROOT}/pull/1/comments`, fields, 'carol');
    const id = /discussion_r(\d+)$/.exec(page.headers.get('location') ?? '')?.[1] ?? '';
    await forge.post(`${ROOT}/pull/1/replies`, { comment: id, body: 'Because.' }, 'bob');
    expect(words(await forge.page(`${ROOT}/pull/1/files`))).toMatch(
      /carol commented .* Why 7\? bob commented .* Because\./,
    );
    const back = `${ROOT}/pull/1/files`;
    const wrong = await forge.post(
      `${ROOT}/pull/1/comments`,
      { ...fields, form: 'line-1', line: '900', back },
      'carol',
    );
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="900"');
  });

  test('a delivery is sent again', async () => {
    const [newest] = forge.forge.context.records.deliveries.find('hook', [null], { order: 'desc', limit: 1 });
    const page = await forge.post(`/settings/deliveries/${newest!.id}/attempts`, {
      back: '/settings/deliveries',
    });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/settings/deliveries']);
    await forge.forge.settled();
    expect(words(await forge.page('/settings/deliveries'))).toMatch(/redelivery acme\/blueprints/);
  });

  test('a pull request from a branch to the merge', async () => {
    const head = await forge.commit(
      'drafts/other/v1',
      { 'other/Kptfile': 'kind: Kptfile\n' },
      { from: 'main', message: 'Other' },
    );
    const compare = await forge.page(`${ROOT}/compare/main...drafts/other/v1`);
    expect(words(compare)).toContain('Open a pull request as bob');
    expect(compare.text).toContain('value="Other"');
    expect(words(compare)).toContain('1 changed file, 1 line added, 0 removed');
    const made = await forge.post(`${ROOT}/pulls`, {
      title: 'Other',
      head: 'drafts/other/v1',
      base: 'main',
      draft: 'yes',
      body: '',
    });
    const at = made.headers.get('location') ?? '';
    const number = Number(at.split('/').at(-1));
    expect(at).toBe(`${ROOT}/pull/${number}`);
    expect(words(await forge.page(at))).toContain('This is a draft');

    const refused = await forge.post(`${at}/merge`, { method: 'merge', sha: head, back: at });
    expect(refused.status).toBe(405);
    expect(words(refused)).toMatch(/That was refused \(405\): .*draft/i);

    await forge.post(`${at}/ready`, { back: at });
    await forge.post(`${at}/draft`, { back: at });
    expect(words(await forge.page(at))).toContain('This is a draft');
    await forge.post(`${at}/ready`, { back: at });
    expect(words(await forge.page(at))).toContain('ready This can be merged.');

    const stale = await forge.post(
      `${at}/review`,
      { event: 'APPROVE', sha: '0'.repeat(40), body: '', back: at },
      'carol',
    );
    expect(stale.status).toBe(409);
    await forge.post(
      `${at}/review`,
      { event: 'REQUEST_CHANGES', sha: head, body: 'Not yet', back: at },
      'carol',
    );
    await forge.post(`${at}/review`, { event: 'APPROVE', sha: head, body: '', back: at }, 'carol');
    expect(words(await forge.page(at))).toMatch(/carol changes requested at .* Not yet carol approved at/);

    await forge.post(`/acme/blueprints/issues/${number}/comments`, {
      body: 'Wait.',
      button: 'close',
      back: at,
    });
    expect((await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data.state).toBe('closed');
    // Without its branch it cannot be opened again, and that is not offered.
    expect(words(await forge.page(at))).toContain('Reopen pull request');
    await forge.bob.rest.git.deleteRef({ ...REPO, ref: 'heads/drafts/other/v1' });
    expect(words(await forge.page(at))).not.toContain('Reopen pull request');
    await forge.bob.rest.git.createRef({ ...REPO, ref: 'refs/heads/drafts/other/v1', sha: head });
    await forge.post(`/acme/blueprints/issues/${number}/comments`, { body: '', button: 'reopen', back: at });

    const merged = await forge.post(`${at}/merge`, { method: 'squash', sha: head, back: at });
    expect(merged.status).toBe(303);
    const { data } = await forge.bob.rest.pulls.get({ ...REPO, pull_number: number });
    expect(data).toMatchObject({ merged: true, merged_by: { login: 'bob' } });
    expect(words(await forge.page(at))).toMatch(/bob merged this as [0-9a-f]{7}/);
  });

  test('an issue is opened, closed and listed', async () => {
    const made = await forge.post(`${ROOT}/issues`, { title: 'A <b> question', body: 'See #1.' });
    const at = made.headers.get('location') ?? '';
    const page = await forge.page(at);
    expect(page.text).toContain('A &lt;b&gt; question');
    expect(page.text).toContain('href="/acme/blueprints/issues/1"');
    await forge.post(`${at}/comments`, { body: '', button: 'close', back: at });
    expect(words(await forge.page(`${ROOT}/issues?state=closed`))).toContain('closed A <b> question');
  });

  test('tags show their message, releases their notes', async () => {
    await forge.git(forge.clone, 'tag', '-a', 'app/v1', '-m', 'Publish app@v1\n\nDigest: 0123', 'main');
    await forge.git(forge.clone, 'push', '-q', 'origin', 'app/v1');
    await forge.bob.rest.repos.createRelease({
      ...REPO,
      tag_name: 'app/v1',
      name: 'app v1',
      body: '- **first**',
    });
    expect(words(await forge.page(`${ROOT}/tags`))).toMatch(/app\/v1 .* Publish app@v1 Digest: 0123/);
    expect(words(await forge.page(`${ROOT}/releases`))).toMatch(/app v1 by bob .* first/);
    expect((await forge.page(`${ROOT}/releases/tag/app/v1`)).text).toContain('<strong>first</strong>');
    expect(words(await forge.page(`${ROOT}/tree/app/v1/app`))).toContain('At app/v1');
  });
});

test('an approval stands before the command that follows it at once, and what waits for somebody is not red', async () => {
  await using other = await story();
  const { bob, carol, app, number, head } = other;
  await carol.rest.pulls.createReview({ ...REPO, pull_number: number, event: 'APPROVE', body: 'Fine.' });
  await bob.rest.issues.createComment({ ...REPO, issue_number: number, body: 'Merge it.' });
  await app.rest.checks.create({
    ...REPO,
    name: 'approval',
    head_sha: head,
    status: 'completed',
    conclusion: 'action_required',
  });
  const page = await other.page(`${ROOT}/pull/${number}`);
  expect(words(page)).toMatch(/approved .* Fine\. .* Merge it\./);
  expect(page.text).toContain('<span class="badge busy">action required</span>');
});
