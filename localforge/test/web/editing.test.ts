import { afterAll, beforeAll, expect, test } from 'vitest';

import { names, REPO } from '../collaboration-fixture.ts';
import { story } from './web-fixture.ts';
import type { Story } from './web-fixture.ts';

const ROOT = '/acme/blueprints';
const FILE = 'app/deployment.yaml';

let forge: Story;
beforeAll(async () => {
  forge = await story();
});
afterAll(async () => {
  await forge[Symbol.asyncDispose]();
});

/** The fields of the form on a page, as a browser would send them unchanged. */
async function formOf(path: string, who = 'bob'): Promise<Record<string, string>> {
  const { status, text } = await forge.page(path, who);
  expect(status).toBe(200);
  const form = text.slice(text.indexOf(`action="${ROOT}/edit"`));
  const inputs = [...form.matchAll(/<input[^>]*?name="(\w+)"[^>]*?value="([^"]*)"/g)];
  const area = /<textarea[^>]*>\n?([^]*?)<\/textarea/.exec(form)?.[1] ?? '';
  return { ...Object.fromEntries(inputs.map(([, name, value]) => [name, value])), text: area };
}

const contentOf = async (branch: string, path: string): Promise<string> => {
  const { data } = await forge.bob.rest.repos.getContent({ ...REPO, path, ref: branch });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
};

test('a file is edited into a new branch, which appears with the commit on it', async () => {
  const page = await forge.page(`${ROOT}/blob/main/README.md`);
  expect(page.text).toContain(`href="${ROOT}/edit/main/README.md"`);
  const form = await formOf(`${ROOT}/edit/main/README.md`);
  expect(form).toMatchObject({ as: 'bob', base: 'main', branch: 'bob-patch-1', path: 'README.md' });
  const before = await contentOf('main', 'README.md');
  forge.hooks();

  const made = await forge.post(`${ROOT}/edit`, {
    ...form,
    text: before.replace('line 3\n', 'line three\r\n').replaceAll('\n', '\r\n').replaceAll('\r\r', '\r'),
    branch: 'drafts/app/by-hand',
    message: 'Say three',
  });
  expect([made.status, made.headers.get('location')]).toEqual([
    303,
    `${ROOT}/compare/main...drafts/app/by-hand`,
  ]);
  expect(await contentOf('drafts/app/by-hand', 'README.md')).toBe(before.replace('line 3\n', 'line three\n'));
  const { data: commit } = await forge.bob.rest.repos.getCommit({ ...REPO, ref: 'drafts/app/by-hand' });
  const { data: main } = await forge.bob.rest.repos.getCommit({ ...REPO, ref: 'main' });
  expect(commit.parents.map(({ sha }) => sha)).toEqual([main.sha]);
  expect([commit.commit.message, commit.author?.login]).toEqual(['Say three', 'bob']);
  expect(names(forge.hooks()).toSorted()).toEqual(['check_suite.requested', 'create', 'push']);

  const again = await forge.post(`${ROOT}/edit`, { ...form, text: 'x', branch: 'drafts/app/by-hand' });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('There is a branch')]);
});

test('the branch of an open pull request takes a commit, and leads back to it', async () => {
  const address = `${ROOT}/edit/drafts/app/first/${FILE}`;
  const form = await formOf(address);
  expect(form['branch']).toBe('drafts/app/first');
  const text = form['text']!.replace('replicas: 7', 'replicas: 5');
  const made = await forge.post(`${ROOT}/edit`, { ...form, text, message: 'Fewer' });
  expect([made.status, made.headers.get('location')]).toEqual([303, `${ROOT}/pull/${forge.number}`]);
  expect(await contentOf('drafts/app/first', FILE)).toContain('replicas: 5');

  // The same form once more: somebody (we) changed the file since it was shown.
  const stale = await forge.post(`${ROOT}/edit`, { ...form, text: 'mine <b>', back: address });
  expect(stale.status).toBe(409);
  expect(stale.text).toContain('since this page was shown');
  expect(stale.text).toContain('mine &lt;b&gt;</textarea');
  expect(stale.text).toContain(`name="at" value="${form['at']}"`);
  expect(await contentOf('drafts/app/first', FILE)).toContain('replicas: 5');
});

test('a name that no branch can have is refused by that name, and the text stays', async () => {
  const back = `${ROOT}/edit/main/README.md`;
  const fields = { ...(await formOf(back)), text: 'mine', branch: 'two words', back };
  const page = await forge.post(`${ROOT}/edit`, fields);
  expect(page.status).toBe(422);
  expect(page.text).toContain('No branch can be named “two words”');
  expect(page.text).toContain('mine</textarea');
});

