import { verify } from 'node:crypto';

import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { connectForge } from '../../src/forge/forge.ts';
import { API, mockForge, ORIGIN, PRIVATE_KEY, PUBLIC_KEY, rawComment, rawPull, REPO } from './forge-mock.ts';

const COMMENTS = `${REPO}/issues/1/comments`;
const REPOSITORY = {
  id: 5,
  name: 'blueprints',
  full_name: 'acme/blueprints',
  owner: { login: 'acme' },
  private: true,
  fork: false,
  html_url: 'https://forge.test/acme/blueprints',
};

const BROKEN_KEY = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0';

const next = (page: number) => ({ link: `<${API}/repositories/5/pulls?page=${page}>; rel="next"` });

const refuse = (status: number, message: string): void => {
  nock(ORIGIN).get(REPO).reply(status, { message });
};

const delivery = (id: number, guid: string, status: number, hour: number) => ({
  id,
  guid,
  status_code: status,
  delivered_at: `2026-01-02T${String(hour).padStart(2, '0')}:00:00Z`,
  event: 'push',
  action: null,
  installation_id: 7,
  repository_id: 5,
});

const datedHeaders = (token: string): Record<string, string> => ({
  etag: `"${token}"`,
  date: 'Thu, 01 Jan 2026 01:00:00 GMT',
  'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
});

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  vi.useRealTimers();
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('tokens', () => {
  test("the App's own token is signed with its key and short", async () => {
    const { forge } = mockForge();
    const header = Promise.withResolvers<string>();
    nock(ORIGIN)
      .get('/api/v3/repos/acme/blueprints/installation')
      .reply((request: Request) => {
        header.resolve(String(request.headers.get('authorization')));
        return [404, { message: 'Not Found' }];
      });
    expect(await forge.repositoryInstallation('acme', 'blueprints')).toBeNull();
    const [, jwt = ''] = (await header.promise).split(' ');
    const [head = '', body = '', signature = ''] = jwt.split('.');
    expect(
      verify('RSA-SHA256', Buffer.from(`${head}.${body}`), PUBLIC_KEY, Buffer.from(signature, 'base64url')),
    ).toBe(true);
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
      iat: number;
      exp: number;
      iss: string;
    };
    expect(claims.iss).toBe('77');
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(600);
  });

  test('one token per repository, for that repository and no more than was granted', async () => {
    const { forge, repository, mints } = mockForge();
    const seen: string[] = [];
    nock(ORIGIN)
      .persist()
      .get(REPO)
      .reply((request: Request) => {
        seen.push(String(request.headers.get('authorization')));
        return [200, REPOSITORY];
      });
    await Promise.all([
      repository.get(),
      repository.get(),
      forge.repository(7, { id: 5, owner: 'acme', name: 'blueprints' }).get(),
    ]);
    expect(new Set(seen)).toEqual(new Set(['token ghs_token1']));
    expect(mints).toEqual([
      {
        installation: '7',
        body: {
          repository_ids: [5],
          permissions: {
            metadata: 'read',
            contents: 'write',
            pull_requests: 'write',
            issues: 'write',
            checks: 'read',
          },
        },
      },
    ]);
    expect(await forge.tokenFor(7, 5)).toBe('ghs_token2');
    expect(await forge.tokenFor(7, 6)).toBe('ghs_token3');
    expect(await forge.tokenFor(7, 5)).toBe('ghs_token2');
    expect(mints[1]!.body).toEqual({
      repository_ids: [5],
      permissions: { metadata: 'read', contents: 'write' },
    });
  });

  test('two forges in one process do not share tokens', async () => {
    const one = mockForge();
    expect(await one.forge.tokenFor(7, 5)).toBe('ghs_token1');
    nock.cleanAll();
    const other = mockForge();
    expect(await other.forge.tokenFor(7, 5)).toBe('ghs_token1');
    expect(other.mints).toHaveLength(1);
  });

  test('401 or 403: a young token is tried again a moment later, three times at most; an old one is replaced', async () => {
    const { repository, calls, mints } = mockForge();
    const seen = (): number[] =>
      calls.splice(0).flatMap((c) => (c.route === '/repos/{owner}/{repo}' ? [c.status] : []));
    refuse(401, 'Bad credentials');
    refuse(403, 'Resource not accessible by integration');
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    expect((await repository.get()).fullName).toBe('acme/blueprints');
    expect([seen(), mints.length]).toEqual([[401, 403, 200], 1]);

    for (let time = 0; time < 4; time += 1) refuse(401, 'Bad credentials');
    await expect(repository.get()).rejects.toMatchObject({ code: 'FORGE_AUTH', blame: 'forge' });
    expect([seen(), mints.length]).toEqual([[401, 401, 401, 401], 1]);

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    refuse(403, 'Resource not accessible by integration');
    await expect(repository.get()).rejects.toMatchObject({ code: 'FORGE_FORBIDDEN' });
    expect([seen(), mints.length]).toEqual([[403], 1]);
    refuse(401, 'Bad credentials');
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    await repository.get();
    expect([seen(), mints.length]).toEqual([[401, 200], 2]);
  });

  test('a clock that is off is put right by the answer', async () => {
    const { forge } = mockForge();
    const later = new Date(Date.now() + 3_600_000);
    const issued: number[] = [];
    nock(ORIGIN)
      .get('/api/v3/repos/a/b/installation')
      .twice()
      .reply((request: Request) => {
        const [, body = ''] = String(request.headers.get('authorization')).split('.');
        issued.push((JSON.parse(Buffer.from(body, 'base64url').toString()) as { iat: number }).iat);
        return issued.length === 1 ? [401, { message: 'expired' }, { date: later.toUTCString() }] : [404, {}];
      });
    expect(await forge.repositoryInstallation('a', 'b')).toBeNull();
    expect(issued[1]! - issued[0]!).toBeGreaterThan(3_500);
  });

  test('a key that is none is told without quoting it', () => {
    expect(() => connectForge({ appId: 1, privateKey: BROKEN_KEY, baseUrl: API })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('c2VjcmV0') }),
    );
    const escaped = PRIVATE_KEY.replaceAll('\n', String.raw`\n`);
    expect(() => connectForge({ appId: 1, privateKey: escaped, baseUrl: API })).not.toThrow();
  });
});

