import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { createCredentials } from '../../src/fetching/credentials.ts';
import { createSourceCache } from '../../src/fetching/source-cache.ts';
import type { OutsideRequest } from '../../src/network/outside-fetch.ts';
import { tar } from '../archive/archives.ts';
import { startGitServer, type GitServer } from '../git/http-backend.ts';
import { sourceHost, syncTexts, type Texts } from '../sources/syncing.ts';
import { contentServer, sha256, tgz, type ContentServer } from './content-server.ts';

let http: ContentServer;

beforeAll(async () => {
  http = await contentServer();
});
beforeEach(() => {
  http.files.clear();
  http.requests.length = 0;
  http.intercept = undefined;
});
afterAll(() => http[Symbol.asyncDispose]());

function app(...sources: readonly string[]): Texts {
  const listed = sources.map((source) => `- ${source}\n`).join('');
  return {
    'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1\nkind: Sources\nsources:\n${listed}`,
  };
}

function redis(repository: string, credentials: string): Texts {
  return app(`{ id: a, helm: { repository: "${repository}", chart: redis }, credentials: ${credentials} }`);
}

const refused = (code: string, message?: string) =>
  expect.objectContaining({ code, ...(message && { message: expect.stringContaining(message) }) });

describe('archives at addresses', () => {
  test('that are slow, endless, elsewhere, gone or no archive are given up with the reason', async () => {
    http.intercept = ({ url }, response) => {
      if (url === '/silent') return response.write('x') || true;
      if (url === '/endless') {
        const more = (): void => void (response.destroyed || response.write(Buffer.alloc(1 << 20), more));
        more();
        return true;
      }
      const to = {
        '/inside': 'http://localhost:1/',
        '/metadata': 'http://169.254.169.254/',
        '/round': '/round',
      };
      const location = to[url as keyof typeof to];
      if (location !== undefined) response.writeHead(302, { location }).end();
      else if (url === '/denied') response.writeHead(403).end();
      else if (url === '/busy') response.writeHead(503, { 'retry-after': '7' }).end();
      else return false;
      return true;
    };
    http.files.set('/page.html', Buffer.from('<html></html>'));
    const [host, hasty] = [sourceHost([http.host]), sourceHost([http.host], { silentMs: 100 })];
    const failure = async (path: string, on = host): Promise<unknown> =>
      syncTexts(app(`{ id: a, http: { url: "${http.url}${path}" } }`), on).catch((error: unknown) => error);
    expect(await failure('/silent', hasty)).toMatchObject({ code: expect.stringMatching(/_UNREACHABLE$/) });
    expect(await failure('/endless')).toEqual(refused('SOURCE_LIMIT', 'bytes'));
    expect(await failure('/inside')).toEqual(refused('ADDRESS_REFUSED'));
    expect(await failure('/metadata')).toEqual(refused('ADDRESS_REFUSED'));
    expect(await failure('/round')).toEqual(refused('SOURCE_REFUSED', 'more than 5 times'));
    expect(await failure('/denied')).toEqual(refused('SOURCE_REFUSED', '403'));
    expect(await failure('/busy')).toMatchObject({ code: 'SOURCE_UNREACHABLE', retryAfter: 7 });
    expect(await failure('/none')).toEqual(refused('SOURCE_NOT_FOUND'));
    expect(await failure('/page.html')).toEqual(refused('ARCHIVE_CORRUPT'));
    for (const url of [
      'https://127.0.0.1/a',
      'https://registry.svc/a',
      'https://[::1]/a',
      'http://example.com/a',
    ]) {
      const asked = syncTexts(app(`{ id: a, http: { url: "${url}" } }`), host);
      await expect(asked, url).rejects.toEqual(refused('ADDRESS_REFUSED'));
    }
  });

  test('that hold links, twins or nothing of what is wanted are refused whole', async () => {
    const link = tar({ name: 'a.yaml', body: 'a' }, { name: 'out', type: '2' });
    http.files.set('/link.tgz', gzipSync(link));
    http.files.set('/twins.tgz', tgz({ 'A.yaml': 'a', 'a.yaml': 'b' }));
    http.files.set('/slip.tgz', tgz({ '../../etc/passwd': 'x' }));
    http.files.set('/some.tgz', tgz({ 'docs/a.md': 'a', LICENSE: 'free' }));
    const host = sourceHost([http.host]);
    const asked = (path: string, more = '') =>
      syncTexts(app(`{ id: a, http: { url: "${http.url}${path}" }${more} }`), host);
    await expect(asked('/link.tgz')).rejects.toEqual(refused('ARCHIVE_ENTRY', 'symbolic link'));
    await expect(asked('/twins.tgz')).rejects.toEqual(refused('ARCHIVE_COLLISION'));
    await expect(asked('/slip.tgz')).rejects.toEqual(refused('ARCHIVE_PATH'));
    await expect(asked('/some.tgz', ', newRoot: config')).rejects.toEqual(refused('SOURCE_EMPTY', 'config'));
    await expect(asked('/some.tgz', ', include: ["**/*.yaml"]')).rejects.toEqual(refused('SOURCE_EMPTY'));
  });
});

