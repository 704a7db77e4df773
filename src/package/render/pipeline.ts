/** The `pipeline` of a Kptfile as kpt reads and checks it (api/kptfile/v1/validation.go). */

import type { Refusal } from '../../error.ts';
import { isMap } from '../plain-values.ts';
import { textOf } from './field-notes.ts';
import type { ConfigRef, FunctionSpec, Selector } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';

export interface Pipeline {
  readonly mutators: readonly FunctionSpec[];
  readonly validators: readonly FunctionSpec[];
}

/** Why a Kptfile cannot be rendered; `path` is the field. */
export interface PipelineProblem extends Refusal {
  readonly path: readonly (string | number)[];
}

const FUNCTION_FIELDS = new Set([
  'name',
  'image',
  'exec',
  'tag',
  'configMap',
  'configPath',
  'configRef',
  'selectors',
  'exclude',
]);
const SELECTOR_FIELDS = new Set(['apiVersion', 'kind', 'name', 'namespace', 'labels', 'annotations']);
/** Parts of an image reference. They do not overlap, so that no name takes long to check. */
const REGISTRY = /^[a-zA-Z0-9.-]+(?::\d+)?$/;
const NAME = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[a-fA-F0-9]{64}$/;

/** The pipeline of a Kptfile, or what is wrong with it. */
export function readPipeline(kptfile: KrmObject): Pipeline | PipelineProblem {
  const version = checkVersion(kptfile);
  if (version !== undefined) return version;
  const pipeline = kptfile['pipeline'] ?? {};
  if (!isMap(pipeline)) return invalid(['pipeline'], '`pipeline` must be a map');
  const mutators = readFunctions(pipeline, 'mutators');
  if (!Array.isArray(mutators)) return mutators;
  const validators = readFunctions(pipeline, 'validators');
  return Array.isArray(validators) ? { mutators, validators } : validators;
}

function checkVersion(kptfile: KrmObject): PipelineProblem | undefined {
  const { apiVersion, kind } = kptfile;
  if (apiVersion === 'kpt.dev/v1' && kind === 'Kptfile') return undefined;
  if (kind === 'Kptfile' && (apiVersion === 'kpt.dev/v1alpha1' || apiVersion === 'kpt.dev/v1alpha2')) {
    return {
      code: 'KPTFILE_OLD',
      path: ['apiVersion'],
      message: `the Kptfile has the old version ${apiVersion}`,
      hint: 'Upgrade the package: kpt fn eval DIR -i fix:v0.2 --include-meta-resources.',
    };
  }
  return {
    code: 'KPTFILE_UNKNOWN',
    path: ['apiVersion'],
    message: `the Kptfile is of the unknown type ${String(apiVersion)} ${String(kind)}`,
    hint: 'It must be kpt.dev/v1 Kptfile.',
  };
}

function readFunctions(
  pipeline: KrmObject,
  list: 'mutators' | 'validators',
): FunctionSpec[] | PipelineProblem {
  const entries = pipeline[list] ?? [];
  if (!Array.isArray(entries)) return invalid(['pipeline', list], `\`pipeline.${list}\` must be a list`);
  const functions: FunctionSpec[] = [];
  for (const [at, entry] of entries.entries()) {
    const found = readFunction(entry, ['pipeline', list, at]);
    if ('code' in found) return found;
    functions.push(found);
  }
  return functions;
}

function readFunction(entry: unknown, path: readonly (string | number)[]): FunctionSpec | PipelineProblem {
  if (!isMap(entry)) return invalid(path, 'a function must be a map with `image` or `exec`');
  for (const field of Object.keys(entry)) {
    if (!FUNCTION_FIELDS.has(field)) return invalid([...path, field], `a function has no field \`${field}\``);
  }
  const spec: { -readonly [Field in keyof FunctionSpec]: FunctionSpec[Field] } = {};
  for (const field of ['name', 'image', 'exec', 'tag', 'configPath'] as const) {
    const text = textOf(entry, field);
    if (text === undefined && entry[field] !== undefined)
      return invalid([...path, field], `\`${field}\` must be a string`);
    if (text !== undefined && text !== '' && entry[field] !== null) spec[field] = text;
  }
  if (spec.image !== undefined && spec.exec !== undefined) {
    return invalid(path, 'must not specify both `image` and `exec` at the same time');
  }
  if (spec.image === undefined && spec.exec === undefined)
    return invalid(path, 'must specify `image` or `exec`');
  if (spec.image !== undefined && !isImage(spec.image)) {
    return invalid([...path, 'image'], `function name "${spec.image}" is invalid`);
  }
  const configMap = readStrings(entry, 'configMap', path);
  if (isProblem(configMap)) return configMap;
  if (configMap !== undefined) spec.configMap = configMap;
  const configRef = readConfigRef(entry, path);
  if (isProblem(configRef)) return configRef;
  if (configRef !== undefined) spec.configRef = configRef;
  const [one, other] = [
    Object.keys(configMap ?? {}).length > 0 && 'configMap',
    spec.configPath !== undefined && 'configPath',
    configRef !== undefined && 'configRef',
  ].filter((field) => field !== false);
  if (one !== undefined && other !== undefined) {
    const message = `functionConfig must not specify both \`${one}\` and \`${other}\` at the same time`;
    return invalid(path, message);
  }
  for (const field of ['selectors', 'exclude'] as const) {
    const selectors = readSelectors(entry, field, path);
    if (isProblem(selectors)) return selectors;
    if (selectors.length > 0) spec[field] = selectors;
  }
  return spec;
}