describe('trouble', () => {
  test('a GET is asked again on 5xx and broken connections', async () => {
    const { repository } = mockForge();
    nock(ORIGIN).get(REPO).reply(502, 'bad gateway');
    nock(ORIGIN).get(REPO).replyWithError('socket hang up');
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    expect((await repository.get()).id).toBe(5);
  });

  test('and given up in the end', async () => {
    const { repository, calls } = mockForge();
    nock(ORIGIN).get(REPO).times(4).reply(503, { message: 'no' });
    await expect(repository.get()).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      blame: 'forge',
      hint: expect.any(String),
    });
    expect(calls.filter((c) => c.status === 503)).toHaveLength(4);
  });

  test.each([
    ['a 502', 502],
    ['a lost connection', 0],
  ])('%s on a write is not sent again', async (_, status) => {
    const { repository, calls } = mockForge();
    const write = nock(ORIGIN).post(COMMENTS);
    if (status === 0) write.replyWithError('socket hang up');
    else write.reply(status, 'bad gateway');
    await expect(repository.createComment(1, 'x')).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
    expect(calls.filter((c) => c.route.endsWith('/comments'))).toMatchObject([{ method: 'POST', status }]);
  });

  test.each([
    ['secondary limit', 403, { 'retry-after': '17' }, 'You have exceeded a secondary rate limit', 17],
    ['429', 429, { 'retry-after': '3' }, 'Too many requests', 3],
    ['secondary limit without header', 403, {}, 'You have exceeded a secondary rate limit.', 60],
    ['a 429 without header', 429, {}, '', 60],
  ])('%s becomes RATE_LIMITED', async (_, status, headers, message, retryAfter) => {
    const { forge, repository, calls } = mockForge();
    nock(ORIGIN).post(COMMENTS).reply(status, { message }, headers);
    await expect(repository.createComment(1, 'x')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfter,
    });
    // Nobody else of the installation asks before the time is over; another installation has a limit of its own.
    await expect(repository.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter });
    await expect(repository.markReady('PR_1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(calls.filter((c) => c.status === status)).toHaveLength(1);
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    const other = forge.repository(8, { id: 5, owner: 'acme', name: 'blueprints' });
    expect(await other.get()).toMatchObject({ id: 5 });
  });

  test('an empty primary budget waits for its reset', async () => {
    const { repository } = mockForge();
    const reset = Math.floor(Date.now() / 1_000) + 120;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
    nock(ORIGIN).get(REPO).reply(403, { message: 'API rate limit exceeded' }, headers);
    const error = (await repository.get().catch((e: unknown) => e)) as { code: string; retryAfter: number };
    expect(error.code).toBe('RATE_LIMITED');
    expect(error.retryAfter).toBeGreaterThan(110);
    expect(error.retryAfter).toBeLessThanOrEqual(120);
  });

  test.each([
    { type: 'RATE_LIMITED', message: 'API rate limit exceeded' },
    {
      type: 'RATE_LIMIT',
      code: 'graphql_rate_limit',
      message: 'API rate limit already exceeded for user ID 1.',
    },
  ])('GraphQL limits come as 200, and hold GraphQL back alone', async (error) => {
    const { repository, calls } = mockForge();
    const limited = { code: 'RATE_LIMITED', retryAfter: 60 };
    nock(ORIGIN)
      .post('/api/graphql')
      .reply(200, { data: null, errors: [error] });
    await expect(repository.markReady('PR_1')).rejects.toMatchObject(limited);
    await expect(repository.markReady('PR_1')).rejects.toMatchObject(limited);
    expect(calls.filter(({ route }) => route === '/graphql')).toHaveLength(1);
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    expect(await repository.get()).toMatchObject({ id: 5 });
  });

  test.each([
    ['NOT_FOUND', { type: 'NOT_FOUND', message: 'no' }, 'FORGE_NOT_FOUND'],
    [
      'a document that does not fit',
      { message: 'no field', extensions: { code: 'undefinedField' } },
      'FORGE_INVALID',
    ],
    ['no type at all', { message: 'Something went wrong while executing your query.' }, 'FORGE_UNAVAILABLE'],
  ])('a GraphQL error of %s', async (_, error, code) => {
    const { repository } = mockForge();
    nock(ORIGIN)
      .post('/api/graphql')
      .reply(200, { data: null, errors: [error] });
    await expect(repository.markReady('PR_1')).rejects.toMatchObject({ code });
    // A merge queue that did not answer has not refused.
    nock(ORIGIN)
      .post('/api/graphql')
      .reply(200, { data: null, errors: [error] });
    const queued = repository.enqueuePull('PR_1', 'a'.repeat(40)).catch((e: unknown) => e);
    expect(await queued).toMatchObject(code === 'FORGE_INVALID' ? { ok: false } : { code });
  });

  test('a repository that left the installation is gone, and nothing is concluded of what it holds', async () => {
    const { forge } = mockForge();
    const message =
      'There is at least one repository that does not exist or is not accessible to the parent installation.';
    nock.cleanAll();
    nock(ORIGIN)
      .persist()
      .get('/api/v3/app/installations/9')
      .reply(200, { id: 9, account: null, permissions: {} });
    nock(ORIGIN).persist().post('/api/v3/app/installations/9/access_tokens').reply(422, { message });
    const left = forge.repository(9, { id: 5, owner: 'acme', name: 'blueprints' });
    const gone = { code: 'INSTALLATION_GONE', blame: 'user' };
    await expect(left.get()).rejects.toMatchObject(gone);
    await expect(left.pullsForCommit('a'.repeat(40))).rejects.toMatchObject(gone);
    await expect(left.branchActivity('refs/heads/main')).rejects.toMatchObject(gone);
  });

  test('pull requests of a commit: none where there is no such commit, and a refusal where the forge refuses', async () => {
    const { repository } = mockForge();
    const path = `${REPO}/commits/${'a'.repeat(40)}/pulls?page=1&per_page=100`;
    nock(ORIGIN)
      .get(path)
      .reply(422, { message: `No commit found for SHA: ${'a'.repeat(40)}` });
    expect(await repository.pullsForCommit('a'.repeat(40))).toEqual([]);
    nock(ORIGIN).get(path).reply(422, { message: 'Validation Failed' });
    await expect(repository.pullsForCommit('a'.repeat(40))).rejects.toMatchObject({ code: 'FORGE_INVALID' });
  });

  test('other refusals have codes of their own', async () => {
    const { repository } = mockForge();
    const codes = {
      403: 'FORGE_FORBIDDEN',
      404: 'FORGE_NOT_FOUND',
      409: 'FORGE_CONFLICT',
      422: 'FORGE_INVALID',
      451: 'FORGE_REFUSED',
    };
    for (const [status, code] of Object.entries(codes)) {
      // A young token is tried again where that may be the reason.
      const times = code === 'FORGE_FORBIDDEN' ? 4 : 1;
      nock(ORIGIN).post(COMMENTS).times(times).reply(Number(status), { message: 'Because' });
      const error = (await repository.createComment(1, 'x').catch((e: unknown) => e)) as Error;
      expect(error).toMatchObject({ code, message: expect.stringContaining('Because') });
      expect(error.message).toContain('/repos/{owner}/{repo}/issues/{issue_number}/comments');
      expect(error.message).not.toContain('acme');
    }
  });

  test('no error carries the token, whoever put it there', async () => {
    const { repository } = mockForge();
    nock(ORIGIN)
      .post(COMMENTS)
      .reply(422, { message: 'bad ghs_token1 and Bearer abcdefghijklmnopqrstuvwxyz' });
    const error = (await repository.createComment(1, 'x').catch((e: unknown) => e)) as Error & {
      cause?: unknown;
    };
    const told = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(told).not.toMatch(/ghs_|abcdefghij/);
  });

  test('what is written carries no credential', async () => {
    const { repository } = mockForge();
    const written = Promise.withResolvers<string>();
    nock(ORIGIN)
      .post(COMMENTS)
      .reply(201, async (request: Request) => {
        written.resolve(((await request.json()) as { body: string }).body);
        return rawComment({});
      });
    await repository.createComment(1, 'failed: https://x-access-token:ghs_1234567890@forge.test/x');
    expect(await written.promise).not.toContain('ghs_');
  });

  test('an abort ends a call, with its own reason', async () => {
    const { repository } = mockForge();
    nock(ORIGIN).get(REPO).delay(60_000).reply(200, REPOSITORY);
    const stop = new AbortController();
    const asking = repository.get(stop.signal);
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(asking).rejects.toThrow('enough');
    nock.abortPendingRequests();
  });
});

