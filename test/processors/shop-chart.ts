/** A chart with what charts have: a dependency, hooks, a CRD, a question to the cluster, optional parts. */
import type { Tree } from '../../src/package/tree-digest.ts';

type Files = Readonly<Record<string, string>>;

export function treeOf(files: Files): Tree {
  return new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));
}

const CHART: Files = {
  'Chart.yaml': `apiVersion: v2
name: shop
version: 1.0.0
appVersion: "7.2"
dependencies:
- {name: cache, version: 0.1.0, condition: cache.enabled}
`,
  'values.yaml': `replicas: 1
image: shop:7.2
cache: {enabled: true, size: 1Gi}
monitor: false
`,
  'templates/_names.tpl': `{{- define "shop.labels" -}}
app: shop
release: {{ .Release.Name }}
{{- end }}
`,
  'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web # the front
  namespace: {{ .Release.Namespace }}
  labels: {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: web, image: {{ .Values.image | quote }}}]}
`,
  'templates/settings.yaml': `{{- $old := lookup "v1" "ConfigMap" .Release.Namespace "shop-settings" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: shop-settings, namespace: {{ .Release.Namespace }}}
data:
  first: {{ if $old }}"no"{{ else }}"yes"{{ end }}
  kube: {{ .Capabilities.KubeVersion.Version }}
`,
  'templates/monitor.yaml': `{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: shop, namespace: {{ .Release.Namespace }}}
spec: {selector: {matchLabels: {app: shop}}}
{{- end }}
`,
  'templates/migrate.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: shop-migrate
  annotations: {helm.sh/hook: "pre-upgrade,pre-install"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: shop:7.2}]}}}
`,
  'templates/tests/alive.yaml': `apiVersion: v1
kind: Pod
metadata: {name: shop-alive, annotations: {helm.sh/hook: test, random: {{ randAlphaNum 9 | quote }}}}
spec: {containers: [{name: alive, image: busybox}]}
`,
  'crds/order.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Order, plural: orders}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
  'charts/cache/Chart.yaml': 'apiVersion: v2\nname: cache\nversion: 0.1.0\n',
  'charts/cache/templates/claim.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cache, namespace: {{ .Release.Namespace }}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: {{ .Values.size }}}}}
`,
};

/** The chart in a directory, with these files of it added or in the place of its own. */
export function shopChart(directory: string, changes: Files = {}): Files {
  const all = Object.entries({ ...CHART, ...changes });
  return Object.fromEntries(all.map(([path, text]) => [`${directory}/${path}`, text]));
}
