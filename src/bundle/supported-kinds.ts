/** Kinds that a registry+v1 bundle may hold beside its CSV and CRDs, as operator-registry has them. */
const NAMESPACED = [
  'ClusterServiceVersion',
  'ConfigMap',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodMonitor',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'Secret',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
];
const CLUSTER_WIDE = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ConsoleCLIDownload',
  'ConsoleLink',
  'ConsolePlugin',
  'ConsoleQuickStart',
  'ConsoleYAMLSample',
  'CustomResourceDefinition',
  'PriorityClass',
];

/** `VerticalPodAutoscaler` is namespaced in Kubernetes and not so upstream; its namespace stays as it is. */
const SCOPES: ReadonlyMap<string, 'namespace' | 'cluster'> = new Map([
  ...NAMESPACED.map((kind) => [kind, 'namespace'] as const),
  ...CLUSTER_WIDE.map((kind) => [kind, 'cluster'] as const),
  ['VerticalPodAutoscaler', 'cluster'],
]);

/** Where objects of a kind live; undefined for a kind that no bundle may hold. */
export function scopeOf(kind: string): 'namespace' | 'cluster' | undefined {
  return SCOPES.get(kind);
}