test('sources that are each within their limits are not too much together', async () => {
  http.files.set('/large.tar', tar({ name: 'large.yaml', body: '#'.repeat(15 * 1024 * 1024) }));
  const nine = Array.from({ length: 9 }, (_, at) => `{ id: s${at}, http: { url: "${http.url}/large.tar" } }`);
  await expect(syncTexts(app(...nine), sourceHost([http.host]))).rejects.toEqual(
    refused('SOURCE_LIMIT', 'with s8 the package has'),
  );
});

test('an address is asked once in an interval for all packages, by its ETag after that, and a pin never', async () => {
  http.files.set('/a.tgz', tgz({ 'a.yaml': '1' }));
  let now = 0;
  const cache = createSourceCache({ now: () => now, intervalMs: 1_000, failureMs: 100 });
  const host = sourceHost([http.host], { cache });
  const floating = app(`{ id: a, http: { url: "${http.url}/a.tgz" } }`);
  const all = await Promise.all(Array.from({ length: 200 }, () => syncTexts(floating, host)));
  expect(http.requests).toEqual(['GET /a.tgz 200']);
  const [{ texts: pinned } = { texts: {} }] = all;
  now = 1_001;
  await Promise.all(Array.from({ length: 20 }, () => syncTexts(floating, host)));
  expect(http.requests.splice(0)).toEqual(['GET /a.tgz 200', 'GET /a.tgz 304']);

  now = 2_002;
  expect((await syncTexts(pinned, host)).differences).toEqual([]);
  expect((await syncTexts(pinned, host, { locked: true })).differences).toEqual([]);
  expect(http.requests).toEqual([]);

  http.files.set('/a.tgz', tgz({ 'a.yaml': '2' }));
  expect((await syncTexts(pinned, host, { update: 'all' })).texts['a/a.yaml']).toBe('2');
  http.files.delete('/a.tgz');
  now = 4_000;
  const gone = async () => syncTexts(floating, host).catch((error: unknown) => error);
  expect([await gone(), await gone()]).toEqual([refused('SOURCE_NOT_FOUND'), refused('SOURCE_NOT_FOUND')]);
  now = 4_200;
  expect(await gone()).toEqual(refused('SOURCE_NOT_FOUND'));
  expect(http.requests).toEqual(['GET /a.tgz 200', 'GET /a.tgz 404', 'GET /a.tgz 404']);
});

