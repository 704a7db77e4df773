import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { casesOf, textOf, yamlOf } from '../../package/variant/corpus.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';

/**
 * Every real variant document of the collection, in one repository, against the real packages of the collection under the
 * names that the documents use: what becomes of each is counted. A few of them are tried in every run, in
 * variants.test.ts; all of them with PORTICO_LONG=1.
 */
const CORPUS = fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const LONG = process.env['PORTICO_LONG'] === '1' || process.env['REAL_VARIANTS'] === '1';
const isThere = existsSync(CORPUS);
if (LONG && !isThere) process.stderr.write(`SKIPPED: the real variants and packages are not at ${CORPUS}\n`);
const RUN = LONG && isThere;

/** Upstreams whose package the collection has under that very name. */
const OWN: Readonly<Record<string, string>> = {
  'catalog-infra-capi/vlanindex': 'nephio-catalog/infra/capi/vlanindex',
  'catalog-infra-capi-3/vlanindex': 'nephio-catalog/infra/capi/vlanindex',
  'catalog-distros-sandbox/repository': 'nephio-catalog/distros/sandbox/repository',
  'blueprints-infra-gcp/cc-cluster-gke-std-csr-cs': 'nephio-catalog/infra/gcp/cc-cluster-gke-std-csr-cs',
  'catalog-nephio-core/configsync': 'gcp-blueprints/catalog/gitops/configsync',
  'management/network-function-auto-namespace':
    'porch-examples/examples/tutorials/starting-with-porch/blueprints/local-changes/network-function-auto-namespace',
};
/** The others have another real package under their name, one after the other. */
const OTHERS = [
  'nephio-catalog/infra/capi/cluster-capi-kind',
  'nephio-catalog/nephio/optional/rootsync',
  'nephio-catalog/infra/gcp/cc-repo-csr',
  'gcp-blueprints/catalog/bucket',
  'nephio-catalog/nephio/optional/argo-cd-app',
  'gcp-blueprints/catalog/networking/dns/policy',
  'nephio-catalog/distros/gcp/cc-rootsync',
  'gcp-blueprints/catalog/spanner',
];

interface Document {
  readonly name: string;
  readonly kind: string;
  readonly variant: string;
  readonly upstream: string;
  readonly downstream: string;
}

/** The documents by what they ask for; sets ask for several. */
function documentsOf(): Document[] {
  return casesOf('real').map((name) => {
    const { kind, metadata, spec } = yamlOf('real', name, 'input.yaml');
    const { repo, name: old } =
      spec.upstream.package.repo === undefined ? spec.upstream : spec.upstream.package;
    return {
      name,
      kind,
      variant: metadata.name as string,
      upstream: `${repo}/${old ?? spec.upstream.package}`,
      downstream: kind === 'PackageVariant' ? `${spec.downstream.repo}/${spec.downstream.package}` : '',
    };
  });
}

function packageFiles(path: string): Record<string, string> {
  const top = join(CORPUS, 'packages', path);
  return Object.fromEntries(
    readdirSync(top, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(join(top, file)).isFile())
      .map((file) => [file, readFileSync(join(top, file), 'utf8')]),
  );
}

const CLUSTERS = ['example', 'regional', 'edge'];
const INVENTORY = CLUSTERS.map(
  (name) =>
    `apiVersion: infra.nephio.org/v1alpha1\nkind: WorkloadCluster\nmetadata: {name: ${name}}\nspec: {clusterName: chosen-${name}, cnis: [macvlan], masterInterface: eth1}\n`,
).join('---\n');

const EDGES = Array.from({ length: 10 }, (_one, at) => `variantset-edge-${at + 1}`);
const DOWNSTREAMS = [
  'mgmt',
  'mgmt-staging',
  'config-control',
  'regional',
  'edge',
  'edge1',
  'deployments',
  ...EDGES,
];
const UNLIMITED = { spec: 'branch: main\nupdates: { maxOpen: 100 }' };

let stage: Stage;
let documents: readonly Document[] = [];
let substituted = 0;

