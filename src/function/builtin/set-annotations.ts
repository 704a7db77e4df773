/** set-annotations v0.1 (krm-functions-catalog functions/go/set-annotations, on kustomize's annotation filter). */
import { getField, isMap, setField } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { configMapData, fileOf, frameworkFailure, kindOf, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

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
export function setAnnotations(input: BuiltinInput): BuiltinOutput {
  const { items } = input;
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return frameworkFailure(`failed to configure function: ${config}`);
  const results: ResultItem[] = [];
  for (const item of items) {
    for (const spec of [...config.fields, ...FIELDS]) {
      let found = false;
      visitField(item, spec, (container, key) => {
        const old = getField(container, key);
        const map: KrmObject = isMap(old) ? old : {};
        if (map !== old) setField(container, key, map);
        for (const [name, value] of Object.entries(config.annotations)) map[name] = value;
        found = true;
      });
      if (!found) continue;
      const path = spec.path
        .replaceAll('[]', '')
        .split(/(?<!\\)\//)
        .join('.')
        .replaceAll('\\/', '/');
      results.push({
        message: `set annotations: ${JSON.stringify(config.annotations)}`,
        field: { path },
        ...fileOf(item),
      });
    }
  }
  if (results.length === 0) return { items, results: [{ message: 'no annotations applied' }] };
  return { items, results: results.sort(byPlace) };
}

interface Config {
  /** Sorted by name. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly fields: readonly FieldSpec[];
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
  return { annotations: Object.fromEntries(names.map((name) => [name, given[name] ?? ''])), fields };
}

function byPlace(a: ResultItem, b: ResultItem): number {
  return (
    compare(a.file?.path ?? '', b.file?.path ?? '') ||
    (a.file?.index ?? 0) - (b.file?.index ?? 0) ||
    compare(a.field?.path ?? '', b.field?.path ?? '')
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