test('a credential goes to the hosts that it is for and to nobody else, and no message holds it', async () => {
  await using other = await contentServer();
  const chart = tgz({ 'redis/Chart.yaml': 'name: redis' });
  other.files.set('/redis.tgz', chart);
  const index = `entries:\n  redis:\n  - version: 1.0.0\n    urls: ["${other.url}/redis.tgz"]\n`;
  http.files.set('/index.yaml', Buffer.from(index));
  const text = `credentials:
- { name: charts, hosts: ["${http.host}"], username: robot, passwordEnv: CHARTS }
- { name: theirs, hosts: ["${http.host}"], organizations: [others], password: hidden }\n`;
  const credentialFor = createCredentials({
    file: { name: 'credentials.yaml', bytes: Buffer.from(text) },
    env: { CHARTS: 's3cret-s3cret' },
    readText: () => '',
    organization: 'acme',
  });
  const host = sourceHost([http.host, other.host], { credentialFor });
  await syncTexts(redis(http.url, 'charts'), host);
  expect(http.last.authorization).toBe(`Basic ${Buffer.from('robot:s3cret-s3cret').toString('base64')}`);
  expect(other.requests).toEqual(['GET /redis.tgz 200']);
  expect(other.last.authorization).toBeUndefined();

  // A redirect elsewhere takes no credential along.
  http.intercept = ({ url }, response) =>
    url === '/moved.tgz' && Boolean(response.writeHead(302, { location: `${other.url}/redis.tgz` }).end());
  const moved = `{ id: b, http: { url: "${http.url}/moved.tgz" }, credentials: charts }`;
  expect((await syncTexts(app(moved), host)).sources[0]?.resolved).toContain(`${http.url}/moved.tgz@sha256:`);
  expect(http.last.authorization).toMatch(/^Basic /);
  expect(other.last.authorization).toBeUndefined();

  for (const [url, name] of [
    [other.url, 'charts'],
    [http.url, 'theirs'],
    [http.url, 'unknown'],
  ] as const) {
    const error = await syncTexts(redis(url, name), host).catch((cause: unknown) => cause);
    expect(error).toEqual(refused('SOURCE_CREDENTIALS'));
    expect(String(error)).not.toMatch(/s3cret|hidden/);
  }
  const broken = {
    name: 'c.yaml',
    bytes: Buffer.from('credentials: [{ name: a, password: s3cret-s3cret }]'),
  };
  expect(() => createCredentials({ file: broken, env: {}, readText: () => '' })).toThrow(
    expect.objectContaining({ code: 'CREDENTIALS_FILE', message: expect.not.stringContaining('s3cret') }),
  );
});

function index(url: string): Buffer {
  return Buffer.from(`entries:\n  redis:\n  - version: 1.0.0\n    urls: ["${url}"]\n`);
}

describe('what an index says', () => {
  const chart = app('{ id: a, helm: { repository: "https://charts.example", chart: redis } }');

  test('leads from outside to no host inside, not even to one that may be reached', async () => {
    http.files.set('/secret.tgz', tgz({ 'redis/Chart.yaml': 'name: redis' }));
    const inner = sourceHost([http.host]);
    const host = {
      ...inner,
      fetch: (url: URL, request?: OutsideRequest) =>
        url.host === 'charts.example'
          ? Promise.resolve(new Response(index(`${http.url}/secret.tgz`)))
          : inner.fetch(url, request),
    };
    await expect(syncTexts(chart, host)).rejects.toEqual(
      refused('ADDRESS_REFUSED', 'in an internal network'),
    );
    expect(http.requests).toEqual([]);
  });

  test('holds a lock to it: another archive is not passed off as its chart', async () => {
    await using other = await contentServer();
    http.files.set('/redis.tgz', tgz({ 'redis/Chart.yaml': 'name: redis' }));
    http.files.set('/index.yaml', index('redis.tgz'));
    const evil = tgz({ 'redis/Chart.yaml': 'name: evil' });
    other.files.set('/evil.tgz', evil);
    const host = sourceHost([http.host, other.host]);
    const texts = app(`{ id: a, helm: { repository: "${http.url}", chart: redis } }`);
    const locked = (await syncTexts(texts, host)).texts;
    expect((await syncTexts(locked, host, { locked: true })).differences).toEqual([]);
    const lock = 'portico-sources.lock.yaml';
    const forged =
      locked[lock]?.replace(/resolved: .*/, `resolved: ${other.url}/evil.tgz@sha256:${sha256(evil)}`) ?? '';
    await expect(syncTexts({ ...locked, [lock]: forged }, host, { locked: true })).rejects.toEqual(
      refused('SOURCE_CHANGED', `the lock pins redis 1.0.0 to ${other.url}/evil.tgz`),
    );
    expect(other.requests).toEqual([]);
  });
});

