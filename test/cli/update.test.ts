import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { portico, run, scratch } from './run-portico.ts';
import type { Outcome, Scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';
import type { UpstreamRepo } from './upstream-repo.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n';

function deployment(change: Partial<Record<'replicas' | 'image' | 'more', string>> = {}): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the name

spec:
    replicas: ${change.replicas ?? '1'}
    template:
        spec:
            containers:
            -   name: web
                image: ${change.image ?? 'web:1'} # image
${change.more ?? ''}`;
}

const V1 = { Kptfile: KPTFILE, 'web.yaml': deployment(), 'README.md': '# v1\n', 'old.yaml': resource('old') };
const V2 = {
  Kptfile: KPTFILE,
  'web.yaml': deployment({ image: 'web:2' }),
  'README.md': '# v2\n',
  'new.yaml': resource('new'),
};

function resource(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: b\n`;
}

function below(directory: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));
}

describe('update of directories', () => {
  async function update(dir: Scratch, local: Record<string, string>, ...more: string[]): Promise<Outcome> {
    dir.write({ ...below('base', V1), ...below('upstream', V2), ...below('local', local) });
    const args = ['update', '--base', 'base', '--upstream', 'upstream', '--local', 'local'];
    return portico([...args, ...more], { cwd: dir.path('.') });
  }

  test('both sides arrive, local text stays', async () => {
    using dir = scratch();
    const local = { ...V1, 'web.yaml': deployment({ replicas: '5' }), 'mine.yaml': resource('mine') };
    const { code, stdout } = await update(dir, local, '--output', 'out', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      changed: ['README.md', 'new.yaml', 'old.yaml', 'web.yaml'],
      conflicts: [],
      notes: [],
    });
    expect(dir.read('out')).toEqual({
      ...V2,
      'web.yaml': deployment({ replicas: '5', image: 'web:2' }),
      'mine.yaml': resource('mine'),
    });
    expect(dir.read('local')).toEqual(local);
  });

  const CLASH = { ...V1, 'web.yaml': deployment({ image: 'web:local' }) };

  test('a conflict is listed, upstream is taken, exit code 2', async () => {
    using dir = scratch();
    const { code, stdout, stderr } = await update(dir, CLASH, '--output', 'out', '--json');
    expect(code).toBe(2);
    const document = JSON.parse(stdout) as { conflicts: object[] };
    expect(document.conflicts).toHaveLength(1);
    expect(document.conflicts[0]).toMatchObject({
      file: 'web.yaml',
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: '', name: 'web' },
      path: 'spec.template.spec.containers[name=web].image',
      base: 'web:1',
      upstream: 'web:2',
      local: 'web:local',
      taken: 'upstream',
    });
    expect(stderr).toMatch(
      /^out\/web\.yaml:12: conflict [0-9a-f]{12}: Deployment web spec.*upstream taken$/m,
    );
    expect(dir.read('out')['web.yaml']).toBe(V2['web.yaml']);
  });

  test('below conflicts it is said that no functions ran, where there are some', async () => {
    using dir = scratch();
    const said = /portico update runs no functions, .* then run portico render/;
    const mutators = `${KPTFILE}pipeline:\n  mutators:\n    - image: set-labels:v0.2\n      configMap: { a: b }\n`;
    const there = await update(dir, { ...CLASH, Kptfile: mutators }, '--output', 'out');
    expect([there.code, there.stderr]).toEqual([2, expect.stringMatching(said)]);
    expect((await update(dir, CLASH, '--output', 'none')).stderr).not.toMatch(said);
    const calm = await update(dir, { ...V1, Kptfile: mutators }, '--output', 'calm');
    expect([calm.code, calm.stderr]).toEqual([0, expect.not.stringMatching(said)]);
  });

  test('--on-conflict local keeps local, and still tells', async () => {
    using dir = scratch();
    const { code } = await update(dir, CLASH, '--output', 'out', '--on-conflict', 'local');
    expect([code, dir.read('out')['web.yaml']]).toEqual([2, CLASH['web.yaml']]);
    expect(dir.read('out')['new.yaml']).toBe(V2['new.yaml']);
  });

  test('--on-conflict fail writes nothing', async () => {
    using dir = scratch();
    const { code, stdout } = await update(dir, CLASH, '--output', 'out', '--on-conflict', 'fail', '--json');
    expect([code, existsSync(dir.path('out'))]).toEqual([2, false]);
    expect(JSON.parse(stdout)).toMatchObject({ changed: [], conflicts: [{ file: 'web.yaml' }] });

    const { conflicts } = JSON.parse(stdout) as { conflicts: { id: string }[] };
    const settle = conflicts.flatMap(({ id }) => ['--resolve', `${id}=local`]);
    expect((await update(dir, CLASH, '--output', 'out', ...settle)).code).toBe(0);
    expect(dir.read('out')['web.yaml']).toBe(CLASH['web.yaml']);
    expect((await update(dir, CLASH, '--output', 'other', '--resolve', 'all=local')).code).toBe(64);
    const stray = await update(dir, CLASH, '--output', 'other', '--resolve', '0a1b2c3d4e5f=local');
    expect(stray).toMatchObject({ code: 64, stderr: expect.stringContaining('no such conflict') as string });
    expect(existsSync(dir.path('other'))).toBe(false);
  });

  test('the output may be the local directory itself', async () => {
    using dir = scratch();
    expect((await update(dir, V1, '--output', 'local')).code).toBe(0);
    expect(dir.read('local')).toEqual(V2);
  });

  test('fast-forward refuses a package that was changed', async () => {
    using dir = scratch();
    const { code, stderr } = await update(dir, CLASH, '--output', 'out', '--strategy', 'fast-forward');
    expect([code, existsSync(dir.path('out'))]).toEqual([65, false]);
    expect(stderr).toMatch(/web\.yaml/);
  });

  test('an output that holds something is refused before anything is read', async () => {
    using dir = scratch();
    dir.write({ 'out/x': '' });
    expect((await update(dir, V1, '--output', 'out')).code).toBe(64);
  });
});

