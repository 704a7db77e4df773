/** set-labels v0.2 (krm-functions-catalog functions/go/set-labels/setlabels/transformer.go). */
import { isMap, groupOf } from '../../package/plain-values.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import { apiVersionOf, configMapData, failure, isGvk, isLocalConfig, kindOf, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { setLabelsOld } from './set-labels-v0.1.ts';

export const setLabels: BuiltinFunction = {
  name: 'set-labels',
  versions: [
    { major: 0, minor: 1, patch: 9, run: setLabelsOld },
    { major: 0, minor: 2, patch: 5, run, each: setLabelsEach },
  ],
  type: 'mutator',
  summary: 'sets labels on resources, selectors and pod templates',
  config: ['ConfigMap', 'SetLabels'],
  fields: 'metadata.labels, selectors, pod and job templates, volume claim templates',
  idempotent: 'yes',
};

type Path = readonly string[];

/** Sets labels on resources, their selectors and pod templates. Result: how many were set. */
function run(input: BuiltinInput): BuiltinOutput {
  const { items } = input;
  if (input.functionConfig === undefined) {
    return failure([{ message: '`FunctionConfig` is not given', severity: 'info' }]);
  }
  const labels = labelsOf(input.functionConfig);
  if (typeof labels === 'string') return failure([{ message: labels, severity: 'error' }]);
  if (Object.keys(labels).length === 0) {
    const message = 'no `labels` arguments are given in FunctionConfig';
    return { items, results: [{ message, severity: 'warning' }] };
  }
  const counts = items.map((item) => (isLocalConfig(item) ? 0 : labelItem(item, labels)));
  return { items, results: [countResult(counts)] };
}

/** The same, one resource at a time. */
function setLabelsEach(input: Omit<BuiltinInput, 'items'>): Each | undefined {
  const labels = input.functionConfig === undefined ? '' : labelsOf(input.functionConfig);
  if (typeof labels === 'string' || Object.keys(labels).length === 0) return undefined;
  return each({
    apply: (item) => (isLocalConfig(item) ? 0 : labelItem(item, labels)),
    finish: (counts) => [countResult(counts)],
  });
}

function countResult(counts: readonly number[]): ResultItem {
  if (counts.length === 0) return { message: 'no input resources', severity: 'info' };
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { message: `set ${count} labels in total`, severity: 'info' };
}

/** The labels, or what is wrong with the configuration. */
function labelsOf(config: KrmObject): Readonly<Record<string, string>> | string {
  const data = configMapData(config);
  if (data !== undefined) return data;
  const group = groupOf(apiVersionOf(config));
  if (kindOf(config) !== 'SetLabels' || group !== 'fn.kpt.dev') {
    return `unknown FunctionConfig \`${kindOf(config)}.${group}\`, expect \`SetLabels.fn.kpt.dev\` or \`ConfigMap.v1\``;
  }
  const labels = config['labels'] ?? {};
  const type = Array.isArray(labels) ? 'array' : typeof labels;
  const strings = isMap(labels) ? stringsOf(labels) : null;
  if (strings !== null) return strings;
  return (
    'unable to convert object to *setlabels.SetLabels with error: json: cannot unmarshal ' +
    `${type} into Go struct field SetLabels.labels of type map[string]string`
  );
}

function labelItem(item: KrmObject, labels: Readonly<Record<string, string>>): number {
  let count = setAt(item, ['metadata', 'labels'], labels, true);
  for (const [path, create] of pathsOf(item)) count += setAt(item, path, labels, create);
  return count;
}

/** Where labels stand besides `metadata.labels`, and whether missing ones are added there. */
function pathsOf(item: KrmObject): [Path, boolean][] {
  const paths: [Path, boolean][] = [];
  const replication = isGvk(item, '', 'v1', 'ReplicationController');
  const service = isGvk(item, '', 'v1', 'Service');
  const stateful = isGvk(item, 'apps', '', 'StatefulSet');
  const job = isGvk(item, 'batch', '', 'Job');
  const workload =
    ['Deployment', 'ReplicaSet', 'DaemonSet'].some((kind) => isGvk(item, '', '', kind)) || stateful;
  if (replication || service) paths.push([['spec', 'selector'], true]);
  if (workload) paths.push([['spec', 'selector', 'matchLabels'], true]);
  if (job || isGvk(item, 'policy', '', 'PodDisruptionBudget'))
    paths.push([['spec', 'selector', 'matchLabels'], false]);
  if ((replication || workload || job) && has(item, ['spec', 'template'])) {
    paths.push(...templatePaths(['spec', 'template']));
  }
  if (isGvk(item, 'batch', '', 'CronJob') && has(item, ['spec', 'jobTemplate'])) {
    const job = ['spec', 'jobTemplate'];
    paths.push([[...job, 'metadata', 'labels'], true], [[...job, 'spec', 'selector', 'matchLabels'], false]);
    if (has(item, [...job, 'spec', 'template'])) paths.push(...templatePaths([...job, 'spec', 'template']));
  }
  if (stateful) {
    paths.push([['spec', 'volumeClaimTemplates', '[]', 'metadata', 'labels'], true]);
    paths.push([['spec', 'volumeClaimTemplates', '[]', 'selector', 'matchLabels'], false]);
  }
  if (isGvk(item, 'networking.k8s.io', '', 'NetworkPolicy')) {
    paths.push([['spec', 'podSelector', 'matchLabels'], false]);
    paths.push([['spec', 'ingress', '[]', 'from', '[]', 'podSelector', 'matchLabels'], false]);
    paths.push([['spec', 'egress', '[]', 'to', '[]', 'podSelector', 'matchLabels'], false]);
  }
  return paths;
}

/** Affinity is not among them: upstream reads its lists from the wrong field, and so never changes them. */
function templatePaths(template: Path): [Path, boolean][] {
  return [
    [[...template, 'metadata', 'labels'], true],
    [[...template, 'spec', 'topologySpreadConstraints', '[]', 'labelSelector', 'matchLabels'], false],
  ];
}

function has(item: KrmObject, path: Path): boolean {
  let here: unknown = item;
  for (const key of path) {
    if (!isMap(here)) return false;
    here = here[key];
  }
  return isMap(here);
}

/** Sets the labels in the map at the path; how many were set or found there. */
function setAt(
  value: unknown,
  path: Path,
  labels: Readonly<Record<string, string>>,
  create: boolean,
): number {
  const [head, ...rest] = path;
  if (head === '[]') {
    if (!Array.isArray(value)) return 0;
    return value.reduce((sum: number, item) => sum + setAt(item, rest, labels, create), 0);
  }
  if (!isMap(value)) return 0;
  if (head === undefined) {
    const keys = Object.keys(labels)
      .sort()
      .filter((key) => create || Object.hasOwn(value, key));
    for (const key of keys) value[key] = labels[key];
    return keys.length;
  }
  if (value[head] === undefined || value[head] === null) {
    if (!create || rest[0] === '[]') return 0;
    value[head] = {};
  }
  return setAt(value[head], rest, labels, create);
}
