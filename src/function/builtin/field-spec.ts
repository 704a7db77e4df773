import { isMap, groupOf } from '../../package/plain-values.ts';
import type { Container } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { apiVersionOf, kindOf, versionOf } from './krm.ts';

/** kustomize's FieldSpec: which fields of which resources. `/` separates, `[]` goes into a list, `\/` is a slash. */
export interface FieldSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path: string;
  readonly create?: boolean;
}

/** True when the spec is meant for the resource; an empty part matches all. */
function specApplies(item: KrmObject, spec: FieldSpec): boolean {
  const apiVersion = apiVersionOf(item);
  return (
    (spec.group ?? '') === (spec.group ? groupOf(apiVersion) : '') &&
    (spec.version ?? '') === (spec.version ? versionOf(apiVersion) : '') &&
    (spec.kind ?? '') === (spec.kind ? kindOf(item) : '')
  );
}

/** Calls back with each field that the path leads to; missing maps are made where the spec says so. */
export function visitField(
  item: KrmObject,
  spec: FieldSpec,
  visit: (container: Container, key: string | number) => void,
): void {
  if (specApplies(item, spec)) descend(item, splitPath(spec.path), spec.create === true, visit);
}

/** Few paths go over many resources. */
const split = new Map<string, readonly string[]>();

function splitPath(path: string): readonly string[] {
  let parts = split.get(path);
  if (parts === undefined) {
    parts = path.split(/(?<!\\)\//).map((part) => part.replaceAll('\\/', '/'));
    if (split.size > 1_000) split.clear();
    split.set(path, parts);
  }
  return parts;
}

function descend(
  value: unknown,
  path: readonly string[],
  create: boolean,
  visit: (container: Container, key: string | number) => void,
): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) descend(item, path, create, visit);
    return;
  }
  if (!isMap(value)) return;
  const intoList = head.endsWith('[]');
  const key = intoList ? head.slice(0, -2) : head;
  const there = value[key] !== undefined && value[key] !== null;
  if (intoList) {
    const list = value[key];
    if (!Array.isArray(list)) return;
    for (const [at, item] of list.entries()) {
      if (rest.length === 0) visit(list, at);
      else descend(item, rest, create, visit);
    }
    return;
  }
  if (rest.length === 0) {
    if (there || create) visit(value, key);
    return;
  }
  if (!there) {
    if (!create) return;
    value[key] = {};
  }
  descend(value[key], rest, create, visit);
}

/** Field specs as a functionConfig lists them, in any of the given fields. */
export function readFieldSpecs(list: unknown): FieldSpec[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isMap).map((entry) => ({
    group: text(entry['group']),
    version: text(entry['version']),
    kind: text(entry['kind']),
    path: text(entry['path']),
    create: entry['create'] === true,
  }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