describe('cost', () => {
  test('an unchanged answer is a 304', async () => {
    const { repository, calls } = mockForge();
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY, { etag: '"one"' });
    nock(ORIGIN, { reqheaders: { 'if-none-match': '"one"' } })
      .get(REPO)
      .reply(304, undefined, { etag: '"one"' });
    nock(ORIGIN, { reqheaders: { 'if-none-match': '"one"' } })
      .get(REPO)
      .reply(200, { ...REPOSITORY, archived: true }, { etag: '"two"' });
    expect((await repository.get()).archived).toBe(false);
    expect((await repository.get()).archived).toBe(false);
    expect((await repository.get()).archived).toBe(true);
    expect(calls.filter((c) => c.route === '/repos/{owner}/{repo}').map((c) => c.status)).toEqual([
      200, 304, 200,
    ]);
  });

  test('a truncated answer is asked for again, and never cached', async () => {
    const { repository, calls } = mockForge();
    const whole = JSON.stringify(REPOSITORY);
    const json = { 'content-type': 'application/json; charset=utf-8', etag: '"one"' };
    nock(ORIGIN)
      .get(REPO)
      .reply(200, whole.slice(0, whole.length * 0.6), json);
    nock(ORIGIN, { badheaders: ['if-none-match'] })
      .get(REPO)
      .reply(200, whole, json);
    nock(ORIGIN, { reqheaders: { 'if-none-match': '"one"' } })
      .get(REPO)
      .reply(304, undefined, { etag: '"one"' });
    expect((await repository.get()).fullName).toBe('acme/blueprints');
    expect((await repository.get()).fullName).toBe('acme/blueprints');
    expect(calls.filter((c) => c.route === '/repos/{owner}/{repo}').map((c) => c.status)).toEqual([
      0, 200, 304,
    ]);
  });

  test.each([
    ['text that is not JSON', '[{"id": 1, "bo'],
    ['an object in place of a list', '{"message": "ok"}'],
    ['nothing', 'null'],
  ])('%s in place of a page of a list is a failure of the forge', async (_what, body) => {
    const { repository } = mockForge();
    nock(ORIGIN)
      .persist()
      .get(`${REPO}/pulls`)
      .query(true)
      .reply(200, body, { 'content-type': 'application/json' });
    await expect(repository.listOpenPulls()).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      blame: 'forge',
    });
  });

  test.each([
    ['a pull request without its head', '/pulls/1', { ...rawPull({}), head: undefined }, 'head'],
    [
      'a pull request whose commit is a number',
      '/pulls/1',
      { ...rawPull({}), head: { ref: 'a', sha: 1, repo: null } },
      'head.sha',
    ],
    ['an object in place of a pull request', '/pulls/1', { message: 'ok' }, 'number'],
    ['a page of HTML', '/pulls/1', '<html>Please log in</html>', 'content'],
    ['a list with half an entry', '/pulls', [rawPull({}), { number: 2 }], '1.node_id'],
  ])('%s is a failure of the forge, and never cached', async (_what, path, body, field) => {
    const { repository } = mockForge();
    const get = (): Promise<unknown> =>
      path === '/pulls' ? repository.listOpenPulls() : repository.getPull(1);
    const reply = (answer: object | string) =>
      nock(ORIGIN, { badheaders: ['if-none-match'] })
        .get(`${REPO}${path}`)
        .query(true)
        .reply(200, answer, { etag: '"one"' });
    for (let attempt = 0; attempt < 4; attempt += 1) reply(body);
    await expect(get()).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      blame: 'forge',
      message: expect.stringContaining(`no valid ${field}`) as string,
    });
    reply(path === '/pulls' ? [rawPull({})] : rawPull({}));
    expect(await get()).toMatchObject(path === '/pulls' ? [{ number: 1 }] : { number: 1 });
  });

  test('an ETag is good for one token; with another, the time is asked for where it can be relied on', async () => {
    const { repository } = mockForge();
    const asked: (string | null)[][] = [];
    const comment = rawComment({});
    for (const path of [`${REPO}/issues/comments/1`, REPO]) {
      const body = path === REPO ? REPOSITORY : comment;
      nock(ORIGIN)
        .persist()
        .get(path)
        .reply((request: Request) => {
          const told = ['if-none-match', 'if-modified-since'].map((name) => request.headers.get(name));
          asked.push([path.endsWith('1') ? 'comment' : 'repository', ...told]);
          const token = request.headers.get('authorization')!.slice('token '.length);
          const isSame = told[0] === `"${token}"` || told[1] !== null;
          return isSame ? [304, '', { etag: `"${token}"` }] : [200, body, datedHeaders(token)];
        });
    }
    await repository.getComment(1);
    await repository.get();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    expect(await repository.getComment(1)).toMatchObject({ id: 1 });
    expect(await repository.getComment(1)).toMatchObject({ id: 1 });
    expect(await repository.get()).toMatchObject({ id: 5 });
    expect(asked.slice(2)).toEqual([
      ['comment', null, 'Thu, 01 Jan 2026 00:00:00 GMT'],
      ['comment', '"ghs_token2"', null],
      ['repository', null, null],
    ]);
  });

  test('every call is told, with its template', async () => {
    const { repository, calls } = mockForge();
    nock(ORIGIN).get(`${REPO}/pulls/1`).reply(200, rawPull({}), { 'x-ratelimit-remaining': '4321' });
    await repository.getPull(1);
    expect(calls.map((c) => `${c.method} ${c.route} ${c.status} ${c.installationId}`)).toEqual([
      'GET /app/installations/{installation_id} 200 null',
      'POST /app/installations/{installation_id}/access_tokens 201 null',
      'GET /repos/{owner}/{repo}/pulls/{pull_number} 200 7',
    ]);
    expect(calls.at(-1)).toMatchObject({ remaining: 4321, ms: expect.any(Number) });
  });

  test('what creates content waits for the budget; nothing else does', async () => {
    const taken: number[] = [];
    const { repository } = mockForge({
      budget: {
        take: (installationId) => {
          taken.push(installationId);
          return Promise.resolve();
        },
      },
    });
    nock(ORIGIN).post(COMMENTS).reply(201, rawComment({}));
    nock(ORIGIN).patch(`${REPO}/issues/1`).reply(200, {});
    nock(ORIGIN).get(REPO).reply(200, REPOSITORY);
    nock(ORIGIN).post(`${REPO}/issues/comments/1/reactions`).reply(201, { id: 1 });
    await repository.get();
    await repository.updateIssue(1, { body: 'x' });
    await repository.addReaction({ commentId: 1 }, 'eyes');
    expect(taken).toEqual([]);
    await repository.createComment(1, 'x');
    expect(taken).toEqual([7]);
  });

  test('a refused budget stops the call', async () => {
    const { repository, calls } = mockForge({ budget: { take: () => Promise.reject(new Error('spent')) } });
    await expect(repository.createComment(1, 'x')).rejects.toThrow('spent');
    expect(calls.filter((c) => c.method === 'POST')).toEqual([]);
  });
});

