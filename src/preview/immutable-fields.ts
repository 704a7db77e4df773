/**
 * Fields that a cluster does not let anybody change: where one differs, the object has to be deleted and made anew, with
 * what that ends. From the validation of updates in Kubernetes (pkg/apis, ValidateUpdate of each kind).
 */
import { isDeepStrictEqual } from 'node:util';

import { mapAt, valueAt, type Fields } from '../package/plain-values.ts';
import type { ExecutedResource } from './executed.ts';

type Rule = (before: Fields, after: Fields) => readonly string[];

const WORKLOAD = fields('spec.selector');
const CONFIG: Rule = (before, after) =>
  before['immutable'] === true
    ? differing(before, after, ['data', 'binaryData', 'stringData', 'immutable'])
    : [];

const RULES: Readonly<Record<string, Rule>> = {
  'apps/Deployment': WORKLOAD,
  'apps/DaemonSet': WORKLOAD,
  'apps/ReplicaSet': WORKLOAD,
  'apps/StatefulSet': allBut('spec', [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ]),
  'batch/Job': fields(
    'spec.selector',
    'spec.template',
    'spec.completionMode',
    'spec.manualSelector',
    'spec.managedBy',
  ),
  '/PersistentVolumeClaim': claim,
  '/Service': service,
  '/ConfigMap': CONFIG,
  '/Secret': (before, after) => [
    ...CONFIG(before, after),
    ...(kindOfSecret(before) === kindOfSecret(after) ? [] : ['type']),
  ],
  '/Pod': allBut('spec', [
    'containers',
    'initContainers',
    'ephemeralContainers',
    'activeDeadlineSeconds',
    'tolerations',
  ]),
  'rbac.authorization.k8s.io/RoleBinding': fields('roleRef'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': fields('roleRef'),
  'storage.k8s.io/StorageClass': fields('provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'),
  'scheduling.k8s.io/PriorityClass': fields('value', 'preemptionPolicy'),
  'networking.k8s.io/IngressClass': fields('spec.controller'),
  'node.k8s.io/RuntimeClass': fields('handler'),
  'discovery.k8s.io/EndpointSlice': fields('addressType'),
  'certificates.k8s.io/CertificateSigningRequest': fields('spec'),
  'apiextensions.k8s.io/CustomResourceDefinition': fields(
    'spec.scope',
    'spec.group',
    'spec.names.kind',
    'spec.names.plural',
  ),
};

/** The fields of an object that differ and cannot be changed, such as `spec.selector`; none for kinds without such fields. */
export function immutableChanges(before: ExecutedResource, after: ExecutedResource): readonly string[] {
  const group = after.group === 'extensions' ? 'apps' : after.group;
  return RULES[`${group}/${after.kind}`]?.(before.value, after.value) ?? [];
}

function fields(...paths: readonly string[]): Rule {
  return (before, after) => differing(before, after, paths);
}

function differing(before: Fields, after: Fields, paths: readonly string[]): readonly string[] {
  return paths.filter(
    (path) =>
      !isDeepStrictEqual(
        plain(valueAt(before, ...path.split('.'))),
        plain(valueAt(after, ...path.split('.'))),
      ),
  );
}

function allBut(field: string, mutable: readonly string[]): Rule {
  return (before, after) => {
    const [a, b] = [mapAt(before, field), mapAt(after, field)];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
      (name) => !mutable.includes(name),
    );
    return differing(a, b, names).map((name) => `${field}.${name}`);
  };
}

/** Room may grow, and what a cluster fills in where it is not said is no change. */
function claim(before: Fields, after: Fields): readonly string[] {
  const room = ['resources', 'volumeAttributesClassName', 'volumeName', 'storageClassName', 'volumeMode'];
  const fields = ['volumeName', 'storageClassName', 'volumeMode'].map((name) => `spec.${name}`);
  return [...allBut('spec', room)(before, after), ...saidTwice(before, after, fields)];
}

/** An address that both name; one that is not said is given by the cluster and stays. */
function service(before: Fields, after: Fields): readonly string[] {
  const types = [before, after].map((side) => valueAt(side, 'spec', 'type'));
  if (types.includes('ExternalName')) return [];
  const fields = saidTwice(before, after, ['spec.clusterIP']);
  const headless = [before, after].map((side) => valueAt(side, 'spec', 'clusterIP') === 'None');
  return fields.length === 0 && headless[0] !== headless[1] ? ['spec.clusterIP'] : fields;
}

function saidTwice(before: Fields, after: Fields, paths: readonly string[]): readonly string[] {
  const both = paths.filter(
    (path) => isSaid(valueAt(before, ...path.split('.'))) && isSaid(valueAt(after, ...path.split('.'))),
  );
  return differing(before, after, both);
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function kindOfSecret(secret: Fields): unknown {
  return secret['type'] ?? 'Opaque';
}

/** Without prototypes and notes of the reader, so that only data is compared; null is absence. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, plain(inner)]])),
  );
}
