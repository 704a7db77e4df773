/** set-namespace v0.3 (kpt-functions-catalog of 2022): replaces one old namespace only, and says so where there are several. */
import { isMap, groupOf } from '../../package/plain-values.ts';
import { annotationOf, ensureMap } from '../../package/render/bookkeeping.ts';
import { textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { apiVersionOf, configMapData, isGvk, isLocalConfig, kindOf, metadataOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

const DEPENDS_ON = 'config.kubernetes.io/depends-on';
const ORIGIN = 'internal.kpt.dev/upstream-identifier';

/** One field that holds a namespace. */
interface Field {
  readonly map: KrmObject;
  readonly key: string;
  readonly text: string;
  readonly isNamespace: boolean;
  readonly origin: string | undefined;
}

/** Moves what is in the package's one namespace into another. Mistakes are error results, and exit 0. */
export function setNamespaceOfOne(input: BuiltinInput): BuiltinOutput {
  const { items } = input;
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return { items, results: [{ message: config, severity: 'error' }] };
  const applied = items.filter((item) => !isLocalConfig(item));
  const fields = applied.flatMap(fieldsOf).filter(({ text }) => text !== '');
  const old = oldNamespaces(fields, config.matcher);
  if (typeof old === 'string') return { items, results: [{ message: old, severity: 'error' }] };
  const { namespace } = config;
  const replaced = fields.filter(({ text }) => text !== namespace && old.has(text));
  for (const { map, key } of replaced) map[key] = namespace;
  moveDependencies(applied, old, namespace);
  const before = [...new Set(replaced.map(({ text }) => JSON.stringify(text)))].sort().join(',');
  const message =
    replaced.length === 0
      ? `all namespaces are already "${namespace}". no value changed`
      : `namespace ${before} updated to "${namespace}", ${replaced.length} value(s) changed`;
  return { items, results: [{ message, severity: 'info' }] };
}

function readConfig(
  config: KrmObject | undefined,
): { readonly namespace: string; readonly matcher: string } | string {
  const data = configMapData(config);
  if (config === undefined || data === undefined) {
    const names = config === undefined ? ['', ''] : [kindOf(config), apiVersionOf(config)];
    return `unknown functionConfig Kind=${names[0]} ApiVersion=${names[1]}, expect \`SetNamespace\` or \`ConfigMap\``;
  }
  const { namespace = '', namespaceMatcher: matcher = '' } = data;
  if (namespace !== '') return { namespace, matcher };
  const field = nameOf(config) === 'kptfile.kpt.dev' ? 'name' : 'namespace';
  const named = data[field] ?? '';
  return named === '' ? `\`data.${field}\` should not be empty` : { namespace: named, matcher };
}

function fieldsOf(item: KrmObject): Field[] {
  const fields: Field[] = [];
  const metadata = metadataOf(item);
  const origin = annotationOf(item, ORIGIN)?.split('|');
  const add = (map: unknown, key: string, from?: string, isNamespace = false): void => {
    const text = isMap(map) ? (textOf(map, key) ?? '') : '';
    if (isMap(map)) fields.push({ map, key, text, isNamespace, origin: from });
  };
  if (isGvk(item, '', 'v1', 'Namespace')) add(metadata, 'name', origin?.[3], true);
  else if (isGvk(item, 'apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'))
    add(inside(item, 'spec', 'conversion', 'webhook', 'clientConfig', 'service'), 'namespace');
  else if (isGvk(item, 'apiregistration.k8s.io', 'v1', 'APIService'))
    add(inside(item, 'spec', 'service'), 'namespace');
  else if (/^(?:Cluster)?RoleBinding$/.test(kindOf(item))) {
    const { subjects } = item;
    for (const subject of Array.isArray(subjects) ? subjects : []) add(subject, 'namespace');
  }
  if (metadata['namespace'] !== undefined) add(metadata, 'namespace', origin?.[2]);
  return fields;
}

function inside(item: KrmObject, ...path: string[]): unknown {
  let here: unknown = item;
  for (const key of path) here = isMap(here) ? here[key] : undefined;
  return here;
}

/** The namespaces to replace, or why that cannot be told. */
function oldNamespaces(fields: readonly Field[], matcher: string): ReadonlySet<string> | string {
  const objects = fields.filter(({ isNamespace }) => isNamespace).map(({ text }) => text);
  if (matcher !== '') {
    if (objects.length === 0) return new Set([matcher]);
    return (
      'found Namespace objects from the input resources, you cannot use `namespaceMatcher` ' +
      'in FunctionConfig together with Namespace objects'
    );
  }
  const origins = fields.flatMap(({ origin }) => (origin === undefined ? [] : [origin]));
  const [first, ...others] = new Set(objects);
  if (others.length > 0) {
    const counts = [...new Set(objects)]
      .sort()
      .map((name) => `${name}:${objects.filter((other) => other === name).length}`);
    return `cannot accept more than one Namespace objects from the input resources, found map[${counts.join(' ')}]`;
  }
  if (first !== undefined) {
    if (objects.length > 1) return `found more than one Namespace objects of the same name "${first}"`;
    return new Set([...origins, first]);
  }
  const found = [...new Set(fields.map(({ text }) => text))].filter((name) => !origins.includes(name)).sort();
  if (found.length > 1) {
    return (
      'all namespace-scoped resources should be under the same namespace or shown in previous namespaces. ' +
      `Found different namespaces: "${found.join(',')}" `
    );
  }
  if (found.length === 0) {
    return (
      'could not find any namespace fields to update. This function requires at least one of Namespace objects or ' +
      'namespace-scoped resources to have their namespace field set.'
    );
  }
  return new Set([...origins, ...found]);
}

/** `depends-on` follows where it names a resource of the list, whatever the namespace that it has there. */
function moveDependencies(items: readonly KrmObject[], old: ReadonlySet<string>, namespace: string): void {
  const present = new Set(
    items
      .filter((item) => fieldsOf(item).length > 0)
      .map((item) => `${groupOf(apiVersionOf(item))}/${kindOf(item)}/${nameOf(item)}`),
  );
  for (const item of items) {
    const parts = annotationOf(item, DEPENDS_ON)?.split('/') ?? [];
    const [group, word, now, kind, name] = parts;
    if (parts.length !== 5 || word !== 'namespaces' || now === undefined || now === namespace) continue;
    if (!old.has(now) || !present.has(`${group}/${kind}/${name}`)) continue;
    const annotations = ensureMap(ensureMap(item, 'metadata'), 'annotations');
    annotations[DEPENDS_ON] = [group, word, namespace, kind, name].join('/');
  }
}
