/** Packages of workload clusters, and the variants that put them into repositories: each package takes values of an injected object. */
import { configMap } from './small-package.ts';

const POINT = `apiVersion: acme.example/v1
kind: WorkloadCluster
metadata:
  name: workload-cluster
  annotations:
    config.kubernetes.io/local-config: "true"
    kpt.dev/config-injection: optional
spec:
  clusterName: example
`;

/** Names its VLAN after the cluster that was injected, by a function of its own. */
export const VLAN_PACKAGE: Readonly<Record<string, string>> = {
  Kptfile: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: vlan
  annotations:
    config.kubernetes.io/local-config: "true"
pipeline:
  mutators:
  - image: ghcr.io/kptdev/krm-functions-catalog/starlark:v0.4.3
    configPath: set-values.yaml
`,
  'set-values.yaml': `apiVersion: fn.kpt.dev/v1alpha1
kind: StarlarkRun
metadata:
  name: set-values
  annotations:
    config.kubernetes.io/local-config: "true"
source: |-
  items = ctx.resource_list["items"]
  for cluster in [r for r in items if r["kind"] == "WorkloadCluster"]:
    for vlan in [r for r in items if r["kind"] == "Vlan"]:
      vlan["metadata"]["name"] = cluster["spec"]["clusterName"]
`,
  'vlan.yaml': 'apiVersion: acme.example/v1\nkind: Vlan\nmetadata:\n  name: example\nspec: {}\n',
  'workload-cluster.yaml': POINT,
  'README.md': '# vlan\n',
};

/** A package of a ConfigMap and a context. */
export function basePackage(name: string): Readonly<Record<string, string>> {
  return {
    Kptfile: `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n`,
    'package-context.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  name: example\n',
    'config.yaml': configMap(name, { color: 'blue' }),
  };
}

export interface VariantDocument {
  readonly name: string;
  /** `REPOSITORY/PACKAGE`. */
  readonly upstream: string;
  readonly downstream: string;
  /** More lines of the upstream: a revision or a workspace. */
  readonly revision?: string;
  /** More lines of the spec. */
  readonly more?: string;
}

const GROUP = 'config.porch.kpt.dev';

function placeOf(place: string): string {
  const [repo, path] = place.split('/');
  return `repo: ${repo}, package: ${path}`;
}

export function variantDocument({
  name,
  upstream,
  downstream,
  revision = '',
  more = '',
}: VariantDocument): string {
  return `apiVersion: ${GROUP}/v1alpha1
kind: PackageVariant
metadata: {name: ${name}}
spec:
  upstream: {${placeOf(upstream)}${revision === '' ? '' : `, ${revision}`}}
  downstream: {${placeOf(downstream)}}
${more}`;
}

/** Adds an object of the cluster and an annotation of it, as documents of workload clusters do. */
export const forCluster = (cluster: string): string => `  annotations: {approval.acme.example/policy: initial}
  injectors: [{kind: WorkloadCluster, name: ${cluster}}]
  pipeline:
    mutators:
    - image: ghcr.io/kptdev/krm-functions-catalog/set-annotations:v0.1.4
      configMap: {acme.example/cluster-name: ${cluster}}
`;

export const clusterObject = (name: string): string =>
  `apiVersion: acme.example/v1\nkind: WorkloadCluster\nmetadata: {name: ${name}}\nspec: {clusterName: chosen-${name}, cnis: [macvlan], masterInterface: eth1}\n`;

export const registered = (name: string, url: string): string =>
  `apiVersion: ${GROUP}/v1alpha1\nkind: Repository\nmetadata: {name: ${name}}\nspec: {type: git, git: {repo: ${url}.git}}\n`;