describe('lists', () => {
  test('are read to the end', async () => {
    const { repository } = mockForge();
    nock(ORIGIN)
      .get(`${REPO}/pulls`)
      .query({ state: 'open', page: 1, per_page: 100 })
      .reply(200, [rawPull({})], next(2));
    nock(ORIGIN)
      .get(`${REPO}/pulls`)
      .query({ state: 'open', page: 2, per_page: 100 })
      .reply(200, [rawPull({ number: 2 })]);
    expect((await repository.listOpenPulls()).map((pull) => pull.number)).toEqual([1, 2]);
  });

  test('failed deliveries: the ones that no attempt got through, oldest first', async () => {
    const { forge } = mockForge();
    const link = `<${API}/app/hook/deliveries?cursor=v1_1&per_page=100>; rel="next"`;
    const path = '/api/v3/app/hook/deliveries';
    nock(ORIGIN)
      .get(path)
      .query({ per_page: 100 })
      .reply(200, [delivery(9, 'a', 200, 9), delivery(8, 'b', 500, 8), delivery(7, 'c', 502, 7)], { link });
    nock(ORIGIN)
      .get(path)
      .query({ per_page: 100, cursor: 'v1_1' })
      .reply(200, [delivery(6, 'a', 500, 6), delivery(5, 'b', 500, 5), delivery(1, 'd', 500, 1)], { link });
    const failed = await forge.failedDeliveries(new Date('2026-01-02T04:00:00Z'));
    expect(failed.map((one) => `${one.id} ${one.guid}`)).toEqual(['7 c', '8 b']);
  });
});
