/**
 * Which fields name which kinds of resource: kustomize's default name references
 * (api/internal/konfig/builtinpluginconsts/namereference.go).
 */
import type { FieldSpec } from './field-spec.ts';

export interface NameReference {
  readonly group: string;
  readonly kind: string;
  readonly fields: readonly FieldSpec[];
}

/** Kinds with a pod spec and where it stands. */
const POD_SPECS: readonly { readonly kind: string; readonly path: string }[] = [
  { kind: 'Pod', path: 'spec' },
  { kind: 'Deployment', path: 'spec/template/spec' },
  { kind: 'ReplicaSet', path: 'spec/template/spec' },
  { kind: 'DaemonSet', path: 'spec/template/spec' },
  { kind: 'StatefulSet', path: 'spec/template/spec' },
  { kind: 'ReplicationController', path: 'spec/template/spec' },
  { kind: 'Job', path: 'spec/template/spec' },
  { kind: 'CronJob', path: 'spec/jobTemplate/spec/template/spec' },
];

function inPods(...paths: string[]): FieldSpec[] {
  return POD_SPECS.flatMap(({ kind, path }) => paths.map((inner) => ({ kind, path: `${path}/${inner}` })));
}

function inContainers(...paths: string[]): string[] {
  return ['containers', 'initContainers'].flatMap((list) => paths.map((path) => `${list}[]/${path}`));
}

const HPA = { kind: 'HorizontalPodAutoscaler', path: 'spec/scaleTargetRef/name' };

export const NAME_REFERENCES: readonly NameReference[] = [
  { group: 'apps', kind: 'Deployment', fields: [HPA] },
  { group: 'apps', kind: 'ReplicaSet', fields: [HPA] },
  { group: '', kind: 'ReplicationController', fields: [HPA] },
  { group: 'apps', kind: 'StatefulSet', fields: [HPA] },
  {
    group: '',
    kind: 'ConfigMap',
    fields: [
      ...inPods(
        'volumes[]/configMap/name',
        'volumes[]/projected/sources[]/configMap/name',
        ...inContainers('env[]/valueFrom/configMapKeyRef/name', 'envFrom[]/configMapRef/name'),
      ),
      { kind: 'Node', path: 'spec/configSource/configMap/name' },
    ],
  },
  {
    group: '',
    kind: 'Secret',
    fields: [
      ...inPods(
        'volumes[]/secret/secretName',
        'volumes[]/projected/sources[]/secret/name',
        'imagePullSecrets[]/name',
        ...inContainers('env[]/valueFrom/secretKeyRef/name', 'envFrom[]/secretRef/name'),
      ),
      { kind: 'ServiceAccount', path: 'imagePullSecrets[]/name' },
      { kind: 'ServiceAccount', path: 'secrets[]/name' },
      { kind: 'Ingress', path: 'spec/tls[]/secretName' },
      { kind: 'Ingress', path: 'metadata/annotations/ingress.kubernetes.io\\/auth-secret' },
      { kind: 'Ingress', path: 'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret' },
      { kind: 'Ingress', path: 'metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret' },
      { kind: 'StorageClass', path: 'parameters/secretName' },
      { kind: 'StorageClass', path: 'parameters/adminSecretName' },
      { kind: 'StorageClass', path: 'parameters/userSecretName' },
      { kind: 'PersistentVolume', path: 'spec/rbd/secretRef/name' },
      { kind: 'PersistentVolume', path: 'spec/cephfs/secretRef/name' },
      { kind: 'PersistentVolume', path: 'spec/iscsi/secretRef/name' },
    ],
  },
  {
    group: '',
    kind: 'Service',
    fields: [
      { group: 'apps', kind: 'StatefulSet', path: 'spec/serviceName' },
      { kind: 'Ingress', path: 'spec/rules[]/http/paths[]/backend/serviceName' },
      { kind: 'Ingress', path: 'spec/backend/serviceName' },
      { kind: 'Ingress', path: 'spec/rules[]/http/paths[]/backend/service/name' },
      { kind: 'Ingress', path: 'spec/defaultBackend/service/name' },
      { group: 'apiregistration.k8s.io', kind: 'APIService', path: 'spec/service/name' },
      { kind: 'ValidatingWebhookConfiguration', path: 'webhooks[]/clientConfig/service/name' },
      { kind: 'MutatingWebhookConfiguration', path: 'webhooks[]/clientConfig/service/name' },
      { kind: 'CustomResourceDefinition', path: 'spec/conversion/webhook/clientConfig/service/name' },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    kind: 'Role',
    fields: [{ kind: 'RoleBinding', path: 'roleRef/name' }],
  },
  {
    group: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    fields: [
      { kind: 'RoleBinding', path: 'roleRef/name' },
      { kind: 'ClusterRoleBinding', path: 'roleRef/name' },
    ],
  },
  {
    group: '',
    kind: 'ServiceAccount',
    fields: [
      ...inPods('serviceAccountName'),
      { kind: 'RoleBinding', path: 'subjects[]/name' },
      { kind: 'ClusterRoleBinding', path: 'subjects[]/name' },
    ],
  },
  { group: '', kind: 'PersistentVolumeClaim', fields: inPods('volumes[]/persistentVolumeClaim/claimName') },
  {
    group: '',
    kind: 'PersistentVolume',
    fields: [{ kind: 'PersistentVolumeClaim', path: 'spec/volumeName' }],
  },
  {
    group: 'storage.k8s.io',
    kind: 'StorageClass',
    fields: [
      { kind: 'PersistentVolume', path: 'spec/storageClassName' },
      { kind: 'PersistentVolumeClaim', path: 'spec/storageClassName' },
      { kind: 'StatefulSet', path: 'spec/volumeClaimTemplates[]/spec/storageClassName' },
    ],
  },
  { group: 'scheduling.k8s.io', kind: 'PriorityClass', fields: inPods('priorityClassName') },
  {
    group: 'networking.k8s.io',
    kind: 'IngressClass',
    fields: [{ kind: 'Ingress', path: 'spec/ingressClassName' }],
  },
];
