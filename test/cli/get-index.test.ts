import { afterAll, beforeAll, expect, test } from 'vitest';

import { indexFolders } from '../../src/cli/local/local-index.ts';
import { answer, graph } from '../../src/cli/local/local-queries.ts';
import { locked } from '../e2e/packages.ts';
import { kptfile } from '../reconcile/small-package.ts';
import { portico, run, scratch, type Scratch } from './run-portico.ts';

let dir: Scratch;

const url = (name: string): string => `https://forge.example/acme/${name}`;

const VARIANTS = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: kept}
spec:
  upstream: {repo: blueprints, package: web}
  downstream: {repo: shop, package: front}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: wrong}
spec:
  upstream: {repo: blueprints}
  downstream: {repo: shop, package: x}
`;

beforeAll(async () => {
  dir = scratch();
  const web = kptfile('web');
  await repository('blueprints', { 'web/Kptfile': web, 'web/sub/Kptfile': kptfile('sub') }, [
    'web/v1',
    'web/v2',
    'web/v3.0.0-rc.1',
    'web/beta',
    'web/fast',
    'stable',
  ]);
  const more =
    'git branch drafts/web/two main && git checkout -q drafts/web/two && git commit -q --allow-empty -m two';
  // Merged, with its branch left where it was.
  const merged =
    'git checkout -q -b drafts/web/four && git commit -q --allow-empty -m four && git checkout -q main && git merge -q --no-ff -m merged drafts/web/four';
  // Merged by squashing, and changed again since.
  const squashed =
    'git checkout -q -b drafts/web/five && echo five > web/f && git add web && git commit -q -m five && git checkout -q main && git merge -q --squash drafts/web/five && git commit -q -m squashed && echo six > web/f && git commit -qam six';
  const script = `${more} && git update-ref refs/remotes/origin/drafts/web/sub/one HEAD && git checkout -q main && git branch drafts/web/three && ${merged} && ${squashed}`;
  await run('sh', ['-c', script], { cwd: dir.path('all/blueprints') });
  await repository('shop', {
    'front/Kptfile': locked(kptfile('front'), `${url('blueprints')}.git`, 'web', 'web/v1', 'a'.repeat(40)),
    'else/Kptfile': locked(kptfile('else'), 'https://other.example/x/y', '/', 'main', 'b'.repeat(40)),
  });
  await repository('control', {
    '.github/portico.yaml':
      'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: {name: control}\nspec: {}\n',
    '.github/portico/variants.yaml': VARIANTS,
  });
});

afterAll(() => dir[Symbol.dispose]());

async function repository(name: string, files: Record<string, string>, tags: string[] = []): Promise<void> {
  dir.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`all/${name}/${path}`, text])));
  const cwd = dir.path(`all/${name}`);
  const script = [
    'git init -q -b main .',
    'git add -A',
    'git commit -q -m first',
    `git remote add origin https://user:secret@forge.example/acme/${name}.git`,
    ...tags.map((tag) => `git tag -a -m tag ${tag}`),
  ].join(' && ');
  const { code, stderr } = await run('sh', ['-c', script], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  // What is only in the work tree is no package.
  dir.write({ [`all/${name}/loose/Kptfile`]: kptfile('loose') });
}