async function downstream(dir: Scratch): Promise<UpstreamRepo> {
  const repo = await upstreamRepo(dir);
  await repo.commit(below('app', V1), 'app/v1');
  expect((await portico(['get', `${repo.url}/app@v1`, 'mine'], { cwd: dir.path('.') })).code).toBe(0);
  return repo;
}

function links(dir: Scratch, name = 'mine'): (string | undefined)[] {
  const { upstream, upstreamLock } = parse(readFileSync(dir.path(`${name}/Kptfile`), 'utf8')) as {
    upstream: { git: Record<string, string>; updateStrategy: string };
    upstreamLock: { git: Record<string, string> };
  };
  const { git, updateStrategy } = upstream;
  return [git['ref'], updateStrategy, upstreamLock.git['ref'], upstreamLock.git['commit']];
}

describe('update from git', () => {
  test('to a newer revision: changes, markers and the lock', async () => {
    using dir = scratch();
    const repo = await downstream(dir);
    const v2 = await repo.commit({ ...below('app', V2), 'app/old.yaml': null }, 'app/v2');
    const web = dir.read('mine')['web.yaml']!;
    dir.write({ 'mine/web.yaml': web.replace('replicas: 1', 'replicas: 7') });

    const { code, stdout } = await portico(['update', 'mine@v2', '--json'], { cwd: dir.path('.') });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      changed: ['Kptfile', 'README.md', 'new.yaml', 'old.yaml', 'web.yaml'],
      conflicts: [],
    });
    expect(links(dir)).toEqual(['v2', 'resource-merge', 'app/v2', v2]);
    const files = dir.read('mine');
    expect(files['web.yaml']).toBe(web.replace('replicas: 1', 'replicas: 7').replace('web:1', 'web:2'));
    expect(files['new.yaml']).toContain('metadata: # kpt-merge: /new\n');
    expect(Object.keys(files)).toEqual(['Kptfile', 'README.md', 'new.yaml', 'web.yaml']);

    const again = await portico(['update', 'mine', '--json'], { cwd: dir.path('.') });
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { changed: [], conflicts: [], notes: [] }]);
    // Who forgot to name a newer one is told which it was.
    const told = await portico(['update', 'mine'], { cwd: dir.path('.') });
    expect([told.code, told.stdout]).toEqual([0, '']);
    expect(told.stderr).toBe(
      'Nothing changed. Without @REF, the revision is the one in the Kptfile; for another one, use portico update mine@REF.\n',
    );
  });

  test('along a branch, and the strategy that was stored stays', async () => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    await repo.commit(below('app', V1));
    await portico(['get', `${repo.url}/app@main`, 'mine', '--strategy', 'force-delete-replace'], {
      cwd: dir.path('.'),
    });
    const head = await repo.commit({ 'app/README.md': '# newer\n' });
    expect((await portico(['update'], { cwd: dir.path('mine') })).code).toBe(0);
    expect(links(dir)).toEqual(['main', 'force-delete-replace', 'main', head]);
    expect((await portico(['update', 'mine', '--strategy', 'copy-merge'], { cwd: dir.path('.') })).code).toBe(
      0,
    );
    expect(links(dir)[1]).toBe('copy-merge');
  });

  test('a lock that holds the id of an annotated tag, as kpt writes it, is peeled', async () => {
    using dir = scratch();
    const repo = await downstream(dir);
    const object = await repo.git('rev-parse', 'app/v1');
    const commit = await repo.git('rev-parse', 'app/v1^{commit}');
    dir.write({ 'mine/Kptfile': dir.read('mine')['Kptfile']!.replace(commit, object) });
    const v2 = await repo.commit(below('app', V2), 'app/v2');
    expect((await portico(['update', 'mine@v2'], { cwd: dir.path('.') })).code).toBe(0);
    expect(links(dir)[3]).toBe(v2);
  });

  test('conflicts end in 2; with --on-conflict fail nothing moves, the lock included', async () => {
    using dir = scratch();
    const repo = await downstream(dir);
    await repo.commit(below('app', V2), 'app/v2');
    dir.write({ 'mine/web.yaml': dir.read('mine')['web.yaml']!.replace('web:1', 'web:local') });
    const before = dir.read('mine');
    expect((await portico(['update', 'mine@v2', '--on-conflict', 'fail'], { cwd: dir.path('.') })).code).toBe(
      2,
    );
    expect(dir.read('mine')).toEqual(before);
    expect((await portico(['update', 'mine@v2'], { cwd: dir.path('.') })).code).toBe(2);
    expect(links(dir)[0]).toBe('v2');
  });

  test('subpackages with an upstream of their own follow theirs', async () => {
    using dir = scratch();
    const store = await upstreamRepo(dir, 'stores');
    await store.commit(below('db', { Kptfile: KPTFILE.replace('app', 'db'), 'db.yaml': resource('db') }));
    const repo = await upstreamRepo(dir);
    const link = `upstream:\n  type: git\n  git:\n    repo: ${store.url}\n    directory: /db\n    ref: main\n`;
    await repo.commit({ ...below('app', V1), 'app/db/Kptfile': KPTFILE.replace('app', 'db') + link });
    await portico(['get', `${repo.url}/app`, 'mine'], { cwd: dir.path('.') });
    expect(dir.read('mine')['db/db.yaml']).toContain('kpt-merge: /db');
    const head = await store.commit({ 'db/db.yaml': resource('db').replace('a: b', 'a: c') });
    expect((await portico(['update', 'mine'], { cwd: dir.path('.') })).code).toBe(0);
    expect(dir.read('mine')['db/db.yaml']).toContain('a: c');
    expect(links(dir, 'mine/db')[3]).toBe(head);
  });

  test.each<[string, string, RegExp]>([
    ['no Kptfile', '', /there is no Kptfile/],
    ['no upstream', KPTFILE, /has no git upstream/],
    [
      'a commit that is none',
      `${KPTFILE}upstream:\n  type: git\n  git: {repo: REPO, directory: /app, ref: main}\nupstreamLock:\n  type: git\n  git: {repo: REPO, directory: /app, ref: main, commit: --upload-pack=x}\n`,
      /upstreamLock/,
    ],
    [
      'a commit that is gone',
      `${KPTFILE}upstream:\n  type: git\n  git: {repo: REPO, directory: /app, ref: main}\nupstreamLock:\n  type: git\n  git: {repo: REPO, directory: /app, ref: main, commit: ${'ab'.repeat(20)}}\n`,
      /has no commit "abab/,
    ],
    [
      'an address that starts programs',
      `${KPTFILE}upstream:\n  type: git\n  git: {repo: "ext::touch pwned", directory: /app, ref: main}\n`,
      /not an allowed git URL/,
    ],
    [
      'an address that is an option',
      `${KPTFILE}upstream:\n  type: git\n  git: {repo: "--upload-pack=touch pwned", directory: /app, ref: main}\n`,
      /not an allowed git URL/,
    ],
  ])('%s', async (_, kptfile, message) => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    await repo.commit(below('app', V1));
    dir.write({
      'mine/a.yaml': resource('a'),
      ...(kptfile === '' ? {} : { 'mine/Kptfile': kptfile.replaceAll('REPO', repo.url) }),
    });
    const before = dir.read('mine');
    const { code, stderr } = await portico(['update', 'mine'], { cwd: dir.path('.') });
    expect(code).toBe(65);
    expect(stderr).toMatch(message);
    expect(dir.read('mine')).toEqual(before);
    expect(existsSync(dir.path('pwned'))).toBe(false);
  });
});

