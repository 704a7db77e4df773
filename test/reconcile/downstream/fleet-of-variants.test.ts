// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { STORIES } from '../../parts.ts';
import {
  basePackage,
  clusterObject,
  forCluster,
  registered,
  variantDocument,
  VLAN_PACKAGE,
  type VariantDocument,
} from '../cluster-variants.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';

/** Variants and sets of every form in one repository: what becomes of each is compared with a list. */
const EDGES = Array.from({ length: 10 }, (_one, at) => `edge-${at + 1}`);
const CLUSTERS = ['one', 'two'];
const PACKAGES = ['base', 'crds', 'network', 'storage'];

/** Each cluster has every package; the last package is pinned by a text. */
const SINGLE: readonly VariantDocument[] = CLUSTERS.flatMap((cluster) => [
  {
    name: `${cluster}-vlan`,
    upstream: 'catalog/vlan',
    downstream: `mgmt/${cluster}-vlan`,
    more: forCluster(cluster),
  },
  ...PACKAGES.map((path) => ({
    name: `${cluster}-${path}`,
    upstream: `catalog/${path}`,
    downstream: `mgmt/${cluster}-${path}`,
    revision: path === 'crds' ? 'workspaceName: main' : '',
    more: forCluster(cluster),
  })),
  {
    name: `${cluster}-pinned`,
    upstream: 'blueprints/app',
    downstream: `mgmt/${cluster}-app`,
    revision: 'revision: v3',
  },
]);

/** The same downstream again, from another document. */
const TWINS: readonly VariantDocument[] = ['base', 'storage'].map((path) => ({
  name: `twin-${path}`,
  upstream: `catalog/${path}`,
  downstream: `mgmt/one-${path}`,
}));

const SETS: Readonly<Record<string, string>> = {
  'renamed.yaml': `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: renamed}
spec:
  upstream: {repo: blueprints, package: app, revision: v3}
  targets:
  - repositories: [{name: edge, packageNames: [app-x, app-y]}]
    template: {downstream: {packageExpr: "target.package + '-acme'"}}
`,
  'everywhere.yaml': `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: everywhere}
spec:
  upstream: {repo: catalog, package: base, revision: -1}
  targets:
  - repositories: [${EDGES.map((name) => `{name: ${name}, packageNames: [base-1, base-2]}`).join(', ')}]
`,
  'old.yaml': `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariantSet
metadata: {name: old}
spec:
  upstream: {package: {repo: blueprints, name: app}, revision: v3}
  targets:
  - package: {repo: edge, name: alpha}
`,
};

const UNLIMITED = { spec: 'branch: main\nupdates: { maxOpen: 100 }' };
const DOWNSTREAMS = ['mgmt', 'edge', ...EDGES];

let stage: Stage;

beforeAll(async () => {
  if (!STORIES) return;
  const packages = PACKAGES.map((name) => below(name, basePackage(name)));
  const repositories: Record<string, StageRepositoryOptions> = {
    catalog: { ...UNLIMITED, files: Object.assign({}, below('vlan', VLAN_PACKAGE), ...packages) },
    blueprints: { ...UNLIMITED, files: below('app', basePackage('app')) },
  };
  for (const name of DOWNSTREAMS) repositories[name] = UNLIMITED;
  stage = await startStage({ ...repositories, control: {} }, { shares: true });
  for (const path of ['vlan', ...PACKAGES]) {
    const repo = stage.repository('catalog');
    await repo.tag(`${path}/v1`, await repo.head('main'));
  }
  const blueprints = stage.repository('blueprints');
  for (const revision of ['v1', 'v2', 'v3'])
    await blueprints.tag(`app/${revision}`, await blueprints.head('main'));
  await stage.idle();
  const documents = [...SINGLE, ...TWINS].map(
    (one) => [`.github/portico/${one.name}.yaml`, variantDocument(one)] as const,
  );
  const sets = Object.entries(SETS).map(([name, text]) => [`.github/portico/${name}`, text] as const);
  const urls = ['catalog', 'blueprints', ...DOWNSTREAMS].map((name) =>
    registered(name, stage.repository(name).url),
  );
  await stage.repository('control').push('main', {
    '.github/portico/repositories.yaml': urls.join('---\n'),
    '.github/portico/inventory/clusters.yaml': CLUSTERS.map(clusterObject).join('---\n'),
    ...Object.fromEntries([...documents, ...sets]),
  });
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('every document makes its packages, or is reported with the reason', async () => {
  const wanted = new Set([
    ...SINGLE.map(({ downstream }) => downstream),
    'edge/app-x-acme',
    'edge/app-y-acme',
    'edge/alpha',
    ...EDGES.flatMap((name) => [`${name}/base-1`, `${name}/base-2`]),
  ]);
  const made = new Map<string, { readonly sha: string; readonly title: string }>();
  for (const name of DOWNSTREAMS) {
    for (const { title, head } of await stage.repository(name).pulls()) {
      const path = /^Create (.+) at upstream v[13]$/.exec(title)?.[1];
      made.set(`${name}/${path ?? title}`, { sha: head.sha, title });
    }
  }
  expect([...made.keys()].toSorted()).toEqual([...wanted].toSorted());
  expect(made.get('mgmt/one-app')?.title).toBe('Create one-app at upstream v3');

  for (const [place, { sha }] of made) {
    const [repo = '', path = ''] = place.split('/');
    const kptfile = (await stage.repository(repo).read(`${path}/Kptfile`, sha))!;
    expect(kptfile, place).toContain('upstreamLock:');
    expect(kptfile, place).toContain('portico.dev/variant:');
  }
}, 600_000);

test("values of the inventory reach a package, and the package's own function carries them on", async () => {
  const mgmt = stage.repository('mgmt');
  const { head } = (await mgmt.pulls()).find(({ title }) => title === 'Create one-vlan at upstream v1')!;
  const read = async (file: string): Promise<string> => (await mgmt.read(`one-vlan/${file}`, head.sha)) ?? '';
  expect(await read('workload-cluster.yaml')).toContain('clusterName: chosen-one');
  expect(await read('workload-cluster.yaml')).toContain('acme.example/cluster-name: one');
  expect(await read('vlan.yaml')).toContain('name: chosen-one');
  expect(await read('Kptfile')).toContain('type: config.injection.WorkloadCluster.workload-cluster');
});

test('of two documents for one downstream the first counts, and the dashboard reports the second', async () => {
  await stage.dashboard('control');
  const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository('control').where);
  const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
  const stalled = board.split('\n').filter((line) => line.includes('| Stalled:'));
  expect(stalled.filter((line) => line.includes('a package can have only one variant'))).toHaveLength(
    TWINS.length,
  );
  expect(stalled).toHaveLength(TWINS.length);
});

test('a second sweep of the fleet writes nothing but dashboards', async () => {
  const again = await stage.writesOf(() => stage.sweep());
  expect(again.map(({ what }) => what).filter((what) => !/\/issues(?:\/:\w+)?$/.test(what))).toEqual([]);
}, 600_000);
