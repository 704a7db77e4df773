import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { CheckInput } from '../../src/forge/checks.ts';
import { mockForge, ORIGIN, rawComment, rawPull, REPO } from './forge-mock.ts';

type Json = Record<string, unknown>;

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

/** Answers every write with `reply` and keeps what was written. */
function record(method: 'post' | 'patch', path: string | RegExp, reply: Json): Json[] {
  const bodies: Json[] = [];
  nock(ORIGIN)
    .persist()
    [method](path)
    .reply(200, async (request: Request) => {
      bodies.push((await request.json()) as Json);
      return reply;
    });
  return bodies;
}

describe('pull requests', () => {
  test.each([
    [409, 'Head branch was modified. Review and try the merge again.', 'moved'],
    [405, 'Pull Request is not mergeable', 'not-mergeable'],
    [405, 'Merge conflict between base and head', 'not-mergeable'],
    [405, 'Required status check "portico" is expected.', 'blocked'],
    [405, 'Repository rule violations found. Pull Request is not mergeable', 'blocked'],
    [405, 'Merge commits are not allowed on this repository.', 'blocked'],
  ])('a merge refused with %s %j is %s', async (status, message, reason) => {
    const { repository } = mockForge();
    nock(ORIGIN).put(`${REPO}/pulls/1/merge`).reply(status, { message });
    const result = await repository.mergePull(1, { sha: 'a'.repeat(40), method: 'merge' });
    expect(result).toMatchObject({ ok: false, reason, message: expect.stringContaining(message) });
  });

  test('a merge names the head, and is not sent again after a 502', async () => {
    const { repository, calls } = mockForge();
    const sent: Json[] = [];
    nock(ORIGIN)
      .put(`${REPO}/pulls/1/merge`)
      .reply(502, async (request: Request) => {
        sent.push((await request.json()) as Json);
        return { message: 'Bad Gateway' };
      });
    const merging = repository.mergePull(1, {
      sha: 'a'.repeat(40),
      method: 'squash',
      title: 'T',
      message: 'M',
    });
    await expect(merging).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
    expect(sent).toEqual([
      { sha: 'a'.repeat(40), merge_method: 'squash', commit_title: 'T', commit_message: 'M' },
    ]);
    expect(calls.filter((call) => call.method === 'PUT')).toHaveLength(1);
  });

  test('mergeable is waited for', async () => {
    const { repository } = mockForge();
    for (const mergeable of [null, null, true]) {
      nock(ORIGIN).get(`${REPO}/pulls/1`).reply(200, rawPull({ mergeable }));
    }
    expect(await repository.getPull(1, { waitForMergeable: true })).toMatchObject({ mergeable: true });
    nock(ORIGIN)
      .get(`${REPO}/pulls/1`)
      .reply(200, rawPull({ mergeable: null }));
    expect(await repository.getPull(1)).toMatchObject({ mergeable: null });
    nock(ORIGIN).get(`${REPO}/pulls/2`).reply(404, { message: 'Not Found' });
    expect(await repository.getPull(2, { waitForMergeable: true })).toBeNull();
  });

  test('one that exists is found instead of made twice', async () => {
    const { repository } = mockForge();
    const wanted = { title: 'T', body: '', head: 'drafts/app/next', base: 'main' };
    nock(ORIGIN)
      .post(`${REPO}/pulls`)
      .twice()
      .reply(422, {
        message: 'Validation Failed',
        errors: [{ message: 'A pull request already exists for acme:drafts/app/next.' }],
      });
    const list = { state: 'open', head: 'acme:drafts/app/next', page: 1, per_page: 100 };
    nock(ORIGIN)
      .get(`${REPO}/pulls`)
      .query(list)
      .reply(200, [rawPull({ number: 9, base: { ref: 'other', sha: 'c' } }), rawPull({ number: 4 })]);
    expect(await repository.createPull(wanted)).toMatchObject({ created: false, pull: { number: 4 } });
    nock(ORIGIN).get(`${REPO}/pulls`).query(list).reply(200, []);
    await expect(repository.createPull(wanted)).rejects.toMatchObject({ code: 'FORGE_INVALID' });
  });
});