describe('the real kpt', { tags: ['kpt'] }, () => {
  test('updates the same package to the same meaning', async () => {
    using dir = scratch();
    const repo = await upstreamRepo(dir);
    await repo.commit(below('app', V1), 'app/v1');
    const env = { KPT_CACHE_DIR: dir.path('cache') };
    const work = { cwd: dir.path('work'), env };
    dir.write({ 'work/x': '' });
    await run('git', ['init', '-q'], work);
    await run('kpt', ['pkg', 'get', `${repo.url}/app@v1`, 'app'], work);
    const web = dir.read('work/app')['web.yaml']!;
    dir.write({
      'work/app/web.yaml': web.replace('replicas: 1', 'replicas: 7'),
      'work/app/mine.yaml': resource('mine'),
    });
    await run('git', ['add', '-A'], work);
    await run('git', ['commit', '-qm', 'local'], work);
    await run('cp', ['-r', 'app', '../ours'], work);
    await repo.commit({ ...below('app', V2), 'app/old.yaml': null }, 'app/v2');

    const kpt = await run('kpt', ['pkg', 'update', 'app@v2'], work);
    expect([kpt.code, kpt.stderr]).toEqual([0, expect.any(String)]);
    expect((await portico(['update', 'ours@v2'], { cwd: dir.path('.') })).code).toBe(0);
    expect(meaning(dir.read('ours'))).toEqual(meaning(dir.read('work/app')));
  });
});

/** The data of each file; the commit of the lock apart, where kpt writes the tag's id. */
function meaning(files: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      path.endsWith('.md')
        ? text
        : parse(text, (key, value: unknown) => (key === 'commit' ? '' : withoutMark(value))),
    ]),
  );
}

/** kpt marks what is local only, too. */
function withoutMark(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('annotations' in value)) return value;
  const { annotations, ...rest } = value;
  const marked = Object.keys(annotations as object).join(',') === 'internal.kpt.dev/upstream-identifier';
  return marked ? rest : value;
}
