/** set-labels v0.1 (kpt-functions-catalog of 2021, on kustomize's label transformer): another program than v0.2. */
import { isMap } from '../../package/plain-values.ts';
import { getField, setField } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { configMapData, frameworkFailure, kindOf, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { withoutMetaResources } from './meta-resources.ts';

const TEMPLATE = 'spec/template/metadata/labels';
const SELECTOR = 'spec/selector/matchLabels';
const AFFINITY = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
  `spec/template/spec/affinity/${kind}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `spec/template/spec/affinity/${kind}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);
const SPREAD = 'spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels';

/** kustomize's `commonLabels` (api/konfig/builtinpluginconsts/commonlabels.go). */
const FIELDS: readonly FieldSpec[] = [
  { path: 'metadata/labels', create: true },
  { path: 'spec/selector', create: true, version: 'v1', kind: 'Service' },
  { path: 'spec/selector', create: true, version: 'v1', kind: 'ReplicationController' },
  { path: TEMPLATE, create: true, version: 'v1', kind: 'ReplicationController' },
  ...['Deployment', 'ReplicaSet', 'DaemonSet'].flatMap((kind): FieldSpec[] => [
    { path: SELECTOR, create: true, kind },
    { path: TEMPLATE, create: true, kind },
  ]),
  { path: SELECTOR, create: true, group: 'apps', kind: 'StatefulSet' },
  { path: TEMPLATE, create: true, group: 'apps', kind: 'StatefulSet' },
  { path: 'spec/volumeClaimTemplates[]/metadata/labels', create: true, group: 'apps', kind: 'StatefulSet' },
  ...['Deployment', 'StatefulSet'].flatMap((kind) =>
    [...AFFINITY, SPREAD].map((path): FieldSpec => ({ path, group: 'apps', kind })),
  ),
  { path: SELECTOR, group: 'batch', kind: 'Job' },
  { path: TEMPLATE, create: true, group: 'batch', kind: 'Job' },
  { path: 'spec/jobTemplate/spec/selector/matchLabels', group: 'batch', kind: 'CronJob' },
  { path: 'spec/jobTemplate/metadata/labels', create: true, group: 'batch', kind: 'CronJob' },
  { path: `spec/jobTemplate/${TEMPLATE}`, create: true, group: 'batch', kind: 'CronJob' },
  { path: SELECTOR, group: 'policy', kind: 'PodDisruptionBudget' },
  { path: 'spec/podSelector/matchLabels', group: 'networking.k8s.io', kind: 'NetworkPolicy' },
  { path: 'spec/ingress/from/podSelector/matchLabels', group: 'networking.k8s.io', kind: 'NetworkPolicy' },
  { path: 'spec/egress/to/podSelector/matchLabels', group: 'networking.k8s.io', kind: 'NetworkPolicy' },
];

/** Sets labels on all resources, local configuration included, their selectors and pod templates. No results. */
export function setLabelsOld(input: BuiltinInput): BuiltinOutput {
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return frameworkFailure(`failed to configure function: ${config}`);
  const labels = Object.entries(config.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const item of withoutMetaResources(input.items)) {
    for (const spec of [...FIELDS, ...config.fields]) {
      visitField(item, spec, (container, key) => {
        const old = getField(container, key);
        const map: KrmObject = isMap(old) ? old : {};
        if (map !== old) setField(container, key, map);
        for (const [name, value] of labels) setField(map, name, value);
      });
    }
  }
  return { items: input.items, results: [] };
}

interface Config {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: readonly FieldSpec[];
}

function readConfig(config: KrmObject | undefined): Config | string {
  const data = configMapData(config);
  if (config === undefined || (data === undefined && !/^SetLabel(?:s|Config)$/.test(kindOf(config))))
    return '`functionConfig` must be either a `ConfigMap` or `SetLabels`';
  const labels = data ?? (isMap(config['labels']) ? (stringsOf(config['labels']) ?? {}) : {});
  if (Object.keys(labels).length === 0) return 'input label list cannot be empty';
  const { additionalLabelFields, fieldSpecs } = config;
  if (data === undefined && additionalLabelFields !== undefined && fieldSpecs !== undefined)
    return 'fieldSpecs has been deprecated, please rename it to additionalLabelFields';
  return { labels, fields: data === undefined ? readFieldSpecs(additionalLabelFields ?? fieldSpecs) : [] };
}
