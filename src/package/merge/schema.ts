import { entryOf, textAt, valueAt } from '../yaml/node.ts';
import type { ListNode, YamlNode } from '../yaml/node.ts';

/**
 * Which lists merge by which fields, as Kubernetes' own schema says (`x-kubernetes-patch-merge-key`). A pattern is a
 * field path with `[]` behind each list. No keys: the items themselves are united.
 */
export type ListKeys = (pattern: string) => readonly string[] | undefined;

const NAME = ['name'];
const CONDITIONS = ['type'];

/** Lists in every resource's metadata, the ones of embedded templates included. */
const METADATA: Record<string, readonly string[]> = { finalizers: [], ownerReferences: ['uid'] };

const CONTAINER: Record<string, readonly string[]> = {
  env: NAME,
  ports: ['containerPort', 'protocol'],
  volumeDevices: ['devicePath'],
  volumeMounts: ['mountPath'],
};

const POD_SPEC: Record<string, readonly string[]> = {
  containers: NAME,
  initContainers: NAME,
  ephemeralContainers: NAME,
  hostAliases: ['ip'],
  imagePullSecrets: NAME,
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  volumes: NAME,
};

/** Where the pod template stands in the kinds that have one. */
const TEMPLATE_AT: Record<string, string> = {
  'apps/v1 DaemonSet': 'spec.template.',
  'apps/v1 Deployment': 'spec.template.',
  'apps/v1 ReplicaSet': 'spec.template.',
  'apps/v1 StatefulSet': 'spec.template.',
  'batch/v1 CronJob': 'spec.jobTemplate.spec.template.',
  'batch/v1beta1 CronJob': 'spec.jobTemplate.spec.template.',
  'batch/v1 Job': 'spec.template.',
  'v1 Pod': '',
  'v1 PodTemplate': 'template.',
  'v1 ReplicationController': 'spec.template.',
};

const OTHER: Record<string, Record<string, readonly string[]>> = {
  'kustomize.config.k8s.io/v1beta1 Kustomization': { configMapGenerator: NAME, secretGenerator: NAME },
  'storage.k8s.io/v1 CSINode': { 'spec.drivers': NAME },
  'storage.k8s.io/v1beta1 CSINode': { 'spec.drivers': NAME },
  'v1 ComponentStatus': { conditions: CONDITIONS },
  'v1 Node': { 'spec.podCIDRs': [], 'status.addresses': ['type'], 'status.conditions': CONDITIONS },
  'v1 Pod': { 'status.podIPs': ['ip'], 'status.conditions': CONDITIONS },
  'v1 Service': { 'spec.ports': ['port', 'protocol'], 'status.conditions': CONDITIONS },
  'v1 ServiceAccount': { secrets: NAME },
  'apps/v1 StatefulSet': { 'spec.volumeClaimTemplates[].status.conditions': CONDITIONS },
  ...Object.fromEntries(
    ['v1', 'v1beta1'].flatMap((version) =>
      ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => [
        `admissionregistration.k8s.io/${version} ${kind}`,
        { webhooks: NAME },
      ]),
    ),
  ),
};

const WITH_CONDITIONS = new Set([
  'apiregistration.k8s.io/v1 APIService',
  'apiregistration.k8s.io/v1beta1 APIService',
  'apps/v1 DaemonSet',
  'apps/v1 Deployment',
  'apps/v1 ReplicaSet',
  'apps/v1 StatefulSet',
  'batch/v1 Job',
  'policy/v1 PodDisruptionBudget',
  'policy/v1beta1 PodDisruptionBudget',
  'v1 Namespace',
  'v1 PersistentVolumeClaim',
  'v1 ReplicationController',
]);

/** Groups whose kinds have Kubernetes' metadata lists; custom resources have them too, but kpt does not know it. */
const BUILTIN_GROUP = /^(?:v1|[a-z]+\/v\w+|[a-z.]+\.k8s\.io\/v\w+) /;
const EMBEDDED_METADATA = /^(?:.*\.)?metadata\.(finalizers|ownerReferences)$/;

/** The merge keys of a built-in kind; knows no others. */
export function builtinListKeys(apiVersion: string, kind: string): ListKeys {
  const gvk = `${apiVersion} ${kind}`;
  const template = TEMPLATE_AT[gvk];
  const pod = template === undefined ? undefined : `${template}spec.`;
  return (pattern) => {
    const metadata = EMBEDDED_METADATA.exec(pattern)?.[1];
    if (metadata !== undefined && BUILTIN_GROUP.test(gvk)) return METADATA[metadata];
    if (pattern === 'status.conditions' && WITH_CONDITIONS.has(gvk)) return CONDITIONS;
    const other = OTHER[gvk];
    if (other !== undefined && Object.hasOwn(other, pattern)) return other[pattern];
    if (pod === undefined || !pattern.startsWith(pod)) return undefined;
    return podListKeys(pattern.slice(pod.length));
  };
}

function podListKeys(pattern: string): readonly string[] | undefined {
  if (Object.hasOwn(POD_SPEC, pattern)) return POD_SPEC[pattern];
  const inner = /^(?:containers|initContainers|ephemeralContainers)\[\]\.(\w+)$/.exec(pattern)?.[1];
  return inner !== undefined && Object.hasOwn(CONTAINER, inner) ? CONTAINER[inner] : undefined;
}

/**
 * The merge keys that a CustomResourceDefinition gives its kinds: `x-kubernetes-list-type: map` with its keys, `set`,
 * or the patch extensions. Returned by `apiVersion kind`.
 */
export function crdListKeys(crd: YamlNode): Map<string, ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const group = textAt(crd, 'spec', 'group');
  const kind = textAt(crd, 'spec', 'names', 'kind');
  const versions = valueAt(crd, 'spec', 'versions');
  if (kind === '' || versions?.kind !== 'list') return found;
  for (const { value } of versions.items) {
    const lists = new Map<string, readonly string[]>();
    collect(valueAt(value, 'schema', 'openAPIV3Schema'), '', lists, 0);
    found.set(`${group}/${textAt(value, 'name')} ${kind}`, lists);
  }
  return found;
}

function collect(
  schema: YamlNode | undefined,
  pattern: string,
  lists: Map<string, readonly string[]>,
  depth: number,
): void {
  if (schema?.kind !== 'map' || depth > 60) return;
  const properties = valueAt(schema, 'properties');
  if (properties?.kind === 'map') {
    for (const entry of properties.entries) {
      collect(entry.value, pattern === '' ? entry.name : `${pattern}.${entry.name}`, lists, depth + 1);
    }
  }
  const items = entryOf(schema, 'items')?.value;
  if (items === undefined) return;
  const keys = extensionKeys(schema);
  if (keys !== undefined) lists.set(pattern, keys);
  collect(items, `${pattern}[]`, lists, depth + 1);
}

/** The merge keys that a schema's extensions name. */
function extensionKeys(schema: YamlNode): readonly string[] | undefined {
  const type = textAt(schema, 'x-kubernetes-list-type');
  if (type === 'set') return [];
  const mapKeys = valueAt(schema, 'x-kubernetes-list-map-keys');
  const merged = textAt(schema, 'x-kubernetes-patch-strategy').split(',').includes('merge');
  if (type !== 'map' && !merged) return undefined;
  if (mapKeys?.kind === 'list') return stringsOf(mapKeys);
  const key = textAt(schema, 'x-kubernetes-patch-merge-key');
  if (key !== '') return [key];
  return merged ? [] : undefined;
}

function stringsOf(list: ListNode): string[] {
  return list.items.flatMap(({ value }) => (value.kind === 'scalar' ? [String(value.value)] : []));
}