describe('repositories', () => {
  let git: GitServer;
  beforeAll(async () => {
    git = await startGitServer();
  });
  afterAll(() => git[Symbol.asyncDispose]());

  test('give no commit of somebody else for a tag, whatever a lock says', async () => {
    const bare = git.create('forked');
    git.token = undefined;
    const script = `set -e; git init -q -b main fork; cd fork; id="-c user.name=A -c user.email=a@example.com"
      echo good > a.yaml; git add -A; git $id commit -q -m good; git tag v1.0.0; git push -q "$1" main v1.0.0
      echo evil > a.yaml; git $id commit -q -a -m evil; git push -q "$1" HEAD:refs/pull/1/head; git rev-parse v1.0.0 HEAD`;
    const [good = '', evil = ''] = execFileSync('bash', ['-c', script, 'bash', bare], { cwd: git.root })
      .toString()
      .split('\n');
    const host = () => sourceHost([new URL(git.url).host]);
    for (const which of ['ref: v1.0.0', 'semver: ^1', `ref: ${good}`]) {
      const texts = app(`{ id: a, git: { repo: "${git.url}/forked", ${which} } }`);
      const locked = (await syncTexts(texts, host())).texts;
      expect((await syncTexts(locked, host(), { locked: true })).differences).toEqual([]);
      const lock = 'portico-sources.lock.yaml';
      const forged = { ...locked, [lock]: locked[lock]?.replaceAll(good, evil) ?? '' };
      if (which.includes(good))
        forged[lock] = locked[lock]?.replace(`forked@${good}`, `forked@${evil}`) ?? '';
      await expect(syncTexts(forged, host(), { locked: true }), which).rejects.toEqual(
        refused('SOURCE_CHANGED', evil),
      );
    }
  });

  test('are read with the credential alone; links, hooks and settings of theirs count for nothing', async () => {
    git.token = 'ghs_secret';
    const bare = git.create('hostile');
    const script = `set -e; git init -q -b main work; cd work; mkdir -p sub ok; ln -s /etc/passwd sub/link
      echo 1 > ok/a.yaml; echo '* filter=evil' > .gitattributes; git add -A
      git -c user.name=A -c user.email=a@example.com commit -q -m c; git push -q "$1" main`;
    execFileSync('bash', ['-c', script, 'bash', bare], { cwd: git.root });
    const credentials = `credentials:\n- { name: forge, hosts: ["${new URL(git.url).host}"], password: ghs_secret }\n`;
    const credentialFor = createCredentials({
      file: { name: 'c.yaml', bytes: Buffer.from(credentials) },
      env: {},
      readText: () => '',
    });
    const hosts = [new URL(git.url).host];
    const source = (more: string) => app(`{ id: a, git: { repo: "${git.url}/hostile" }${more} }`);
    await expect(syncTexts(source(''), sourceHost(hosts))).rejects.toEqual(refused('GIT_AUTH'));
    const host = sourceHost(hosts, { credentialFor });
    const named = ', credentials: forge';
    await expect(syncTexts(source(named), host)).rejects.toEqual(refused('SOURCE_LINK', 'sub/link'));
    const taken = await syncTexts(source(`${named}, exclude: ["sub/**"]`), host);
    expect(Object.keys(taken.texts).filter((path) => path.startsWith('a/'))).toEqual([
      'a/.gitattributes',
      'a/ok/a.yaml',
    ]);
    await expect(syncTexts(app('{ id: a, git: { repo: "https://10.0.0.1/a/b" } }'), host)).rejects.toEqual(
      refused('ADDRESS_REFUSED'),
    );
  });
});