describe('who may', () => {
  test('strangers have no permission, trouble is no answer', async () => {
    const { repository } = mockForge();
    const path = (login: string): string => `${REPO}/collaborators/${login}/permission`;
    nock(ORIGIN).get(path('alice')).reply(200, { permission: 'write', role_name: 'maintain' });
    nock(ORIGIN).get(path('eve')).reply(404, { message: 'not a user' });
    nock(ORIGIN).get(path('bob')).times(4).reply(500, { message: 'oops' });
    expect(await repository.permission('alice')).toBe('maintain');
    expect(await repository.permission('eve')).toBe('none');
    await expect(repository.permission('bob')).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });

  test('only active members are in a team', async () => {
    const { repository } = mockForge();
    const path = (login: string): string => `/api/v3/orgs/acme/teams/platform/memberships/${login}`;
    nock(ORIGIN).get(path('alice')).reply(200, { state: 'active', role: 'member' });
    nock(ORIGIN).get(path('bob')).reply(200, { state: 'pending', role: 'member' });
    nock(ORIGIN).get(path('eve')).reply(404, { message: 'Not Found' });
    nock(ORIGIN).get(path('mallory')).reply(403, { message: 'Resource not accessible by integration' });
    expect(await repository.teamMember('acme', 'platform', 'alice')).toBe(true);
    expect(await repository.teamMember('acme', 'platform', 'bob')).toBe(false);
    expect(await repository.teamMember('acme', 'platform', 'eve')).toBe(false);
    await expect(repository.teamMember('acme', 'platform', 'mallory')).rejects.toMatchObject({
      code: 'FORGE_FORBIDDEN',
    });
  });

  test('names with slashes and dots do not leave their place in the URL', async () => {
    const { repository, calls } = mockForge();
    const seen: string[] = [];
    nock(ORIGIN)
      .get(/collaborators/)
      .reply(404, (request: Request) => {
        seen.push(new URL(request.url).pathname);
        return { message: 'Not Found' };
      });
    expect(await repository.permission('../../../user?x=')).toBe('none');
    expect(seen).toEqual([`${REPO}/collaborators/..%2F..%2F..%2Fuser%3Fx%3D/permission`]);
    expect(calls.at(-1)?.route).toBe('/repos/{owner}/{repo}/collaborators/{username}/permission');
  });
});

describe('the sticky comment', () => {
  const MARKER = '<!-- portico:summary -->';
  const list = (...comments: Json[]): void => {
    nock(ORIGIN).get(`${REPO}/issues/1/comments`).query({ page: 1, per_page: 100 }).reply(200, comments);
  };

  test('is made, left alone, and changed', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/issues/1/comments`, rawComment({ id: 5 }));
    list();
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'created' });
    expect(created).toEqual([{ body: `${MARKER}\none` }]);
    list(rawComment({ id: 5, body: `${MARKER}\r\none\n` }));
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'unchanged' });
    const updated = record('patch', `${REPO}/issues/comments/5`, rawComment({ id: 5 }));
    list(rawComment({ id: 5, body: `${MARKER}\none` }));
    expect(await repository.upsertSticky(1, MARKER, 'two')).toMatchObject({ id: 5, written: 'updated' });
    expect(updated).toEqual([{ body: `${MARKER}\ntwo` }]);
  });

  test("a stranger's comment with our marker is not ours", async () => {
    const { repository } = mockForge();
    const body = `${MARKER}\none`;
    list(
      rawComment({ id: 1, body, user: { login: 'eve', type: 'User' }, performed_via_github_app: null }),
      rawComment({
        id: 2,
        body,
        user: { login: 'portico[bot]', type: 'Bot' },
        performed_via_github_app: { id: 666 },
      }),
      rawComment({
        id: 3,
        body,
        user: { login: 'portico[bot]', type: 'User' },
        performed_via_github_app: null,
      }),
      rawComment({ id: 4, body: `quoted:\n\n${body}` }),
    );
    record('post', `${REPO}/issues/1/comments`, rawComment({ id: 5 }));
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'created' });
  });

  test('a second one of ours is folded away', async () => {
    const { repository } = mockForge();
    list(
      rawComment({ id: 1, body: `${MARKER}\none` }),
      rawComment({ id: 2, node_id: 'IC_2', body: `${MARKER}\none` }),
    );
    const graphql = record('post', '/api/graphql', { data: { minimizeComment: null } });
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 1, written: 'unchanged' });
    expect(graphql).toMatchObject([
      { variables: { id: 'IC_2' }, query: expect.stringContaining('OUTDATED') },
    ]);
  });
});

describe('checks', () => {
  const SHA = 'a'.repeat(40);
  const CHECK: CheckInput = {
    name: 'portico/render',
    headSha: SHA,
    externalId: 'run-1',
    status: 'completed',
    conclusion: 'success',
    title: 'Rendered',
    summary: 'All fine.',
  };
  const run = (fields: Json): Json => ({
    id: 3,
    name: CHECK.name,
    head_sha: SHA,
    external_id: 'run-1',
    status: 'completed',
    conclusion: 'success',
    app: { id: 77 },
    output: { title: 'Rendered', summary: 'All fine.', annotations_count: 0 },
    started_at: null,
    completed_at: null,
    html_url: null,
    ...fields,
  });
  const runs = (...check_runs: Json[]): void => {
    const query = { check_name: CHECK.name, app_id: 77, filter: 'latest', per_page: 100 };
    nock(ORIGIN)
      .get(`${REPO}/commits/${SHA}/check-runs`)
      .query(query)
      .reply(200, { total_count: check_runs.length, check_runs });
  };
  const annotation = (line: number) => ({
    path: 'a.yaml',
    startLine: line,
    endLine: line,
    startColumn: 1,
    endColumn: 2,
    level: 'failure' as const,
    message: `m${line}`,
  });

  test('an equal one costs no write; a changed one is changed; one set back by a re-run is put again', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    runs();
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'created' });
    const external_id = created[0]?.['external_id'];
    expect(external_id).toMatch(/^run-1#[0-9a-f]{16}$/);
    runs(run({ external_id }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'unchanged' });
    const updated = record('patch', `${REPO}/check-runs/3`, run({}));
    runs(run({ external_id }));
    expect(await repository.putCheck({ ...CHECK, summary: 'Other.' })).toEqual({ id: 3, written: 'updated' });
    runs(run({ external_id, status: 'queued', conclusion: null }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 3, written: 'updated' });
    expect(updated).toHaveLength(2);
  });

  test("another App's run of that name is not ours", async () => {
    const { repository } = mockForge();
    record('post', `${REPO}/check-runs`, run({ id: 4 }));
    runs(run({ app: { id: 666 } }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 4, written: 'created' });
  });

  test('120 annotations are three calls, and only the last completes', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    const updated = record('patch', `${REPO}/check-runs/3`, run({}));
    runs();
    const annotations = Array.from({ length: 120 }, (_, n) => annotation(n + 1));
    await repository.putCheck({ ...CHECK, conclusion: 'failure', annotations });
    const all = [...created, ...updated] as {
      status: string;
      external_id: string;
      output: { annotations: Json[] };
    }[];
    expect(all.map((one) => one.output.annotations.length)).toEqual([50, 50, 20]);
    expect(all.map((one) => one.status)).toEqual(['in_progress', 'in_progress', 'completed']);
    expect(all.map((one) => one.external_id.includes('#'))).toEqual([false, false, true]);
    expect(all[2]!.output.annotations[19]).toEqual({
      path: 'a.yaml',
      start_line: 120,
      end_line: 120,
      start_column: 1,
      end_column: 2,
      annotation_level: 'failure',
      message: 'm120',
    });
  });

  test('a run that has annotations gets a successor, because they cannot be taken back', async () => {
    const { repository } = mockForge();
    record('post', `${REPO}/check-runs`, run({ id: 4 }));
    runs(run({ output: { title: '', summary: '', annotations_count: 1 } }));
    expect(await repository.putCheck(CHECK)).toEqual({ id: 4, written: 'created' });
    runs(run({}));
    expect(
      await repository.putCheck({ ...CHECK, status: 'in_progress', conclusion: undefined } as never),
    ).toEqual({ id: 4, written: 'created' });
  });

  test('texts are cut, and what GitHub would refuse is refused here', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/check-runs`, run({}));
    runs();
    const long = `\`\`\`diff\n${'+ x\n'.repeat(20_000)}\`\`\``;
    await repository.putCheck({ ...CHECK, summary: long, text: long, title: 't'.repeat(300) });
    const output = created[0]?.['output'] as { summary: string; text: string; title: string };
    expect([output.summary.length, output.text.length].every((length) => length <= 65_535)).toBe(true);
    expect(output.title).toHaveLength(255);
    const action = { label: 'Render', description: 'Render again', identifier: 'render' };
    for (const wrong of [
      { actions: [action, action, action, action] },
      { actions: [{ ...action, label: 'x'.repeat(21) }] },
      { status: 'in_progress' as const },
    ]) {
      await expect(repository.putCheck({ ...CHECK, ...wrong })).rejects.toMatchObject({
        code: 'CHECK_INVALID',
      });
    }
  });
});