beforeAll(async () => {
  if (!RUN) return;
  documents = documentsOf();
  const upstreams = new Map<string, Record<string, string>>();
  for (const [at, upstream] of [...new Set(documents.map((one) => one.upstream))].entries()) {
    const [repo = '', path = ''] = upstream.split('/');
    if (OWN[upstream] === undefined) substituted += 1;
    const files = packageFiles(OWN[upstream] ?? OTHERS[at % OTHERS.length]!);
    upstreams.set(repo, { ...upstreams.get(repo), ...below(path, files) });
  }
  const repositories: Record<string, StageRepositoryOptions> = {};
  for (const [name, files] of upstreams) repositories[name] = { ...UNLIMITED, files };
  for (const name of DOWNSTREAMS) repositories[name] = { ...UNLIMITED, ...repositories[name] };
  stage = await startStage({ ...repositories, control: {} }, { shares: true });
  for (const upstream of new Set(documents.map((one) => one.upstream))) {
    const [name = '', path = ''] = upstream.split('/');
    const repo = stage.repository(name);
    const head = await repo.head('main');
    // Documents ask for revision v3 of `foo`.
    for (const revision of path === 'foo' ? ['v1', 'v2', 'v3'] : ['v1'])
      await repo.tag(`${path}/${revision}`, head);
  }
  await stage.idle();
  const named = [...DOWNSTREAMS, ...upstreams.keys()].map(
    (name) =>
      `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: ${name}}\nspec: {type: git, git: {repo: ${stage.repository(name).url}.git}}\n`,
  );
  await stage.repository('control').push('main', {
    '.github/portico/repositories.yaml': named.join('---\n'),
    '.github/portico/inventory/clusters.yaml': INVENTORY,
    ...Object.fromEntries(
      documents.map(({ name }) => [`.github/portico/${name}.yaml`, textOf('real', name, 'input.yaml')]),
    ),
  });
  await stage.idle();
}, 1_800_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test.skipIf(!RUN)(
  'every real document: made, or refused with the reason',
  async () => {
    const single = documents.filter(({ kind }) => kind === 'PackageVariant');
    const wanted = new Set([
      ...single.map(({ downstream }) => downstream),
      // Of the sets: two packages of the tutorial, two in each of ten repositories, and one of v1alpha1.
      'edge1/network-function-auto-namespace-x-cumulonimbus',
      'edge1/network-function-auto-namespace-y-cumulonimbus',
      ...EDGES.flatMap((name) => [`${name}/fn-render-variantset-1`, `${name}/fn-render-variantset-2`]),
      'blueprints/alpha',
    ]);
    const made = new Map<string, { readonly sha: string; readonly title: string }>();
    for (const name of new Set([...wanted].map((one) => one.split('/')[0]!))) {
      for (const { title, head } of await stage.repository(name).pulls()) {
        const path = /^Create (.+) at v[13]$/.exec(title)?.[1];
        made.set(`${name}/${path ?? title}`, { sha: head.sha, title });
      }
    }
    expect([...made.keys()].toSorted()).toEqual([...wanted].toSorted());
    expect(made.get('deployments/bar')?.title).toBe('Create bar at v3');

    for (const [place, { sha }] of made) {
      const [repo = '', path = ''] = place.split('/');
      const kptfile = (await stage.repository(repo).read(`${path}/Kptfile`, sha))!;
      expect(kptfile, place).toContain('upstreamLock:');
      expect(kptfile, place).toContain('portico.dev/variant:');
    }
    // Values of the inventory come into the package, and its own functions carry them on.
    const { sha } = made.get('mgmt/example-vlanindex')!;
    const mgmt = stage.repository('mgmt');
    const files = (await mgmt.git('ls-tree', '-r', '--name-only', sha, 'example-vlanindex')).split('\n');
    const texts = await Promise.all(files.map((file) => mgmt.read(file, sha)));
    const of = (kind: string): string => texts.find((text) => text?.includes(`kind: ${kind}\n`)) ?? '';
    expect(of('WorkloadCluster')).toContain('clusterName: chosen-example');
    expect(of('WorkloadCluster')).toContain('nephio.org/cluster-name: example');
    expect(of('VLANIndex')).toContain('name: chosen-example');
    expect(of('Kptfile')).toContain('type: config.injection.WorkloadCluster.workload-cluster');

    // Of two documents for one downstream the first counts, and the second is told of.
    const twins = single.length - new Set(single.map(({ downstream }) => downstream)).size;
    await stage.dashboard('control');
    const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository('control').where);
    const board = data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
    const stalled = board.split('\n').filter((line) => line.includes('| Stalled:'));
    expect(stalled.filter((line) => line.includes('a package can have only one variant'))).toHaveLength(
      twins,
    );
    expect(stalled).toHaveLength(twins);
    process.stderr.write(
      `${documents.length} real documents: ${made.size} packages made by pull requests of ${documents.length - twins} of them, ${twins} are told to be twins, none refused; ${Object.keys(OWN).length} upstream packages are their own, ${substituted} are others under their name\n`,
    );
    // Dashboards may be due meanwhile.
    const again = await stage.writesOf(() => stage.sweep());
    expect(again.map(({ what }) => what).filter((what) => !/\/issues(?:\/:\w+)?$/.test(what))).toEqual([]);
  },
  1_800_000,
);
