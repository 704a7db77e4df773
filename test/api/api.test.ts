import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, MAX_REQUESTS_PER_MINUTE, type Api } from '../../src/api/api.ts';
import type { ApiAnswer } from '../../src/api/message.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { COLLECTIONS, WHY } from '../../src/api/routes.ts';
import { createCatalog, type CatalogRepository } from '../../src/catalog/catalog.ts';
import { askReadable } from '../../src/forge/readable.ts';
import { planRollout } from '../../src/package/rollout/plan.ts';
import type { RolloutMember } from '../../src/reconcile/rollout/facts.ts';
import type { RolloutLook } from '../../src/reconcile/rollout/rollouts.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { VERSION } from '../../src/version.ts';
import { bareRepository } from '../catalog/bare-repository.ts';
import { octokitAs } from '../e2e/octokit-as.ts';

/** alice owns acme, bob reads two of its repositories, mallory belongs to another organisation. */
const PEOPLE = ['alice', 'bob', 'mallory'];
const REPOSITORIES = {
  'acme/blueprints': { private: true, collaborators: { bob: 'read' } },
  'acme/edge': { private: true, collaborators: { bob: 'read' } },
  'acme/secret': { private: true },
  'acme/open': { private: false },
  'rival/theirs': { private: true },
} as const;

const catalog = createCatalog();
let forge: LocalForge;
let scratch: string;
let asked = 0;
let now = Date.parse('2026-01-01T00:00:00Z');
const lines: string[] = [];
let api: Api;
let schemas: ReadonlyMap<string, ReturnType<Ajv2020['compile']>>;

const idOf = (fullName: string): number => {
  const [owner = '', name = ''] = fullName.split('/');
  return forge.context.records.repositoryByName(owner, name)!.id;
};

const app = repositoryDirectory('app');
const lockOn = (upstream: string, revision: string) => ({
  directory: app,
  tree: '',
  lock: {
    repo: `https://forge.example/${upstream}.git`,
    directory: '/app',
    ref: `app/${revision}`,
    commit: 'c',
  },
});

/** Which repositories each delivery is about. */
const DELIVERIES: Readonly<Record<string, readonly string[]>> = {
  '00000001-aaaa': ['acme/edge'],
  '00000002-aaaa': ['acme/edge', 'acme/secret'],
};

/** A rollout of blueprints to edge and secret, and to open, which may not be known beside the document. */
function lookAt(control: number): readonly RolloutLook[] {
  const blueprints = catalog.byName('acme/blueprints')!;
  if (control !== blueprints.ref.id) return [];
  const member = (fullName: string, more: Partial<RolloutMember>): RolloutMember => {
    const repository = catalog.byName(fullName)!;
    return {
      id: `${repository.ref.id}:app`,
      name: `${fullName}:app`,
      hidden: false,
      repository,
      path: 'app',
      position: undefined,
      described: { labels: {}, objects: [] },
      at: 'v1',
      standing: 'waiting',
      ...more,
    };
  };
  const gate = {
    published: { kind: 'percent', percent: 100 },
    statuses: ['flux'],
    deployments: [],
    onFailure: 'stop',
  } as const;
  const rollout = {
    name: 'web',
    upstreams: [],
    waves: [
      { name: 'first', select: { repositories: ['edge'] }, gate, pauseAfter: 0 },
      { name: 'rest', select: {}, gate, pauseAfter: 0 },
    ],
  };
  const orders = { skipped: new Map(), done: false };
  const health = { state: 'failure', at: now, what: 'flux' } as const;
  const plan = planRollout({
    rollout,
    downstreams: [
      member('acme/edge', { standing: 'published', publishedAt: now, health }),
      member('acme/secret', {}),
      member('acme/open', { hidden: true, standing: 'out' }),
    ],
    selects: ({ repositories }, { repository }) =>
      repositories === undefined || repositories.includes(repository.ref.name),
    since: now,
    orders,
    now,
  });
  const governed = {
    control: blueprints,
    file: '.github/portico/rollout.yaml',
    rollout,
    upstream: blueprints,
    directory: app,
    path: 'app',
  };
  return [{ governed, revision: 'v3', orders, plan }];
}