/** Image references as kpt takes them: an optional registry, a path, an optional tag and digest. */
function isImage(image: string): boolean {
  const [reference = '', digest, ...more] = image.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return false;
  const parts = reference.split('/');
  const [name = '', tag, ...tags] = (parts.pop() ?? '').split(':');
  if (tags.length > 0 || (tag !== undefined && !TAG.test(tag)) || !NAME.test(name)) return false;
  return parts.every((part, at) => NAME.test(part) || (at === 0 && REGISTRY.test(part)));
}

function readSelectors(
  entry: KrmObject,
  field: 'selectors' | 'exclude',
  path: readonly (string | number)[],
): Selector[] | PipelineProblem {
  const list = entry[field] ?? [];
  if (!Array.isArray(list)) return invalid([...path, field], `\`${field}\` must be a list`);
  const selectors: Selector[] = [];
  for (const [at, item] of list.entries()) {
    const selector = readSelector(item, [...path, field, at]);
    if (isProblem(selector)) return selector;
    selectors.push(selector);
  }
  return selectors;
}

function readSelector(item: unknown, path: readonly (string | number)[]): Selector | PipelineProblem {
  if (!isMap(item)) return invalid(path, 'a selector must be a map');
  const selector: { -readonly [Field in keyof Selector]: Selector[Field] } = {};
  for (const field of Object.keys(item)) {
    if (!SELECTOR_FIELDS.has(field)) return invalid([...path, field], `a selector has no field \`${field}\``);
  }
  for (const field of ['apiVersion', 'kind', 'name', 'namespace'] as const) {
    const text = textOf(item, field);
    if (text !== undefined && text !== '' && item[field] !== null) selector[field] = text;
  }
  for (const field of ['labels', 'annotations'] as const) {
    const strings = readStrings(item, field, path);
    if (isProblem(strings)) return strings;
    if (strings !== undefined) selector[field] = strings;
  }
  return selector;
}

function readConfigRef(
  entry: KrmObject,
  path: readonly (string | number)[],
): ConfigRef | undefined | PipelineProblem {
  const ref = entry['configRef'] ?? undefined;
  if (ref === undefined) return undefined;
  const selector = readSelector(ref, [...path, 'configRef']);
  if (isProblem(selector)) return selector;
  const { kind, name, labels, annotations, ...others } = selector;
  if (kind === undefined || name === undefined || labels !== undefined || annotations !== undefined)
    return invalid(
      [...path, 'configRef'],
      '`configRef` needs `kind` and `name`; `apiVersion` and `namespace` can be added',
    );
  return { kind, name, ...others };
}

function readStrings(
  entry: KrmObject,
  field: string,
  path: readonly (string | number)[],
): Record<string, string> | undefined | PipelineProblem {
  const map = entry[field];
  if (map === undefined || map === null) return undefined;
  if (!isMap(map)) return invalid([...path, field], `\`${field}\` must be a map of strings`);
  const strings: Record<string, string> = {};
  for (const key of Object.keys(map)) {
    const text = map[key] === null ? '' : textOf(map, key);
    if (text === undefined) return invalid([...path, field, key], `\`${field}\` must be a map of strings`);
    strings[key] = text;
  }
  return strings;
}

function isProblem(value: unknown): value is PipelineProblem {
  return isMap(value) && Array.isArray(value['path']) && typeof value['code'] === 'string';
}

function invalid(path: readonly (string | number)[], message: string): PipelineProblem {
  return {
    code: 'KPTFILE_INVALID',
    path,
    message: `Kptfile is invalid: ${message}`,
    hint: 'Fix the field in the Kptfile.',
  };
}
