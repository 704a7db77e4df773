/** set-namespace v0.4 (krm-functions-catalog functions/go/set-namespace/transformer/namespace.go, state of 2026). */
import { isMap, groupOf } from '../../package/plain-values.ts';
import { annotationOf, ensureMap } from '../../package/render/bookkeeping.ts';
import { textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import {
  aboutOf,
  apiVersionOf,
  configMapData,
  failure,
  isGvk,
  isLocalConfig,
  kindOf,
  metadataOf,
  nameOf,
  namespaceOf,
} from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { scopeOf } from './namespace-scope.ts';
import { setNamespaceOld } from './set-namespace-v0.1.ts';
import { setNamespaceOfOne } from './set-namespace-v0.3.ts';

export const setNamespace: BuiltinFunction = {
  name: 'set-namespace',
  versions: [
    { major: 0, minor: 1, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 2, patch: 9, run: setNamespaceOld },
    { major: 0, minor: 3, patch: 9, run: setNamespaceOfOne },
    { major: 0, minor: 4, patch: 5, run, each: setNamespaceEach },
  ],
  type: 'mutator',
  summary: 'moves namespaced resources, and what names their namespace',
  config: ['ConfigMap', 'SetNamespace'],
  fields: 'metadata.namespace, names of Namespaces, subjects, services of webhooks, `depends-on`',
  idempotent: 'yes',
};

const DEPENDS_ON = 'config.kubernetes.io/depends-on';
const ORIGIN = 'internal.kpt.dev/upstream-identifier';

/** Moves all namespaced resources, and what names their namespace, into one namespace. */
function run(input: BuiltinInput): BuiltinOutput {
  const { items } = input;
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string')
    return failure([
      { message: config, severity: 'error', ...(input.functionConfig && aboutOf(input.functionConfig)) },
    ]);
  const present = new Set(items.map((item) => dependency(item, namespaceOf(item))));
  const change: Change = { ...config, count: 0, old: new Set() };
  const depends: Change = { ...config, count: 0, old: new Set() };
  for (const item of items) {
    if (isLocalConfig(item)) continue;
    const origin = originOf(item);
    for (const field of namespaceFields(item)) replace(field, change, origin);
  }
  for (const item of items) if (!isLocalConfig(item)) replaceDependency(item, present, depends);
  return { items, results: resultsOf(change, depends) };
}

/** The same, one resource at a time: as long as none says what it depends on. */
function setNamespaceEach(input: Omit<BuiltinInput, 'items'>): Each | undefined {
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return undefined;
  return each({
    apply: (item) => {
      if (annotationOf(item, DEPENDS_ON) !== undefined) return undefined;
      const change: Change = { ...config, count: 0, old: new Set() };
      if (isLocalConfig(item)) return change;
      const origin = originOf(item);
      for (const field of namespaceFields(item)) replace(field, change, origin);
      return change;
    },
    finish: (changes) => {
      const count = changes.reduce((sum, one) => sum + one.count, 0);
      const old = new Set<string>();
      for (const one of changes) for (const name of one.old) old.add(name);
      return resultsOf({ ...config, count, old }, { ...config, count: 0, old: new Set() });
    },
  });
}

function resultsOf(change: Change, depends: Change): ResultItem[] {
  const { namespace } = change;
  return [
    {
      severity: 'info',
      message:
        change.count === 0
          ? `all matching namespaces are already "${namespace}". no value changed`
          : `namespace [${oldOf(change)}] updated to "${namespace}", ${change.count} value(s) changed`,
    },
    {
      severity: 'info',
      message:
        depends.count === 0
          ? 'all `depends-on` annotations are up-to-date. no `namespace` changed'
          : `\`depends-on\` annotation namespace [${oldOf(depends)}] updated to "${namespace}", ${depends.count} value(s) changed`,
    },
  ];
}

interface Config {
  readonly namespace: string;
  readonly matcher: string;
}

interface Change extends Config {
  count: number;
  readonly old: Set<string>;
}

function oldOf(change: Change): string {
  return [...change.old].sort().join(' ');
}

/** The wanted namespace, or what is wrong with the configuration. */
function readConfig(config: KrmObject | undefined): Config | string {
  if (config === undefined) {
    return 'FunctionConfig is missing. Expect `ConfigMap.v1` or `SetNamespace.v1alpha1.fn.kpt.dev`';
  }
  const data = configMapData(config);
  if (data !== undefined) {
    const field = nameOf(config) === 'kptfile.kpt.dev' ? 'name' : 'namespace';
    const namespace = data[field] ?? '';
    if (namespace === '') return `\`data.${field}\` should not be empty`;
    return { namespace, matcher: data['namespaceMatcher'] ?? '' };
  }
  if (kindOf(config) !== 'SetNamespace' || apiVersionOf(config) !== 'fn.kpt.dev/v1alpha1') {
    return (
      `unknown functionConfig Kind=${kindOf(config)} ApiVersion=${apiVersionOf(config)}, ` +
      'expect `ConfigMap.v1` or `SetNamespace.v1alpha1.fn.kpt.dev`'
    );
  }
  const namespace = config['namespace'];
  const matcher = config['namespaceMatcher'];
  if (typeof namespace !== 'string' || namespace === '') return '`namespace` should not be empty';
  return { namespace, matcher: typeof matcher === 'string' ? matcher : '' };
}

type Field = readonly [map: KrmObject, key: string];

/** The fields of a resource that hold a namespace. */
function namespaceFields(item: KrmObject): Field[] {
  const fields: Field[] = [];
  const scope = scopeOf(apiVersionOf(item), kindOf(item));
  const metadata = metadataOf(item);
  if (scope === 'namespaced' || (scope === undefined && metadata['namespace'] !== undefined)) {
    fields.push([ensureMap(item, 'metadata'), 'namespace']);
  }
  if (apiVersionOf(item) === 'v1' && kindOf(item) === 'Namespace') fields.push([metadata, 'name']);
  if (isGvk(item, 'apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')) {
    fields.push(...inside(item, 'spec', 'conversion', 'webhook', 'clientConfig', 'service'));
  }
  if (isGvk(item, 'apiregistration.k8s.io', 'v1', 'APIService'))
    fields.push(...inside(item, 'spec', 'service'));
  // Only of role bindings that count as cluster-wide, whatever the function's README says.
  if (kindOf(item) === 'ClusterRoleBinding' || (kindOf(item) === 'RoleBinding' && scope !== 'namespaced')) {
    const subjects = Array.isArray(item['subjects']) ? item['subjects'] : [];
    for (const subject of subjects) {
      if (isMap(subject) && subject['namespace'] !== undefined) fields.push([subject, 'namespace']);
    }
  }
  return fields;
}

/** The field `namespace` of a map that has to be there. */
function inside(item: KrmObject, ...path: string[]): Field[] {
  let here: unknown = item;
  for (const key of path) here = isMap(here) ? here[key] : undefined;
  return isMap(here) ? [[here, 'namespace']] : [];
}

function replace([map, key]: Field, change: Change, origin: string | undefined): void {
  const value = map[key];
  const text = value === null ? '' : (textOf(map, key) ?? '');
  const now = text === '' ? 'default' : text;
  if (change.matcher !== '' && now !== change.matcher && origin !== change.matcher) return;
  if (value === change.namespace) return;
  change.old.add(now);
  change.count += 1;
  map[key] = change.namespace;
}

function originOf(item: KrmObject): string | undefined {
  return annotationOf(item, ORIGIN)?.split('|')[2];
}

/** How `depends-on` names a namespaced resource. */
function dependency(item: KrmObject, namespace: string): string {
  const group = groupOf(apiVersionOf(item));
  return `${group}/namespaces/${namespace === '' ? 'default' : namespace}/${kindOf(item)}/${nameOf(item)}`;
}

function replaceDependency(item: KrmObject, present: ReadonlySet<string>, change: Change): void {
  const value = annotationOf(item, DEPENDS_ON);
  if (value === undefined || !present.has(value)) return;
  const parts = value.split('/');
  const now = parts[2] ?? '';
  if (parts.length !== 5 || now === change.namespace || (change.matcher !== '' && now !== change.matcher))
    return;
  parts[2] = change.namespace;
  change.old.add(now);
  change.count += 1;
  ensureMap(ensureMap(item, 'metadata'), 'annotations')[DEPENDS_ON] = parts.join('/');
}
