import { existsSync, readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { parseTarget, parseUpstream } from '../../src/cli/upstream-location.ts';
import { portico, run, scratch } from './run-portico.ts';
import type { Scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';
import type { UpstreamRepo } from './upstream-repo.ts';

const PACKAGE = {
  'db/Kptfile': `apiVersion: kpt.dev/v1 # the version
kind: Kptfile
metadata:
  name: database
  labels: { tier: data }
info:
  description: one database
  keywords: [sql]
pipeline:
  mutators:
    # every resource
    - image: set-labels:v0.2
      configMap:
        team: orders
`,
  'db/statefulset.yaml': `---
# The database itself
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
  namespace: shop

spec:
    replicas:   1  # one is enough
`,
  'db/two.yml': `apiVersion: v1
kind: ConfigMap
metadata: # ours
  name: settings
---
apiVersion: v1
kind: Service
metadata:
  name: db
  annotations:
    a: b
`,
  'db/broken.yaml': 'a: [\n',
  'db/data.json': '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "j"}}\n',
  'db/flow.yaml': '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "flow"}}\n',
  'db/README.md': '# Database\n',
  'db/backup/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: backup\n',
  'db/backup/job.yaml': 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: backup\n',
  'other/a.yaml': 'apiVersion: v1\nkind: A\nmetadata:\n  name: other\n',
};

const LOCK =
  /upstreamLock:\n {2}type: git\n {2}git:\n {4}repo: (.*)\n {4}directory: \/db\n {4}ref: (.*)\n {4}commit: ([0-9a-f]{40})\n/;

interface KptfileData {
  readonly metadata: { readonly labels: unknown };
  readonly upstream: { readonly git: Record<string, string> };
  readonly upstreamLock: { readonly git: Record<string, string> };
}

function kptfileOf(dir: Scratch, name: string): KptfileData {
  return parse(readFileSync(dir.path(`${name}/Kptfile`), 'utf8')) as KptfileData;
}

describe('get', () => {
  const home = scratch();
  let shared: { readonly repo: UpstreamRepo; readonly commit: string };
  beforeAll(async () => {
    const repo = await upstreamRepo(home);
    shared = { repo, commit: await repo.commit(PACKAGE, 'db/v1') };
  });
  afterAll(() => home[Symbol.dispose]());

  test('a package by its short revision: nothing but the link and the markers is new', async () => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    const commit = await repo.commit(PACKAGE, 'db/v1', 'v1');
    await repo.commit({ 'db/README.md': '# Newer\n' });

    const { code, stdout } = await portico(['get', `${repo.url}/db@v1`, 'orders-db'], { cwd: dir.path('.') });
    expect([code, stdout]).toEqual([0, `orders-db: 9 files from ${dir.path('blueprints')}/db\n`]);
    const live = await portico(['clone', `${repo.url}/db@v1`, 'live', '--for-deployment'], {
      cwd: dir.path('.'),
    });
    expect(live.code).toBe(0);
    // As kpt does, and told where it went.
    const inside = await portico(['get', `${repo.url}/db@v1`, 'live'], { cwd: dir.path('.') });
    expect([inside.code, inside.stdout]).toEqual([0, `live/db: 9 files from ${dir.path('blueprints')}/db\n`]);
    expect(dir.read('live')['package-context.yaml']).toMatch(
      /name: kptfile\.kpt\.dev\n[^]*\n {2}name: live\n/,
    );
    const files = dir.read('orders-db');
    expect(
      Object.keys(files)
        .map((path) => `db/${path}`)
        .sort(),
    ).toEqual(
      Object.keys(PACKAGE)
        .filter((path) => path.startsWith('db/'))
        .sort(),
    );
    for (const same of ['README.md', 'broken.yaml', 'data.json', 'flow.yaml', 'backup/Kptfile'] as const) {
      expect(files[same]).toBe(PACKAGE[`db/${same}`]);
    }
    expect(files['statefulset.yaml']).toBe(
      PACKAGE['db/statefulset.yaml']
        .replace('metadata:\n', 'metadata: # kpt-merge: shop/db\n')
        .replace(
          'namespace: shop\n',
          'namespace: shop\n  annotations:\n    internal.kpt.dev/upstream-identifier: apps|StatefulSet|shop|db\n',
        ),
    );
    expect(files['two.yml']).toContain('metadata: # kpt-merge: /settings\n  # ours\n  name: settings\n');
    expect(files['Kptfile']).toContain('    # every resource\n');
    expect(LOCK.exec(files['Kptfile']!)?.slice(1)).toEqual([dir.path('blueprints'), 'db/v1', commit]);
    expect(kptfileOf(dir, 'orders-db')).toMatchObject({
      metadata: { name: 'orders-db', labels: { tier: 'data' } },
      upstream: { type: 'git', git: { directory: '/db', ref: 'v1' }, updateStrategy: 'resource-merge' },
    });
  });

  test.each<[string, (commit: string) => string, string, string]>([
    ['the default branch', () => '', 'main', 'main'],
    ['a branch', () => '@main', 'main', 'main'],
    ['a full tag', () => '@db/v1', 'db/v1', 'db/v1'],
    ['a commit', (commit) => `@${commit}`, 'COMMIT', 'COMMIT'],
    ['an abbreviated commit', (commit) => `@${commit.slice(0, 9)}`, 'SHORT', 'SHORT'],
  ])('%s', async (_, suffix, ref, locked) => {
    using dir = scratch();
    const { repo, commit } = shared;
    const { code, stdout } = await portico(['get', `${repo.url}/db${suffix(commit)}`, '--json'], {
      cwd: dir.path('.'),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ directory: dir.path('db'), name: 'db' });
    const { upstream, upstreamLock } = kptfileOf(dir, 'db');
    expect([upstream.git['ref'], upstreamLock.git['ref'], upstreamLock.git['commit']]).toEqual([
      ref.replace('COMMIT', commit).replace('SHORT', commit.slice(0, 9)),
      locked.replace('COMMIT', commit).replace('SHORT', commit.slice(0, 9)),
      commit,
    ]);
  });

  test('a subpackage that only points at its upstream is fetched too', async () => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    await repo.commit({
      ...PACKAGE,
      'app/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n',
      'app/store/Kptfile': `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: store\nupstream:\n  type: git\n  git:\n    repo: ${repo.url}\n    directory: /db\n    ref: main\n`,
    });
    expect((await portico(['get', `${repo.url}/app`], { cwd: dir.path('.') })).code).toBe(0);
    expect(Object.keys(dir.read('app'))).toContain('store/backup/job.yaml');
    expect(kptfileOf(dir, 'app/store')).toMatchObject({
      metadata: { name: 'store' },
      upstreamLock: { git: { directory: '/db' } },
    });
  });

  test.each<[string, string, RegExp, number]>([
    ['no such revision', '/db@v9', /has no tag, branch or commit v9/, 65],
    ['no such directory', '/nothing@main', /has no directory \/nothing/, 65],
    ['no package there', '/other', /there is no Kptfile in \/other/, 65],
    ['an option in the revision', '/db@--upload-pack=x', /has no tag, branch or commit/, 65],
    ['a way out', '/../db', /leads outside the repository/, 64],
  ])('%s', async (_, suffix, message, exit) => {
    using dir = scratch();
    const { repo } = shared;
    const { code, stderr } = await portico(['get', `${repo.url}${suffix}`, 'x'], { cwd: dir.path('.') });
    expect([code, existsSync(dir.path('x'))]).toEqual([exit, false]);
    expect(stderr).toMatch(message);
  });

  test.each(['ext::sh -c "touch pwned" .git/x', 'fd::17.git/x', 'transport::address.git/x'])(
    '%s starts nothing',
    async (address) => {
      using dir = scratch();
      const { code } = await portico(['get', address, 'x'], { cwd: dir.path('.') });
      expect(code).toBeGreaterThan(0);
      expect(existsSync(dir.path('pwned'))).toBe(false);
    },
  );

  test('a file stands where the directory would', async () => {
    using dir = scratch();
    dir.write({ x: 'a file' });
    const { code, stderr } = await portico(['get', `${shared.repo.url}/db`, 'x'], { cwd: dir.path('.') });
    expect([code, stderr]).toEqual([64, expect.stringContaining('x already exists')]);
    const below = await portico(['get', `${shared.repo.url}/db`, 'x/y'], { cwd: dir.path('.') });
    expect([below.code, below.stderr]).toEqual([
      65,
      expect.stringContaining('x/y is not a directory, or is below a file'),
    ]);
  });

  test('a repository that is not there', async () => {
    using dir = scratch();
    const { code, stderr } = await portico(['get', `${dir.path('none')}.git/db`, 'x'], {
      cwd: dir.path('.'),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not appear to be a git repository/);
  });
});

describe('addresses', () => {
  test.each<[string, string, string, string | undefined]>([
    ['https://github.com/acme/blueprints.git/a/b@v1', 'https://github.com/acme/blueprints', '/a/b', 'v1'],
    ['https://github.com/acme/blueprints.git', 'https://github.com/acme/blueprints', '/', undefined],
    ['https://github.com/acme/blueprints/a@v1', 'https://github.com/acme/blueprints', '/a', 'v1'],
    ['ssh://git@host/x.git@main', 'ssh://git@host/x', '/', 'main'],
    ['git@github.com:acme/blueprints.git/a@a/v2', 'git@github.com:acme/blueprints', '/a', 'a/v2'],
    ['../up.git/a/', '/here/../up', '/a', undefined],
    ['./work/.git/a', '/here/./work', '/a', undefined],
  ])('%s', (typed, repo, directory, ref) => {
    expect(parseUpstream(typed, (path) => (path.startsWith('/') ? path : `/here/${path}`))).toEqual({
      repo,
      directory,
      ref,
    });
  });

  test.each([
    ['app@v2', ['app', 'v2']],
    ['@v2', ['.', 'v2']],
    ['app', ['app', undefined]],
    ['app@main@x', ['app@main', 'x']],
  ])('%s', (typed, wanted) => expect(parseTarget(typed, (path) => `/nowhere/${path}`)).toEqual(wanted));
});

describe('the real kpt', { tags: ['kpt'] }, () => {
  test('gets the same package in meaning', async () => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    // kpt stops marking at a file that it cannot read, and breaks JSON syntax: neither is for comparison.
    await repo.commit({ ...PACKAGE, 'db/broken.yaml': 'a: []\n', 'db/flow.yaml': 'b: 1\n' }, 'db/v1');
    const kpt = await run('kpt', ['pkg', 'get', `${repo.url}/db@v1`, 'kpts'], {
      cwd: dir.path('.'),
      env: { KPT_CACHE_DIR: dir.path('cache') },
    });
    expect([kpt.code, kpt.stderr]).toEqual([0, expect.any(String)]);
    expect((await portico(['get', `${repo.url}/db@v1`, 'ours'], { cwd: dir.path('.') })).code).toBe(0);
    expect(meaning(dir.read('ours'))).toEqual(meaning(dir.read('kpts')));
  });
});

/** The data of a package's YAML files, the text of the others; the name of the copy and the commit apart. */
function meaning(files: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      if (path === 'Kptfile') {
        // kpt writes the id of the tag object, we write the commit.
        const { metadata, upstreamLock, ...rest } = parse(text) as KptfileData;
        return [
          path,
          { ...rest, upstreamLock: { ...upstreamLock.git, commit: '' }, labels: metadata.labels },
        ];
      }
      if (!/\.ya?ml$|Kptfile$/.test(path)) return [path, text];
      return [path, parseAllDocuments(text).map((document) => document.toJS() as unknown)];
    }),
  );
}
