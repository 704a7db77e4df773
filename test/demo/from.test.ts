import { expect, test } from 'vitest';

import { findLeftovers, leftoversText } from '../../src/cli/leftovers.ts';
import { findPackages, sourceFolder } from '../../src/demo/seed.ts';
import { portico, run, scratch } from '../cli/run-portico.ts';

const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n';
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: web }\n';
const SOURCES = `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources }
sources: [{ id: local, manual: true, destination: base }]
processors: [{ kustomize: { directory: overlay, with: [base] } }]
`;
const KUSTOMIZATION = 'resources: [web.yaml]\n';

function folderWith(files: Readonly<Record<string, string>>): ReturnType<typeof scratch> {
  const folder = scratch();
  folder.write(files);
  return folder;
}

function leftoversOf(files: Readonly<Record<string, string>>): string[] {
  using folder = folderWith(files);
  const packages = findPackages(folder.path('.'));
  return findLeftovers(folder.path('.'), packages, (path) => `mine/${path}`).map(
    ({ path, what, remedy }) => `${path} | ${what} | ${remedy}`,
  );
}

test('a folder of resources without a Kptfile is reported with the command that makes it a package', () => {
  expect(
    leftoversOf({
      'web/Kptfile': KPTFILE,
      'web/web.yaml': DEPLOYMENT,
      'plain/web.yaml': `${DEPLOYMENT}---\n${DEPLOYMENT.replace('web', 'api')}`,
      'plain/deep/web.json': '{ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" } }',
      'top.yaml': DEPLOYMENT,
    }),
  ).toEqual([
    'plain/deep | 1 resource without a Kptfile | npm run portico -- init mine/plain/deep',
    'plain | 2 resources without a Kptfile | npm run portico -- init mine/plain',
    '. | 1 resource without a Kptfile | put them into a folder with a Kptfile',
  ]);
});

test('charts and kustomizations are reported inside and outside packages, unless a processor builds them', () => {
  expect(
    leftoversOf({
      'web/Kptfile': KPTFILE,
      'web/portico-sources.yaml': SOURCES,
      'web/base/kustomization.yaml': KUSTOMIZATION,
      'web/overlay/Kustomization': KUSTOMIZATION,
      'web/other/kustomization.yml': KUSTOMIZATION,
      'chart/Chart.yaml': 'apiVersion: v2\nname: redis\n',
      'chart/templates/web.yaml': 'kind: {{ .Values.kind }}\n',
      'chart/charts/common/Chart.yaml': 'apiVersion: v2\nname: common\n',
      'prod/kustomization.yaml': KUSTOMIZATION,
      'prod/web.yaml': DEPLOYMENT,
    }),
  ).toEqual([
    'chart | a Helm chart without a Kptfile | put it into a package and build it by a processor: docs/processors.md',
    'prod | a kustomization without a Kptfile | put it into a package and build it by a processor: docs/processors.md',
    'web/other | a kustomization in a package, not built | build it by a processor: docs/processors.md',
  ]);
});

test('other files share one entry, and a package that cannot be tagged has its own', () => {
  expect(
    leftoversOf({
      'web/Kptfile': KPTFILE,
      'web/README.md': '',
      '.hidden/web/Kptfile': KPTFILE,
      '.github/portico.yaml': DEPLOYMENT,
      'broken.yaml': 'a: [',
      'docs/a.md': '',
      'values.yaml': 'replicas: 1\n',
    }),
  ).toEqual([
    '.hidden/web | a package that is left out | rename it: git tags cannot start with a dot',
    '.github/portico.yaml, broken.yaml, docs/a.md and 1 more | 4 files outside any package | nothing: Portico ignores such files',
  ]);
});

test('a folder of packages alone leaves nothing over', () => {
  expect(leftoversOf({ 'a/Kptfile': KPTFILE, 'b/c/Kptfile': KPTFILE, 'b/c/d/Kptfile': KPTFILE })).toEqual([]);
});

test('the table has a bounded number of rows', () => {
  const rows = Array.from({ length: 23 }, (_, at) => ({
    path: `p${at}`,
    what: 'a chart',
    remedy: 'build it',
    matters: true,
  }));
  const lines = leftoversText(rows).split('\n');
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('and 3 more');
});

test('--from without any package fails with the table and the command that makes one', async () => {
  using folder = folderWith({ 'mine/plain/web.yaml': DEPLOYMENT });
  const { code, stdout, stderr } = await portico(['demo', '--once', '--from', 'mine'], {
    cwd: folder.path('.'),
  });
  expect(code).toBe(65);
  expect(stdout).toContain('plain  1 resource without a Kptfile  npm run portico -- init mine/plain');
  expect(stderr).toContain('mine holds no kpt package');
  expect(stderr).toContain('npm run portico -- init DIR');
});

test('--from with packages that cannot be rendered names the command that shows why', async () => {
  using folder = folderWith({
    'mine/web/Kptfile': `${KPTFILE}pipeline: { mutators: [{ image: unknown:v1 }] }\n`,
  });
  const { code, stderr } = await portico(['demo', '--once', '--from', 'mine'], { cwd: folder.path('.') });
  expect(code).toBe(65);
  expect(stderr).toContain('no package of mine renders with the built-in functions');
  expect(stderr).toContain('npm run portico -- check mine/web');
});

test('a repository that is itself a package is played as one, by its name', async () => {
  using folder = folderWith({ 'web/Kptfile': KPTFILE, 'web/web.yaml': DEPLOYMENT });
  const cwd = folder.path('web');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'First'],
  ])
    await run('git', args, { cwd });
  await run('git', ['clone', '-q', '--bare', cwd, folder.path('shop.git')]);
  const sources = [await sourceFolder(cwd), await sourceFolder(folder.path('shop.git'))];
  expect(sources.map(({ path }) => findPackages(path))).toEqual([['web'], ['shop']]);
  for (const source of sources) source.remove();
});
