/**
 * Which built-in types live in a namespace: the table that kpt's functions carry (kyaml openapi,
 * precomputedIsNamespaceScoped). It knows no autoscaling/v2; newer types are told by their `metadata.namespace`.
 */
const NAMESPACED: Record<string, string> = {
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'authorization.k8s.io/v1': 'LocalSubjectAccessReview',
  'authorization.k8s.io/v1beta1': 'LocalSubjectAccessReview',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'autoscaling/v2beta1': 'HorizontalPodAutoscaler',
  'autoscaling/v2beta2': 'HorizontalPodAutoscaler',
  'batch/v1': 'CronJob Job',
  'batch/v1beta1': 'CronJob',
  'coordination.k8s.io/v1': 'Lease',
  'coordination.k8s.io/v1beta1': 'Lease',
  'discovery.k8s.io/v1': 'EndpointSlice',
  'discovery.k8s.io/v1beta1': 'EndpointSlice',
  'events.k8s.io/v1': 'Event',
  'events.k8s.io/v1beta1': 'Event',
  'extensions/v1beta1': 'Ingress',
  'networking.k8s.io/v1': 'Ingress NetworkPolicy',
  'networking.k8s.io/v1beta1': 'Ingress',
  'policy/v1': 'PodDisruptionBudget',
  'policy/v1beta1': 'PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1': 'Role RoleBinding',
  'rbac.authorization.k8s.io/v1beta1': 'Role RoleBinding',
  'storage.k8s.io/v1beta1': 'CSIStorageCapacity',
  v1:
    'Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ' +
    'ResourceQuota Secret Service ServiceAccount',
};

const CLUSTER: Record<string, string> = {
  'admissionregistration.k8s.io/v1': 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1': 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiextensions.k8s.io/v1beta1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'apiregistration.k8s.io/v1beta1': 'APIService',
  'authentication.k8s.io/v1': 'TokenReview',
  'authentication.k8s.io/v1beta1': 'TokenReview',
  'authorization.k8s.io/v1': 'SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'authorization.k8s.io/v1beta1': 'SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'certificates.k8s.io/v1': 'CertificateSigningRequest',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/v1beta1': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io/v1': 'IngressClass',
  'networking.k8s.io/v1beta1': 'IngressClass',
  'node.k8s.io/v1': 'RuntimeClass',
  'node.k8s.io/v1beta1': 'RuntimeClass',
  'policy/v1beta1': 'PodSecurityPolicy',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1': 'ClusterRole ClusterRoleBinding',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'scheduling.k8s.io/v1beta1': 'PriorityClass',
  'storage.k8s.io/v1': 'CSIDriver CSINode StorageClass VolumeAttachment',
  'storage.k8s.io/v1beta1': 'CSIDriver CSINode StorageClass VolumeAttachment',
  v1: 'ComponentStatus Namespace Node PersistentVolume',
};

/** Where a type lives, as far as the table knows. */
export function scopeOf(apiVersion: string, kind: string): 'namespaced' | 'cluster' | undefined {
  if (lists(NAMESPACED, apiVersion, kind)) return 'namespaced';
  return lists(CLUSTER, apiVersion, kind) ? 'cluster' : undefined;
}

function lists(table: Record<string, string>, apiVersion: string, kind: string): boolean {
  return Object.hasOwn(table, apiVersion) && ` ${table[apiVersion]} `.includes(` ${kind} `);
}