function newApi(more: Partial<Parameters<typeof createApi>[0]> = {}): Api {
  return createApi({
    catalog,
    looks: async (control) => lookAt(control),
    why: {
      delivery: async (id) => {
        const refs = DELIVERIES[id]?.map((name) => catalog.byName(name)!.ref);
        return refs ? { why: { about: id, jobs: [], packages: [], leftOut: 0 }, repositories: refs } : null;
      },
      repository: async (home, part) => ({
        about: `${home.ref.owner}/${home.ref.name}`,
        jobs: [],
        packages: [],
        leftOut: 0,
        ...(part.number !== undefined && { pull: { number: part.number, state: 'open', needs: [] } }),
      }),
    },
    askReadable: (token, names, signal) => {
      asked += 1;
      return askReadable({ apiUrl: forge.apiUrl, token }, names, signal);
    },
    refresh: async () => {},
    version: '1.2.3',
    now: () => new Date(now),
    log: createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } }),
    count: () => {},
    ...more,
  });
}

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'portico-api-'));
  const content = join(scratch, 'content');
  mkdirSync(content);
  writeFileSync(join(content, 'README.md'), 'x\n');
  forge = await startForge({
    dataDir: join(scratch, 'forge'),
    manifestFile: 'app.yml',
    config: {
      tokens: Object.fromEntries(PEOPLE.map((login) => [`${login}-token`, { login }])),
      users: PEOPLE.map((login) => ({ login })),
      orgs: [
        { login: 'acme', members: { alice: 'admin' }, teams: [] },
        { login: 'rival', members: { mallory: 'admin' }, teams: [] },
      ],
      repos: Object.entries(REPOSITORIES).map(([fullName, options]) => {
        const [owner = '', name = ''] = fullName.split('/');
        return { owner, name, from: content, ...options };
      }),
      app: { installations: [{ account: 'acme' }, { account: 'rival' }] },
    },
  });
  const put = (fullName: keyof typeof REPOSITORIES, more: Partial<CatalogRepository> = {}): void => {
    const visibility = REPOSITORIES[fullName].private ? 'private' : 'public';
    catalog.put(bareRepository(idOf(fullName), fullName, { visibility, ...more }));
  };
  const revisions = new Map([[app, ['v1', 'v2', 'v3']]]);
  put('acme/blueprints', { revisions, packages: [{ directory: app, tree: '', lock: null }] });
  put('acme/edge', { packages: [lockOn('acme/blueprints', 'v1')] });
  put('acme/secret', { packages: [lockOn('acme/blueprints', 'v3')], mistakes: 2 });
  put('acme/open', { packages: [lockOn('acme/secret', 'v1')] });
  put('rival/theirs', { packages: [lockOn('acme/blueprints', 'v1')] });
  catalog.tell(idOf('acme/edge'), 'app', {
    reason: 'wave-stopped',
    message: 'The rollout web is halted.',
    from: 'v1',
    to: 'v3',
    behindSince: now - 3_600_000,
  });
  // Only a document that fewer people can read asks for it.
  catalog.tell(idOf('acme/edge'), 'hidden', { reason: 'blocked-visibility', message: 'secret' });
  api = newApi();
  const { body } = await get('openapi.json', undefined);
  const description = JSON.parse(body) as Description;
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
  schemas = new Map(
    Object.entries(description.paths).map(([path, { get: operation }]) => [
      path.replace('/api/v1/', ''),
      ajv.compile(operation.responses['200'].content['application/json'].schema),
    ]),
  );
}, 60_000);

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly parameters: readonly { readonly name: string }[];
          readonly responses: { '200': { content: { 'application/json': { schema: object } } } };
        };
      }
    >
  >;
}

afterAll(async () => {
  await forge.close();
  await rm(scratch, { recursive: true, force: true });
});