test('what repositories hold is told from their branches and tags', async () => {
  const catalog = await indexFolders([dir.path('all')]);
  expect(answer(catalog, 'repos')).toEqual([
    { repository: 'acme/blueprints', directory: '.', packages: 2, revisions: 3 },
    { repository: 'acme/control', directory: '.', packages: 0, revisions: 0 },
    { repository: 'acme/shop', directory: '.', packages: 2, revisions: 0 },
  ]);
  expect(answer(catalog, 'packages', ['blue'])).toEqual([
    { repository: 'acme/blueprints', package: 'web', newest: 'v2', subpackage: false },
    { repository: 'acme/blueprints', package: 'web/sub', newest: '', subpackage: true },
  ]);
  expect(answer(catalog, 'revisions').map(({ revision }) => revision)).toEqual(['v1', 'v2', 'v3.0.0-rc.1']);
  expect(answer(catalog, 'revisions', ['stable', 'WEB'])).toEqual([]);
  expect(answer(catalog, 'revisions', ['fast', 'WEB'])).toEqual([
    { repository: 'acme/blueprints', package: 'web', revision: 'v3.0.0-rc.1', channels: 'beta, fast' },
  ]);
  expect(answer(catalog, 'drafts')).toMatchObject([
    { package: 'web', kind: 'draft', branch: 'drafts/web/five', state: 'merged' },
    { package: 'web/sub', kind: 'draft', branch: 'drafts/web/sub/one', state: 'open' },
    { repository: 'acme/blueprints', package: 'web', branch: 'drafts/web/two', state: 'open' },
  ]);
  for (const word of ['web@v2', 'blueprints:web@', 'Acme/Blueprints:web@V2']) {
    expect(answer(catalog, 'revisions', [word]).map(({ revision }) => revision)).toContain('v2');
  }
  expect(answer(catalog, 'revisions', ['web@v2'])).toHaveLength(1);
  expect(answer(catalog, 'outdated', ['front@v1'])).toHaveLength(1);
  expect(answer(catalog, 'packages', ['web@v1'])).toEqual([]);
  expect(answer(catalog, 'upstreams')).toEqual([
    { repository: 'acme/shop', package: 'else', upstream: 'https://other.example/x/y:.', at: '', newest: '' },
    { repository: 'acme/shop', package: 'front', upstream: 'acme/blueprints:web', at: 'v1', newest: 'v2' },
  ]);
  expect(answer(catalog, 'downstreams', ['blueprints'])).toEqual([
    { upstream: 'acme/blueprints:web', downstream: 'acme/shop:front', at: 'v1' },
  ]);
  expect(answer(catalog, 'outdated')).toHaveLength(1);
  expect(answer(catalog, 'variants')).toMatchObject([
    {
      variant: 'default/wrong',
      stalled: 'True',
      reason: 'ValidationError',
      document: expect.stringContaining(':12'),
    },
    { variant: 'default/kept', downstream: 'acme/shop:front', ready: 'False', reason: 'Outdated' },
  ]);
  expect(graph(catalog, ['front'])).toBe(`graph LR
  subgraph r0["acme/blueprints"]
    p0["web"]
  end
  subgraph r1["acme/shop"]
    p1["front"]
  end
  p0 -.->|"v1"| p1`);
});

test('get alone lists what is where one stands', async () => {
  const rows = async (folder: string): Promise<string[]> => {
    const { code, stdout, stderr } = await portico(['get', '--json'], { cwd: dir.path(folder) });
    expect([code, stderr]).toEqual([0, '']);
    return (JSON.parse(stdout) as { packages: { package: string }[] }).packages.map((row) => row.package);
  };
  expect(await rows('all/shop')).toEqual(['else', 'front']);
  expect(await rows('all/shop/front')).toEqual(['front']);
  expect(await rows('all/blueprints/web/sub')).toEqual(['web', 'web/sub']);
  const outside = await portico(['get'], { cwd: dir.path('.') });
  expect(outside).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('portico get REPO.git/PATH@REF'),
  });
});

test('the command line prints tables, JSON and graphs, and no credentials', async () => {
  const cwd = dir.path('all');
  const table = await portico(['get', 'outdated'], { cwd });
  expect(table.stderr).toBe('');
  expect(table.stdout).toBe(
    'REPOSITORY  PACKAGE  UPSTREAM             UPSTREAM AT  UPSTREAM NEWEST\nacme/shop   front    acme/blueprints:web  v1           v2\n',
  );
  const json = await portico(['get', 'upstreams', '--in', '.', '-o', 'json'], { cwd });
  expect(JSON.parse(json.stdout).upstreams).toHaveLength(2);
  expect(json.stdout).not.toContain('secret');
  const data = await portico(['graph', 'front', '--json'], { cwd });
  expect(JSON.parse(data.stdout)).toEqual({
    packages: ['acme/blueprints:web', 'acme/shop:front'],
    links: [
      {
        upstream: 'acme/blueprints:web',
        downstream: 'acme/shop:front',
        at: 'v1',
        newest: 'v2',
        outdated: true,
      },
    ],
  });
  const none = await portico(['graph', '--in', dir.path('all/shop/front')], { cwd });
  expect([none.code, none.stderr]).toEqual([65, expect.stringContaining('there is no git repository')]);
});
