/** kustomize's field paths: `spec.containers.[name=web].ports.0`, `metadata.annotations.[a.b/c]`, `*` for all items. */
import { isMap } from '../../package/plain-values.ts';
import { getField, textOf } from '../../package/render/field-notes.ts';
import type { Container } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';

export interface FoundField {
  readonly container: Container;
  readonly key: string | number;
  /** True when the field was not there before. */
  readonly created: boolean;
}

/** Splits at dots; `\.` is a dot, and brackets keep theirs. */
export function splitFieldPath(path: string): string[] {
  const parts = path.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
  const elements: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    let part = parts[at] ?? '';
    if (part.startsWith('[')) {
      while (!part.endsWith(']') && at + 1 < parts.length) {
        at += 1;
        part += `.${parts[at]}`;
      }
      if (!part.includes('=')) part = part.replace(/^\[/, '').replace(/\]$/, '');
    }
    elements.push(part);
  }
  return elements.filter((element) => element !== '');
}

/** The one field at a path; undefined where there is none. */
export function lookUpField(item: KrmObject, path: readonly string[]): FoundField | undefined {
  const found = findTargets(item, path, undefined);
  return typeof found === 'string' ? undefined : found[0];
}

/** What a missing field is made as; undefined where none is made. */
export type CreateKind = 'scalar' | 'map' | 'list' | undefined;

/** All fields that a path leads to; missing ones are made where `create` says so. A sentence where an index does not fit. */
export function findTargets(
  item: KrmObject,
  path: readonly string[],
  create: CreateKind,
): FoundField[] | string {
  let here: { container: Container; key: string | number; created: boolean }[] = [
    { container: { root: item }, key: 'root', created: false },
  ];
  for (const [depth, element] of path.entries()) {
    const next: FoundField[] = [];
    for (const field of here) {
      const steps = step(
        field,
        element,
        path[depth + 1],
        depth === path.length - 1 ? create : create && 'map',
      );
      if (typeof steps === 'string') return steps;
      next.push(...steps);
    }
    here = next;
  }
  return here;
}

function step(
  field: FoundField,
  element: string,
  following: string | undefined,
  create: CreateKind,
): FoundField[] | string {
  let value = getField(field.container, field.key);
  if ((value === undefined || value === null) && create !== undefined) {
    value = isListElement(element) ? [] : {};
    (field.container as KrmObject)[field.key] = value;
  }
  if (Array.isArray(value)) return stepList(value, element, create, following);
  if (!isMap(value)) return [];
  if (element === '*') return Object.keys(value).map((key) => ({ container: value, key, created: false }));
  const there = Object.hasOwn(value, element) && value[element] !== null;
  if (!there && create === undefined)
    return value[element] === null ? [{ container: value, key: element, created: false }] : [];
  if (!there) value[element] = emptyFor(following, create);
  return [{ container: value, key: element, created: !there }];
}

function emptyFor(following: string | undefined, create: CreateKind): unknown {
  if (following !== undefined) return isListElement(following) ? [] : {};
  return create === 'map' ? {} : create === 'list' ? [] : null;
}

function isListElement(element: string): boolean {
  return /^\d+$/.test(element) || /^\[[^=]*=.*\]$/.test(element) || element === '-';
}

function stepList(
  list: unknown[],
  element: string,
  create: CreateKind,
  following: string | undefined,
): FoundField[] | string {
  if (element === '*') return list.map((_, key) => ({ container: list, key, created: false }));
  const condition = /^\[([^=]*)=(.*)\]$/s.exec(element);
  if (condition !== null) {
    const [, name = '', wanted = ''] = condition;
    const found = list.flatMap((item, key) =>
      holds({ list, item, at: key, name, wanted }) ? [{ container: list, key, created: false }] : [],
    );
    if (found.length > 0 || create === undefined) return found;
    list.push(name === '' ? wanted : { [name]: wanted });
    return [{ container: list, key: list.length - 1, created: true }];
  }
  if (!/^\d+$/.test(element)) return [];
  const key = Number(element);
  if (key < list.length) return [{ container: list, key, created: false }];
  if (create === undefined) return [];
  if (key > list.length) return `index ${key} specified but only ${list.length} elements found`;
  list.push(emptyFor(following, create));
  return [{ container: list, key, created: true }];
}

function holds({
  list,
  item,
  at,
  name,
  wanted,
}: {
  readonly list: unknown[];
  readonly item: unknown;
  readonly at: number;
  readonly name: string;
  readonly wanted: string;
}): boolean {
  if (name === '') return textOf(list, at) === wanted;
  return isMap(item) && textOf(item, name) === wanted;
}