function get(
  path: string,
  login: string | undefined,
  more: Partial<Parameters<Api>[0]> = {},
  of = api,
): Promise<ApiAnswer> {
  return of({
    method: 'GET',
    url: `/api/v1/${path}`,
    authorization: login === undefined ? undefined : `Bearer ${login}-token`,
    known: undefined,
    sender: '192.0.2.1',
    ...more,
  });
}

interface PageBody {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

/** The page, held against the description. */
async function page(path: string, login: string, of = api): Promise<PageBody> {
  const { status, body } = await get(path, login, {}, of);
  expect({ status, body }).toMatchObject({ status: 200 });
  const parsed = JSON.parse(body) as PageBody;
  const check = schemas.get(path.split('?')[0] ?? '')!;
  void check(parsed);
  expect(check.errors ?? []).toEqual([]);
  return parsed;
}

const codeOf = ({ status, body }: ApiAnswer): string =>
  `${status} ${(JSON.parse(body) as { error: { code: string } }).error.code}`;

describe('what each collection answers', () => {
  test.each([
    ['repositories', 'alice', 'repository', ['acme/blueprints', 'acme/edge', 'acme/open', 'acme/secret']],
    ['repositories', 'bob', 'repository', ['acme/blueprints', 'acme/edge', 'acme/open']],
    ['repositories', 'mallory', 'repository', ['acme/open', 'rival/theirs']],
    ['packages', 'bob', 'repository', ['acme/blueprints', 'acme/edge', 'acme/open']],
    ['revisions', 'bob', 'revision', ['v1', 'v2', 'v3']],
    ['revisions', 'mallory', 'revision', []],
    ['updates', 'bob', 'reason', ['wave-stopped']],
    ['updates', 'mallory', 'reason', []],
    ['drift', 'alice', 'state', ['behind', 'unknown', 'current']],
    // What it is made from may not be read.
    ['drift', 'bob', 'repository', ['acme/edge']],
    ['drift', 'mallory', 'repository', []],
    ['rollouts', 'bob', 'state', ['stopped']],
    ['rollouts', 'mallory', 'state', []],
    ['rollout-members', 'alice', 'downstream', ['acme/edge:app', 'acme/secret:app']],
    ['rollout-members', 'bob', 'downstream', ['acme/edge:app']],
    ['variants', 'alice', 'name', []],
  ] as const)('%s, for %s', async (path, login, field, expected) => {
    const { items, next } = await page(path, login);
    expect(items.map((row) => row[field])).toEqual(expected);
    expect(next).toBeNull();
  });

  test('has rows of everything that its description names', async () => {
    const [drift] = (await page('drift?repository=acme/edge', 'alice')).items;
    expect(drift).toEqual({
      repository: 'acme/edge',
      package: 'app',
      upstream: 'acme/blueprints:app',
      at: 'v1',
      upstreamRevision: 'v1',
      newest: 'v3',
      behind: 2,
      behindSince: '2025-12-31T23:00:00.000Z',
      state: 'behind',
    });
    const [rollout] = (await page('rollouts', 'alice')).items;
    expect(rollout).toMatchObject({
      rollout: 'web',
      package: 'acme/blueprints:app',
      why: expect.stringContaining('acme/edge:app is not healthy'),
      waves: [
        { name: 'first', state: 'failed' },
        { name: 'rest', state: 'waiting', counted: 1 },
      ],
    });
    const { items } = await page('rollout-members?wave=first', 'alice');
    expect(items).toMatchObject([{ health: { state: 'failure', what: 'flux' } }]);
    expect((await page('repositories?repository=acme/secret', 'alice')).items).toMatchObject([
      { mistakes: 2 },
    ]);
    expect((await page('updates?reason=limit', 'alice')).items).toEqual([]);
    // A version of a chart is no revision of an upstream.
    catalog.tell(idOf('acme/edge'), 'shop', { reason: 'limit', message: '', to: 'chart@1.1.0' });
    const [chart] = (await page('updates?reason=limit', 'alice')).items;
    catalog.untell(idOf('acme/edge'), 'shop');
    expect(chart).toMatchObject({ to: 'chart@1.1.0' });
    expect(chart).not.toHaveProperty('upstreamRevision');
  });
});

const about = (subject: string): string => `why?about=${encodeURIComponent(subject)}`;

describe('why', () => {
  test.each([
    ['alice', '00000002-aaaa', 200],
    ['bob', '00000001-aaaa', 200],
    // One of its two repositories may not be read.
    ['bob', '00000002-aaaa', 404],
    ['mallory', '00000001-aaaa', 404],
    ['alice', '00000003-aaaa', 404],
    ['bob', 'acme/edge#3', 200],
    ['bob', 'acme/secret', 404],
    ['mallory', 'acme/edge:app', 404],
    ['alice', 'acme/absent', 404],
    ['alice', 'acme', 400],
    ['alice', 'acme/edge#x', 400],
  ] as const)('%s asks about %s: %i', async (login, subject, expected) => {
    const answered = await get(about(subject), login);
    expect(answered.status).toBe(expected);
    if (expected !== 200) return;
    const check = schemas.get('why')!;
    void check(JSON.parse(answered.body));
    expect(check.errors ?? []).toEqual([]);
  });

  test('a webhook that is unknown and one that is hidden are answered alike', async () => {
    const [hidden, unknown] = [
      await get(about('00000002-aaaa'), 'bob'),
      await get(about('00000003-aaaa'), 'bob'),
    ];
    expect(hidden).toEqual(unknown);
    expect(codeOf(hidden)).toBe('404 NO_DELIVERY');
    expect(codeOf(await get(about('00000001-aaaa'), undefined))).toBe('401 NO_TOKEN');
  });
});

describe('pages', () => {
  test('of one row each hold every row once, and name nothing hidden', async () => {
    for (const login of ['alice', 'bob', 'mallory']) {
      for (const { path } of COLLECTIONS) {
        const whole = (await page(path, login)).items;
        const rows: object[] = [];
        let next: string | null = '';
        while (next !== null) {
          const fresh = newApi();
          const one: PageBody = await page(
            `${path}?limit=1${next === '' ? '' : `&cursor=${next}`}`,
            login,
            fresh,
          );
          rows.push(...one.items);
          ({ next } = one);
          const cursor = Buffer.from(next ?? '', 'base64url').toString();
          if (login !== 'alice') expect(cursor).not.toContain('secret');
        }
        expect({ login, path, rows }).toEqual({ login, path, rows: whole });
      }
    }
  });

  test('that are known are not sent again, as long as nothing changed', async () => {
    const first = await get('updates', 'bob');
    now += 1_000;
    const again = await get('updates', 'bob', { known: first.headers['etag'] });
    expect(again).toMatchObject({ status: 304, body: '' });
    const { headers } = await get('updates', 'mallory', { known: first.headers['etag'] });
    expect(headers).toMatchObject({ vary: 'Authorization', 'cache-control': 'private, no-cache' });
    catalog.tell(idOf('acme/edge'), 'app2', { reason: 'limit', message: '' });
    expect(await get('updates', 'bob', { known: first.headers['etag'] })).toMatchObject({ status: 200 });
    catalog.untell(idOf('acme/edge'), 'app2');
  });
});

describe('attacks', () => {
  test.each([
    ['no token', 'packages', { authorization: undefined }, '401 NO_TOKEN'],
    ['a password', 'packages', { authorization: 'Basic YTpi' }, '401 NO_TOKEN'],
    ['a token with a line break', 'packages', { authorization: 'Bearer a\nb' }, '401 NO_TOKEN'],
    ['a token that is none', 'packages', { authorization: 'Bearer ghp_none' }, '401 TOKEN_REFUSED'],
    [
      'the same where nothing is asked of the forge',
      'packages?owner=nobody',
      { authorization: 'Bearer ghp_other' },
      '401 TOKEN_REFUSED',
    ],
    [
      'a token of another organisation',
      'packages?repository=acme/edge',
      { authorization: 'Bearer mallory-token' },
      '404 NOT_FOUND',
    ],
    ['a repository that is not there', 'packages?repository=acme/nothing', {}, '404 NOT_FOUND'],
    ['a repository that may not be read', 'packages?repository=acme/secret', {}, '404 NOT_FOUND'],
    ['a path out of the API', '../../healthz', {}, '404 NO_SUCH_PATH'],
    ['a path that is not there', 'packages/x', {}, '404 NO_SUCH_PATH'],
    ['a write', 'packages', { method: 'POST' }, '405 METHOD'],
    ['a huge query', `packages?package=${'a'.repeat(5_000)}`, {}, '414 TOO_LONG'],
    ['a huge page', 'packages?limit=100000', {}, '400 BAD_QUERY'],
    ['a parameter that is not there', 'packages?__proto__=1', {}, '400 BAD_QUERY'],
    ['a parameter twice', 'packages?limit=1&limit=2', {}, '400 BAD_QUERY'],
    ['a repository that is no name', 'packages?repository=..%2F..%2Fetc', {}, '400 BAD_QUERY'],
    ['a cursor of something else', 'packages?cursor=bm9uZQ', {}, '400 BAD_QUERY'],
  ])('%s: %s', async (_what, path, more, expected) => {
    expect(codeOf(await get(path, 'bob', more, newApi()))).toBe(expected);
  });

  test('what is hidden and what is absent cost and say the same', async () => {
    const fresh = newApi();
    await get('packages', 'bob', {}, fresh);
    const seen: unknown[] = [];
    for (const name of ['acme/nothing', 'rival/theirs']) {
      now += 120_000;
      await get('packages?owner=nobody', 'bob', {}, fresh);
      const before = asked;
      const answer = await get(`packages?repository=${name}`, 'bob', {}, fresh);
      seen.push([asked - before, answer]);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject([1, { status: 404 }]);
  });

  test('a right that is taken away ends within a minute', async () => {
    const fresh = newApi();
    const rows = async () => (await page('packages', 'bob', fresh)).items.length;
    expect(await rows()).toBe(3);
    await octokitAs(forge.apiUrl, 'alice-token').rest.repos.removeCollaborator({
      owner: 'acme',
      repo: 'edge',
      username: 'bob',
    });
    now += 60_000;
    expect(await rows()).toBe(2);
  });

  test('a name that another repository has taken shows nothing of the one that had it', async () => {
    const ghost = bareRepository(987_654, 'rival/theirs2', { packages: [lockOn('acme/blueprints', 'v1')] });
    catalog.put({ ...ghost, ref: { ...ghost.ref, owner: 'acme', name: 'taken' } });
    const fresh = newApi({
      askReadable: async (_token, names) => new Map(names.map((name) => [name, 1])),
    });
    expect(codeOf(await get('packages?repository=acme/taken', 'bob', {}, fresh))).toBe('404 NOT_FOUND');
    catalog.remove(987_654);
  });

  test('a forge that does not answer, or not in time, shows nothing', async () => {
    const deaf = newApi({
      askReadable: (token, names, signal) =>
        askReadable({ apiUrl: 'http://127.0.0.1:9', token }, names, signal),
    });
    expect(codeOf(await get('packages', 'alice', {}, deaf))).toBe('503 FORGE_UNAVAILABLE');
    expect(lines.join('')).toContain('the API could not answer');
    expect(lines.join('')).not.toContain('alice-token');
    forge.knobs.graphqlFault = { kind: 'rate-limit', times: 1 };
    expect(codeOf(await get('packages', 'alice', {}, newApi()))).toBe('429 FORGE_LIMIT');
    forge.knobs.graphqlFault = { kind: 'untyped', times: 1 };
    expect(codeOf(await get('packages', 'alice', {}, newApi()))).toBe('503 FORGE_UNAVAILABLE');
  });

  test('an answer of the forge with an error that says nothing about a repository shows nothing', async () => {
    const found = { databaseId: idOf('acme/edge'), defaultBranchRef: { name: 'main' } };
    const server = createServer((_request, response) => {
      const errors = [{ message: 'Something went wrong while executing your query.' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: { rateLimit: { cost: 1 }, r0: found, r1: found }, errors }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asking = newApi({
      askReadable: (token, names, signal) => askReadable({ apiUrl, token }, names, signal),
    });
    expect(codeOf(await get('packages?repository=acme/edge', 'alice', {}, asking))).toBe(
      '503 FORGE_UNAVAILABLE',
    );
    server.close();
  });

  test('who asks too often waits, and many wrong tokens do not reach the forge', async () => {
    const fresh = newApi();
    for (let at = 0; at < MAX_REQUESTS_PER_MINUTE; at += 1) await get('packages?limit=0', 'bob', {}, fresh);
    const slowed = await get('packages', 'bob', {}, fresh);
    expect([codeOf(slowed), slowed.headers['retry-after']]).toEqual(['429 TOO_MANY', '1']);
    const before = asked;
    const answers: string[] = [];
    for (let at = 0; at < 50; at += 1)
      answers.push(codeOf(await get('packages', undefined, { authorization: `Bearer wrong-${at}` }, fresh)));
    expect(asked - before).toBe(20);
    expect(answers.slice(20)).toEqual(Array.from({ length: 30 }, () => '429 TOO_MANY'));
  });

  test('a token that was accepted is answered however many strangers ask, also from its own address', async () => {
    const fresh = newApi();
    expect(await get('packages', 'bob', {}, fresh)).toMatchObject({ status: 200 });
    // What the forge said is believed no longer, and is asked again.
    now += 61_000;
    for (let at = 0; at < 150; at += 1) {
      const sender = at < 30 ? undefined : `192.0.2.${at}`;
      const stranger = { authorization: `Bearer wrong-${at}`, ...(sender && { sender }) };
      await get('packages', undefined, stranger, fresh);
    }
    expect(
      codeOf(await get('packages', undefined, { authorization: 'Bearer new', sender: '192.0.2.1' }, fresh)),
    ).toBe('429 TOO_MANY');
    const before = asked;
    expect(await get('packages', 'bob', {}, fresh)).toMatchObject({ status: 200 });
    expect(asked).toBeGreaterThan(before);
    // A day without a question, and it is a stranger again.
    now += 86_400_000;
    for (let at = 0; at < 20; at += 1)
      await get('packages', undefined, { authorization: `Bearer again-${at}` }, fresh);
    expect(codeOf(await get('packages', 'bob', {}, fresh))).toBe('429 TOO_MANY');
  });
});

test('the description is of OpenAPI 3.1, needs no token, and names every collection with its filters', async () => {
  const { status, body } = await get('openapi.json', undefined);
  const description = JSON.parse(body) as Description;
  expect([status, description.openapi]).toEqual([200, '3.1.0']);
  expect(Object.keys(description.paths)).toEqual([...COLLECTIONS, WHY].map(({ path }) => `/api/v1/${path}`));
  for (const { path, filters } of COLLECTIONS) {
    const names = description.paths[`/api/v1/${path}`]!.get.parameters.map(({ name }) => name);
    expect(names).toEqual(['repository', 'owner', 'limit', 'cursor', ...filters, 'If-None-Match']);
  }
  expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(openApiDocument(VERSION))),
  );
  // Nothing refers to what is not there.
  const references = [...body.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to);
  expect([...new Set(references)]).toEqual(['#/components/schemas/Failure']);
});

test('docs/api.md names every collection with its filters, and every code', () => {
  const manual = readFileSync('docs/api.md', 'utf8');
  for (const { path, filters } of COLLECTIONS) {
    expect(manual).toContain(`| \`${path}\` |`);
    for (const filter of filters) expect(manual).toMatch(new RegExp(`\\| \`${path}\` \\|.*\`${filter}\``));
  }
  const source = ['api', 'door', 'message']
    .map((name) => readFileSync(`src/api/${name}.ts`, 'utf8'))
    .join('');
  const codes = new Set([...source.matchAll(/code: '([A-Z_]+)'/g)].map(([, code = '']) => code));
  for (const code of codes) expect(manual).toContain(`\`${code}\``);
});