describe('releases', () => {
  const raw = (fields: Json): Json => ({
    id: 1,
    tag_name: 'app/v1',
    name: 'app@v1',
    body: 'notes',
    html_url: 'https://forge.test/r',
    ...fields,
  });
  const RELEASE = { tag: 'app/v1', name: 'app@v1', body: 'notes' };

  test('one per tag: made, left alone, corrected', async () => {
    const { repository } = mockForge();
    const path = `${REPO}/releases/tags/app%2Fv1`;
    nock(ORIGIN).get(path).reply(404, { message: 'Not Found' });
    nock(ORIGIN).post(`${REPO}/releases`).reply(201, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({
      written: 'created',
      release: { tag: 'app/v1' },
    });
    nock(ORIGIN)
      .get(path)
      .reply(200, raw({ body: 'notes\r\n' }));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'unchanged' });
    nock(ORIGIN)
      .get(path)
      .reply(200, raw({ body: 'old' }));
    nock(ORIGIN).patch(`${REPO}/releases/1`).reply(200, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'updated' });
  });

  test('one that appeared meanwhile is taken', async () => {
    const { repository } = mockForge();
    const path = `${REPO}/releases/tags/app%2Fv1`;
    nock(ORIGIN).get(path).reply(404, { message: 'Not Found' });
    nock(ORIGIN)
      .post(`${REPO}/releases`)
      .reply(422, { message: 'Validation Failed', errors: [{ code: 'already_exists' }] });
    nock(ORIGIN).get(path).reply(200, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'unchanged' });
  });
});
