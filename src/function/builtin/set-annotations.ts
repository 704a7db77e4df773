/** set-annotations v0.1 (krm-functions-catalog functions/go/set-annotations, on kustomize's annotation filter). */
import { isMap } from '../../package/plain-values.ts';
import { fileOf } from '../../package/render/bookkeeping.ts';
import { getField, setField } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { compareText } from '../../text/compare-text.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { configMapData, frameworkFailure, kindOf, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const setAnnotations: BuiltinFunction = {
  name: 'set-annotations',
  versions: [{ major: 0, minor: 1, patch: 9, run, each: setAnnotationsEach }],
  type: 'mutator',
  summary: 'sets annotations on resources and pod templates',
  config: ['ConfigMap', 'SetAnnotations'],
  fields: 'metadata.annotations, also of pod and job templates; additional fields of the configuration',
  idempotent: 'yes',
};

const FIELDS: readonly FieldSpec[] = [
  { path: 'metadata/annotations', create: true },
  { path: 'spec/template/metadata/annotations', create: true, version: 'v1', kind: 'ReplicationController' },
  { path: 'spec/template/metadata/annotations', create: true, kind: 'Deployment' },
  { path: 'spec/template/metadata/annotations', create: true, kind: 'ReplicaSet' },
  { path: 'spec/template/metadata/annotations', create: true, kind: 'DaemonSet' },
  { path: 'spec/template/metadata/annotations', create: true, kind: 'StatefulSet' },
  { path: 'spec/template/metadata/annotations', create: true, group: 'batch', kind: 'Job' },
  { path: 'spec/jobTemplate/metadata/annotations', create: true, group: 'batch', kind: 'CronJob' },
  {
    path: 'spec/jobTemplate/spec/template/metadata/annotations',
    create: true,
    group: 'batch',
    kind: 'CronJob',
  },
];

/** Sets annotations on resources and pod templates. Results: one for each place that was set. */
function run(input: BuiltinInput): BuiltinOutput {
  const { items } = input;
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return frameworkFailure(`failed to configure function: ${config}`);
  return { items, results: sorted(items.map((item) => annotate(item, config))) };
}

/** The same, one resource at a time. */
function setAnnotationsEach(input: Omit<BuiltinInput, 'items'>): Each | undefined {
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return undefined;
  return each({ apply: (item) => annotate(item, config), finish: sorted });
}

function sorted(results: readonly (readonly ResultItem[])[]): readonly ResultItem[] {
  const all = results.flat();
  return all.length === 0 ? [{ message: 'no annotations applied' }] : all.sort(byPlace);
}

function annotate(item: KrmObject, { annotations, fields, message }: Config): ResultItem[] {
  const results: ResultItem[] = [];
  for (const { spec, field } of fields) {
    let found = false;
    visitField(item, spec, (container, key) => {
      const old = getField(container, key);
      const map: KrmObject = isMap(old) ? old : {};
      if (map !== old) setField(container, key, map);
      for (const [name, value] of Object.entries(annotations)) map[name] = value;
      found = true;
    });
    if (found) results.push({ message, field, ...fileOf(item) });
  }
  return results;
}

function named(spec: FieldSpec): Config['fields'][number] {
  return { spec, field: { path: dotted(spec.path) } };
}

function dotted(path: string): string {
  return path
    .replaceAll('[]', '')
    .split(/(?<!\\)\//)
    .join('.')
    .replaceAll('\\/', '/');
}

interface Config {
  /** Sorted by name. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Those of the user first. */
  readonly fields: readonly { readonly spec: FieldSpec; readonly field: { readonly path: string } }[];
  readonly message: string;
}

function readConfig(config: KrmObject | undefined): Config | string {
  const data = configMapData(config);
  if (config === undefined || (data === undefined && !/^SetAnnotation(?:s|Config)$/.test(kindOf(config)))) {
    return '`functionConfig` must be a `ConfigMap` or `SetAnnotations`';
  }
  const given = data ?? (isMap(config['annotations']) ? (stringsOf(config['annotations']) ?? {}) : {});
  if (Object.keys(given).length === 0) return 'input annotation list cannot be empty';
  if (
    data === undefined &&
    config['additionalAnnotationFields'] !== undefined &&
    config['fieldSpecs'] !== undefined
  ) {
    return '`additionalAnnotationFields` and `fieldSpecs` cannot be used together';
  }
  const fields =
    data === undefined ? readFieldSpecs(config['additionalAnnotationFields'] ?? config['fieldSpecs']) : [];
  const names = Object.keys(given).sort();
  const annotations = Object.fromEntries(names.map((name) => [name, given[name] ?? '']));
  const message = `set annotations: ${JSON.stringify(annotations)}`;
  return { annotations, fields: [...fields, ...FIELDS].map(named), message };
}

function byPlace(a: ResultItem, b: ResultItem): number {
  return (
    compareText(a.file?.path ?? '', b.file?.path ?? '') ||
    (a.file?.index ?? 0) - (b.file?.index ?? 0) ||
    compareText(a.field?.path ?? '', b.field?.path ?? '')
  );
}
