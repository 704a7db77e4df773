/**
 * apply-replacements v0.1 (krm-functions-catalog functions/go/apply-replacements, on kustomize's replacement filter,
 * api v0.20.1).
 */
import { isMap } from '../../package/plain-values.ts';
import {
  copyValue,
  getField,
  isContainer,
  noteOf,
  setField,
  setNote,
  setText,
  textOf,
} from '../../package/render/field-notes.ts';
import type { Container, FieldNote } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { sizeOf } from '../../package/render/value-size.ts';
import { MAX_COPIED } from '../../package/render/work-budget.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { findTargets, lookUpField, splitFieldPath } from './field-path.ts';
import { failure, kindOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { matchesLabels, matchesSelector, printSelector, readSelector } from './resource-selector.ts';
import type { ResourceSelector } from './resource-selector.ts';

export const applyReplacements: BuiltinFunction = {
  name: 'apply-replacements',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'mutator',
  summary: "copies values from one resource's field to fields of others",
  config: ['ApplyReplacements'],
  fields: 'the targets of its configuration',
  idempotent: 'yes, unless a delimiter adds a part at each run',
};

/** Steps that it takes to look whether a resource is selected, or where a path leads in it. */
const LOOK = 20;

/** Copies values from one resource's field to fields of others. No results on success. */
function run(input: BuiltinInput): BuiltinOutput {
  const config = input.functionConfig;
  if (config?.['kind'] !== 'ApplyReplacements' || config['apiVersion'] !== 'fn.kpt.dev/v1alpha1') {
    return failed('functionConfig must be `ApplyReplacements.fn.kpt.dev/v1alpha1`');
  }
  const release = { ...releaseOf(input.patch), budget: input.budget };
  const replacements = Array.isArray(config['replacements']) ? config['replacements'] : [];
  for (const replacement of replacements.filter(isMap)) {
    input.budget.spend('matching', input.items.length * LOOK, 'apply-replacements');
    const problem = replace(input.items, replacement, release);
    if (problem !== undefined) return failed(problem);
  }
  return { items: input.items, results: [] };
}

/** How releases differ under one minor version. */
interface Release {
  readonly budget: WorkBudget;
  /** Since 2026 a string stays one where it is copied to: "8080" does not become a number on the way. */
  readonly keepsStrings: boolean;
  /** Up to v0.1.1 a target field that is not there was passed over. */
  readonly needsFields: boolean;
}

function releaseOf(patch: number | undefined): Omit<Release, 'budget'> {
  return { keepsStrings: patch === undefined || patch > 5, needsFields: patch === undefined || patch > 1 };
}

function failed(message: string): BuiltinOutput {
  return failure([{ message, severity: 'error' }], `failed to evaluate function: error: ${message}`);
}

/** A value with what its text says. */
interface Source {
  readonly value: unknown;
  readonly text: string;
  readonly note: FieldNote;
  /** True where a resource holds it as a string; a part of one is a string too. One of the configuration is text. */
  readonly isString: boolean;
}

interface Options {
  readonly delimiter: string;
  readonly index: number;
  readonly create: boolean;
}

function replace(items: readonly KrmObject[], replacement: KrmObject, release: Release): string | undefined {
  const targets = replacement['targets'];
  if (!Array.isArray(targets)) return 'replacements must specify a source and at least one target';
  const source = sourceOf(items, replacement);
  if (typeof source === 'string') return source;
  for (const target of targets.filter(isMap)) {
    const problem = replaceIn(items, target, source, release);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function sourceOf(items: readonly KrmObject[], replacement: KrmObject): Source | string {
  const given = replacement['sourceValue'];
  if (given !== undefined && given !== null) {
    if (replacement['source'] !== undefined) return 'value and resource selectors are mutually exclusive';
    return {
      value: given,
      text: textOf(replacement, 'sourceValue') ?? '',
      note: noteOf(replacement, 'sourceValue'),
      isString: false,
    };
  }
  const source = replacement['source'];
  if (!isMap(source)) return 'replacements must specify a source and at least one target';
  const selector = readSelector(source);
  const path = stringOf(source['fieldPath'], 'metadata.name');
  const found = items.filter((item) => matchesSelector(item, selector));
  const [item] = found;
  if (found.length > 1) return `multiple matches for selector ${printSelector(selector)}:${path}`;
  if (item === undefined) return `nothing selected by ${printSelector(selector)}:${path}`;
  const elements = splitFieldPath(path);
  // As kustomize's filter says it: a source is one value, of which element is not for us to choose.
  if (elements.includes('*'))
    return 'error looking up replacement source: wildcard is not supported in PathGetter';
  const field = lookUpField(item, elements);
  const value = field === undefined ? undefined : getField(field.container, field.key);
  if (field === undefined || value === undefined || value === null) {
    return `fieldPath \`${path}\` is missing for replacement source ${printSelector(selector)}:${path}`;
  }
  const options = readOptions(source['options']);
  const note = noteOf(field.container, field.key);
  const isString = typeof value === 'string';
  if (options.delimiter === '')
    return { value, text: textOf(field.container, field.key) ?? '', note, isString };
  if (isContainer(value)) return 'delimiter option can only be used with scalar nodes';
  const parts = (textOf(field.container, field.key) ?? '').split(options.delimiter);
  const part = parts[options.index];
  if (part === undefined)
    return `options.index ${options.index} is out of bounds for value ${parts.join(options.delimiter)}`;
  return { value: part, text: part, note, isString };
}

function replaceIn(
  items: readonly KrmObject[],
  target: KrmObject,
  source: Source,
  release: Release,
): string | undefined {
  const select = target['select'];
  if (!isMap(select)) return 'target must specify resources to select';
  const selector = readSelector(select);
  const rejects = (Array.isArray(target['reject']) ? target['reject'] : []).filter(isMap).map(readSelector);
  const given = Array.isArray(target['fieldPaths'])
    ? target['fieldPaths'].filter((path) => typeof path === 'string')
    : [];
  const paths = given.length === 0 ? ['metadata.name'] : given;
  const options = readOptions(target['options']);
  for (const item of items) {
    release.budget.spend('matching', LOOK * (1 + rejects.length), 'apply-replacements');
    if (!isTarget(item, selector, rejects)) continue;
    for (const path of paths) {
      release.budget.spend('matching', LOOK + path.length, 'apply-replacements');
      const problem = replaceField({ item, path, source, options, release });
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function isTarget(
  item: KrmObject,
  selector: ResourceSelector,
  rejects: readonly ResourceSelector[],
): boolean {
  if (!matchesSelector(item, selector) || !matchesLabels(item, selector)) return false;
  return !rejects.some(
    (reject) => !isEmpty(reject) && matchesSelector(item, reject) && matchesLabels(item, reject),
  );
}

function isEmpty(selector: ResourceSelector): boolean {
  return Object.values(selector).every((part) => part === '');
}

function replaceField({
  item,
  path,
  source,
  options,
  release,
}: {
  readonly item: KrmObject;
  readonly path: string;
  readonly source: Source;
  readonly options: Options;
  readonly release: Release;
}): string | undefined {
  const elements = splitFieldPath(path);
  const kind = isMap(source.value) ? 'map' : Array.isArray(source.value) ? 'list' : 'scalar';
  const fields = findTargets(item, elements, options.create ? kind : undefined);
  if (typeof fields === 'string') return fields;
  if (fields.length === 0 && !release.needsFields) return undefined;
  if (fields.length === 0) return `unable to find field "${path}" in replacement target`;
  const wild = elements.includes('*');
  for (const { container, key, created } of fields) {
    const problem = setTarget({
      container,
      key,
      source,
      options,
      setting: {
        created,
        copies: (size) => release.budget.spend('copied', size, `${kindOf(item)} ${nameOf(item)}, ${path}`),
        keepsString: release.keepsStrings && !wild && source.isString,
      },
    });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Setting {
  readonly created: boolean;
  readonly keepsString: boolean;
  /** Counts what is copied, before it is. */
  readonly copies: (size: number) => void;
}

function setTarget({
  container,
  key,
  source,
  options,
  setting: { created, keepsString, copies },
}: {
  readonly container: Container;
  readonly key: string | number;
  readonly source: Source;
  readonly options: Options;
  readonly setting: Setting;
}): string | undefined {
  const old = getField(container, key);
  let { text } = source;
  if (options.delimiter !== '') {
    if (isContainer(old) || isContainer(source.value))
      return 'delimiter option can only be used with scalar nodes';
    const parts =
      old === null || old === undefined ? [''] : (textOf(container, key) ?? '').split(options.delimiter);
    if (options.index < 0) parts.unshift(text);
    else if (options.index >= parts.length) parts.push(text);
    else parts[options.index] = text;
    text = parts.join(options.delimiter);
  }
  if (isContainer(old) || isContainer(source.value)) {
    copies(sizeOf(source.value, MAX_COPIED));
    setField(container, key, copyValue(source.value));
    setNote(container, key, { style: isContainer(source.value) ? source.note.style : undefined });
    return undefined;
  }
  copies(text.length);
  if (!created && text === (textOf(container, key) ?? '') && typeof old === typeof source.value)
    return undefined;
  if (keepsString) {
    // Its quotes come along with it.
    const { style } = source.note;
    setField(container, key, text);
    if (style === 'single' || style === 'double') setNote(container, key, { style });
  } else if (typeof old === 'string' && !created) setField(container, key, text);
  else setText(container, key, text);
  return undefined;
}

function readOptions(options: unknown): Options {
  const map = isMap(options) ? options : {};
  const index = map['index'];
  return {
    delimiter: stringOf(map['delimiter'], ''),
    index: typeof index === 'number' ? index : 0,
    create: map['create'] === true,
  };
}

function stringOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