test('a form about a commit that is not there is refused, and nothing is written', async () => {
  const form = await formOf(`${ROOT}/edit/main/README.md`);
  const refs = async (): Promise<unknown> =>
    (await forge.bob.rest.git.listMatchingRefs({ ...REPO, ref: 'heads' })).data;
  const before = await refs();
  const { data: blob } = await forge.bob.rest.git.createBlob({ ...REPO, content: 'no commit' });
  for (const at of ['0'.repeat(40), 'f'.repeat(40), blob.sha]) {
    for (const branch of ['main', 'from-nowhere']) {
      const page = await forge.post(`${ROOT}/edit`, { ...form, at, branch, text: 'mine' });
      expect([page.status, page.text]).toEqual([422, expect.stringContaining('There is no such commit')]);
    }
  }
  expect(await refs()).toEqual(before);
});

test('a file is added, with the path that the form says', async () => {
  const form = await formOf(`${ROOT}/new/main/app`);
  expect(form['path']).toBe('app/');
  const made = await forge.post(`${ROOT}/edit`, {
    ...form,
    path: 'app/service.yaml',
    text: 'kind: Service\n',
  });
  expect(made.headers.get('location')).toMatch(/\/compare\/main\.\.\.bob-patch-\d$/);
  expect(await contentOf(form['branch']!, 'app/service.yaml')).toBe('kind: Service\n');
});

test('line ends stay, and what a form would change cannot be edited', async () => {
  await forge.commit(
    'odd',
    { 'dos.yaml': 'a: 1\r\nb: 2\r\n', 'mixed.yaml': 'a: 1\r\nb: 2\n' },
    { from: 'main' },
  );
  const form = await formOf(`${ROOT}/edit/odd/dos.yaml`);
  expect(form['text']).toBe('a: 1\nb: 2\n');
  await forge.post(`${ROOT}/edit`, { ...form, text: 'a: 1\nb: 3\n' });
  expect(await contentOf('odd', 'dos.yaml')).toBe('a: 1\r\nb: 3\r\n');
  const mixed = await forge.page(`${ROOT}/edit/odd/mixed.yaml`);
  expect(mixed.text).not.toContain('<textarea');
});

test('who may only read finds no way to edit, and a protected branch refuses', async () => {
  expect((await forge.page(`${ROOT}/blob/main/README.md`, 'eve')).text).not.toContain('/edit/');
  expect((await forge.page(`${ROOT}/edit/main/README.md`, 'eve')).status).toBe(403);
  const form = await formOf(`${ROOT}/edit/main/README.md`);
  const forged = await forge.post(`${ROOT}/edit`, { ...form, as: 'eve', text: 'x', branch: 'eves' }, 'eve');
  expect(forged.status).toBeGreaterThanOrEqual(403);
  await expect(contentOf('eves', 'README.md')).rejects.toThrow('No commit found');

  await forge.alice.rest.repos.createRepoRuleset({
    ...REPO,
    name: 'main',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'portico' }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  });
  const back = `${ROOT}/edit/main/README.md`;
  const direct = await forge.post(`${ROOT}/edit`, { ...form, text: 'mine', branch: 'main', back });
  expect(direct.status).toBe(409);
  expect(direct.text).toContain('Required status check &quot;portico&quot; is expected.');
  expect(direct.text).toContain('mine</textarea');
});

test('a form that was shown to somebody else does nothing', async () => {
  const back = `${ROOT}/pull/${forge.number}`;
  const fields = { form: 'comment', body: 'As myself', button: 'comment', as: 'bob', back };
  const page = await forge.post(`${ROOT}/issues/${forge.number}/comments`, fields, 'carol');
  expect(page.status).toBe(409);
  expect(page.text).toContain('This page was shown to bob, but you are now carol.');
  expect(page.text).toContain('As myself</textarea>');
  const { data } = await forge.bob.rest.issues.listComments({ ...REPO, issue_number: forge.number });
  expect(data.map(({ body }) => body)).not.toContain('As myself');
});

test('a page says whether it would look different now, to whom it was shown alone', async () => {
  const path = `${ROOT}/pull/${forge.number}`;
  const ask = async (version: string, who = 'bob'): Promise<{ status: number; version: string | null }> => {
    const headers = { accept: 'text/html', cookie: `forge_viewer=${who}`, 'if-none-match': version };
    const reply = await fetch(forge.forge.url + path, { headers });
    await reply.arrayBuffer();
    return { status: reply.status, version: reply.headers.get('etag') };
  };
  const first = await forge.page(path);
  const version = first.headers.get('etag')!;
  expect(first.text).toContain(`data-version='${version}'`);
  expect((await ask(version)).status).toBe(304);
  expect((await ask(version, 'carol')).status).toBe(200);

  // What is not on the page makes no new page, and what is does.
  await forge.bob.rest.issues.create({ ...REPO, title: 'Another' });
  const elsewhere = await ask(version);
  expect(elsewhere.status).toBe(304);
  expect(elsewhere.version).not.toBe(version);
  await forge.bob.rest.issues.createComment({ ...REPO, issue_number: forge.number, body: 'News' });
  expect((await ask(elsewhere.version!)).status).toBe(200);
});
