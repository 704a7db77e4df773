/** upsert-resource v0.2 (krm-functions-catalog functions/go/upsert-resource). */
import { isMap, groupOf } from '../../package/plain-values.ts';
import {
  annotationOf,
  clearPlace,
  ID,
  indexOf,
  LEGACY_ID,
  PACKAGE_PATH,
  pathOf,
  setPlace,
  ensureMap,
} from '../../package/render/bookkeeping.ts';
import { copyValue } from '../../package/render/field-notes.ts';
import { keepNotes } from '../../package/render/keep-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { apiVersionOf, failure, kindOf, metadataOf, nameOf, namespaceOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const upsertResource: BuiltinFunction = {
  name: 'upsert-resource',
  versions: [{ major: 0, minor: 2, patch: 9, run }],
  type: 'mutator',
  summary: 'replaces or adds the resource that is its configuration',
  config: ['any resource', 'List'],
  fields: 'whole resources',
  idempotent: 'yes',
};

const TARGET = 'config.kubernetes.io/target-path';

/** Replaces the resources that the functionConfig names, or adds it: the functionConfig is the resource, or a List of them. */
function run(input: BuiltinInput): BuiltinOutput {
  const { functionConfig } = input;
  if (functionConfig === undefined)
    return failure([{ message: 'functionConfig must be the resource', severity: 'error' }]);
  const list = kindOf(functionConfig) === 'List' ? functionConfig['items'] : [functionConfig];
  let items = input.items;
  for (const wanted of Array.isArray(list) ? list.filter(isMap) : []) {
    // Each of the list is held against each of the resources, at some hundred steps.
    input.budget.spend('matching', 100 * items.length, 'upsert-resource');
    items = upsert(items, wanted);
  }
  return { items, results: [] };
}

function upsert(items: KrmObject[], wanted: KrmObject): KrmObject[] {
  const target = annotationOf(wanted, TARGET);
  const isSame = (item: KrmObject): boolean =>
    identity(item) === identity(wanted) && (target === undefined || pathOf(item) === target);
  if (items.some(isSame)) return items.map((item) => (isSame(item) ? replacement(wanted, item) : item));
  const made = clean(wanted);
  if (target !== undefined) setPath(made, target);
  return [...items, made];
}

function identity(item: KrmObject): string {
  return JSON.stringify([groupOf(apiVersionOf(item)), kindOf(item), namespaceOf(item), nameOf(item)]);
}

/** The wanted resource in the place of the old one. */
function replacement(wanted: KrmObject, old: KrmObject): KrmObject {
  const made = clean(wanted);
  keepNotes(old, made);
  const id = annotationOf(old, ID) ?? annotationOf(old, LEGACY_ID);
  setPlace(
    made,
    { package: annotationOf(old, PACKAGE_PATH) ?? '.', path: pathOf(old) ?? '', index: indexOf(old) },
    id,
  );
  return made;
}

/** A copy without what is only for this function. */
function clean(wanted: KrmObject): KrmObject {
  const made = copyValue(wanted);
  clearPlace(made);
  const annotations = metadataOf(made)['annotations'];
  if (isMap(annotations)) {
    delete annotations[TARGET];
    delete annotations['config.kubernetes.io/function'];
    delete annotations['config.k8s.io/function'];
    if (Object.keys(annotations).length === 0) delete metadataOf(made)['annotations'];
  }
  return made;
}

function setPath(item: KrmObject, path: string): void {
  const annotations = ensureMap(ensureMap(item, 'metadata'), 'annotations');
  annotations['internal.config.kubernetes.io/path'] = path;
  annotations['config.kubernetes.io/path'] = path;
}
