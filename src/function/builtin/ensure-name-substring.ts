/** ensure-name-substring v0.2 (krm-functions-catalog functions/go/ensure-name-substring, on kustomize's name references). */
import { isMap, groupOf } from '../../package/plain-values.ts';
import { annotationOf, moveTo, ensureMap } from '../../package/render/bookkeeping.ts';
import { setField, textOf } from '../../package/render/field-notes.ts';
import type { Container } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { apiVersionOf, configMapData, frameworkFailure, kindOf, nameOf, namespaceOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { withoutMetaResources } from './meta-resources.ts';
import { NAME_REFERENCES } from './name-references.ts';
import type { NameReference } from './name-references.ts';

export const ensureNameSubstring: BuiltinFunction = {
  name: 'ensure-name-substring',
  versions: [
    { major: 0, minor: 1, patch: 9, run: ensureNameSubstringOld },
    { major: 0, minor: 2, patch: 9, run },
    { major: 0, minor: 2, patch: 9, unstable: true, run: ensureNameSubstringUnstable },
  ],
  type: 'mutator',
  summary: 'gives all names a prefix or suffix; references follow',
  config: ['ConfigMap', 'EnsureNameSubstring'],
  fields: 'metadata.name, references to it, `depends-on` (from v0.2 on)',
  idempotent: 'yes',
};

const SKIPPED = new Set(['CustomResourceDefinition', 'APIService', 'Namespace', 'Kptfile']);
const DEPENDS_ON = 'config.kubernetes.io/depends-on';

interface Config {
  readonly substring: string;
  readonly mode: 'prepend' | 'append';
  readonly fields: readonly FieldSpec[];
}

/** Sees to it that every name holds a prefix or suffix, and that references follow. No results. */
function run(input: BuiltinInput): BuiltinOutput {
  return ensureIn(input, input.items, true);
}

/** v0.1: `depends-on` does not follow, and meta resources were not for it to see. */
function ensureNameSubstringOld(input: BuiltinInput): BuiltinOutput {
  return ensureIn(input, withoutMetaResources(input.items), false);
}

/**
 * What upstream builds from its branch (seen 2025-06-25): it also forgets in which file a resource stands, so that every
 * one, the Kptfile too, moves to a file named after it.
 */
function ensureNameSubstringUnstable(input: BuiltinInput): BuiltinOutput {
  const output = ensureIn(input, input.items, true);
  for (const item of output.items ?? []) {
    const file = `${kindOf(item)}_${nameOf(item)}.yaml`.toLowerCase();
    const namespace = namespaceOf(item);
    moveTo(item, namespace === '' ? file : `${namespace}/${file}`);
  }
  return output;
}

function ensureIn(input: BuiltinInput, items: readonly KrmObject[], dependencies: boolean): BuiltinOutput {
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return frameworkFailure(`failed to configure function: ${config}`);
  const renamed: Renamed[] = [];
  for (const item of items) {
    if (SKIPPED.has(kindOf(item))) continue;
    const before = nameOf(item);
    for (const spec of [{ path: 'metadata/name' }, ...config.fields]) {
      visitField(item, spec, (container, key) => rename(container, key, config));
    }
    if (nameOf(item) !== before) renamed.push({ item, before, after: nameOf(item) });
  }
  const followed = NAME_REFERENCES.flatMap((reference) => {
    const targets = Map.groupBy(
      renamed.filter(({ item }) => names(reference, item)),
      ({ before }) => before,
    );
    return targets.size === 0 ? [] : [{ reference, targets }];
  });
  const byDependency = new Map(renamed.map((one) => [dependencyKey(one), one]));
  for (const item of items) {
    for (const { reference, targets } of followed) follow(item, reference, targets);
    if (dependencies) followDependency(item, byDependency);
  }
  return { items: input.items, results: [] };
}

interface Renamed {
  readonly item: KrmObject;
  readonly before: string;
  readonly after: string;
}

function rename(container: Container, key: string | number, { substring, mode }: Config): void {
  const name = textOf(container, key);
  if (name === undefined || name.includes(substring)) return;
  setField(container, key, mode === 'prepend' ? substring + name : name + substring);
}

/** True for references to resources of this type; the core group stands for any. */
function names(reference: NameReference, item: KrmObject): boolean {
  const group = groupOf(apiVersionOf(item));
  return reference.kind === kindOf(item) && (reference.group === group || reference.group === '');
}

/** Changes the fields of a resource that name a renamed one of its namespace. */
function follow(
  item: KrmObject,
  reference: NameReference,
  targets: ReadonlyMap<string, readonly Renamed[]>,
): void {
  const here = namespaceOf(item);
  for (const spec of reference.fields) {
    visitField(item, spec, (container, key) => {
      const found = targets.get(textOf(container, key) ?? '')?.find(({ item: target }) => {
        const there = namespaceOf(target);
        return here === there || here === '' || there === '';
      });
      if (found !== undefined && refersTo(container, reference.kind)) setField(container, key, found.after);
    });
  }
}

/** References that say their kind mean only that one: role references, subjects, scale targets. */
function refersTo(container: Container, kind: string): boolean {
  const named = isMap(container) ? container['kind'] : undefined;
  return typeof named !== 'string' || named === kind;
}

function dependencyKey({ item, before }: Renamed): string {
  return JSON.stringify([groupOf(apiVersionOf(item)), kindOf(item), before]);
}

function followDependency(item: KrmObject, renamed: ReadonlyMap<string, Renamed>): void {
  const parts = annotationOf(item, DEPENDS_ON)?.split('/') ?? [];
  if (parts.length !== 5 && parts.length !== 3) return;
  const target = renamed.get(JSON.stringify([parts[0], parts.at(-2), parts.at(-1)]));
  if (target === undefined) return;
  parts[parts.length - 1] = target.after;
  ensureMap(ensureMap(item, 'metadata'), 'annotations')[DEPENDS_ON] = parts.join('/');
}

function readConfig(config: KrmObject | undefined): Config | string {
  const data = configMapData(config);
  if (data !== undefined) {
    const [key, ...others] = Object.keys(data);
    if (others.length > 0 || (key !== 'prepend' && key !== 'append')) {
      return 'the ConfigMap must have exactly one key: `prepend` or `append`';
    }
    return { substring: data[key] ?? '', mode: key, fields: [] };
  }
  if (config === undefined || kindOf(config) !== 'EnsureNameSubstring') {
    return '`functionConfig` must be a `ConfigMap` or `EnsureNameSubstring`';
  }
  const substring = textOf(config, 'substring') ?? '';
  if (substring === '') return '`substring` must not be empty';
  const mode = config['editMode'] ?? 'prepend';
  if (mode !== 'prepend' && mode !== 'append') return '`editMode` must be `prepend` or `append`';
  return { substring, mode, fields: readFieldSpecs(config['additionalNameFields'] ?? config['fieldSpecs']) };
}
