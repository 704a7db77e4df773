/** Packages → the resources that can give power, each with places in its text. */
import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { readResources, type SourceDocument, type SourceFile } from '../render/read-resources.ts';
import { locateIn } from '../yaml/edit.ts';

export type FieldPath = readonly (string | number)[];

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface PowerResource {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly value: Fields;
  /** The place of a field, or of the nearest one above it. */
  place(path: FieldPath): Place;
}

/** A map of YAML as data. */
export type Fields = Readonly<Record<string, unknown>>;

export interface BothSides {
  readonly before: readonly PowerResource[];
  readonly after: readonly PowerResource[];
  readonly unread: readonly string[];
}

/**
 * Reads what differs, and of what is equal only files with RBAC, because a changed binding can give what an unchanged
 * role says. Never throws: a file that is no YAML is named in `unread`.
 */
export function readBothSides(a: PackageFiles, b: PackageFiles): BothSides {
  const unread = new Set<string>();
  const differs = (path: string): boolean => !sameFile(a.get(path), b.get(path));
  const read = (files: PackageFiles): PowerResource[] =>
    [...files].flatMap(([path, file]) => {
      if (!/\.(?:ya?ml|json)$/.test(path)) return [];
      const changed = differs(path);
      const text = textOf(file);
      if (text === undefined || (!changed && !RBAC.test(text))) return [];
      const resources = resourcesIn(path, text);
      if (resources === undefined && changed) unread.add(path);
      return resources ?? [];
    });
  if (![...new Set([...a.keys(), ...b.keys()])].some(differs)) return { before: [], after: [], unread: [] };
  return { before: read(a), after: read(b), unread: [...unread].sort() };
}

const RBAC = /\bkind["']?\s*:\s*["']?(?:Cluster)?Role(?:Binding)?\b/;

function textOf(file: PackageFile): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
  } catch {
    return undefined;
  }
}

function resourcesIn(path: string, text: string): PowerResource[] | undefined {
  let source: SourceFile;
  try {
    source = readResources(path, text);
  } catch {
    return undefined;
  }
  return source.documents.flatMap((document) => resourceOf(source, document));
}

function resourceOf(source: SourceFile, document: SourceDocument): PowerResource[] {
  const { value } = document;
  // A list of resources is as good as its items.
  if (textAt(value, 'kind') === 'List' && Array.isArray(value['items'])) {
    return listAt(value, 'items').map((item, at) => made(source, document, item, ['items', at]));
  }
  return [made(source, document, value, [])];
}

function made(source: SourceFile, document: SourceDocument, value: Fields, base: FieldPath): PowerResource {
  const apiVersion = textAt(value, 'apiVersion');
  return {
    group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
    kind: textAt(value, 'kind'),
    namespace: textAt(value, 'metadata', 'namespace'),
    name: textAt(value, 'metadata', 'name'),
    value,
    place: (path) => {
      const found = locateIn(source.yaml, document.index, [...base, ...path], { nearest: true });
      return { file: source.path, line: found?.line ?? 1, column: found?.column ?? 1 };
    },
  };
}

/** `Kind namespace/name`. */
export function called({ kind, namespace, name }: PowerResource): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** The value below a path of keys; undefined when there is none. */
export function at(value: unknown, ...path: FieldPath): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export function textAt(value: unknown, ...path: FieldPath): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The maps of a list; what is none stands as an empty map, so that positions hold. */
export function listAt(value: unknown, ...path: FieldPath): Fields[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.map(mapOf) : [];
}

export function textsAt(value: unknown, ...path: FieldPath): string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

export function mapAt(value: unknown, ...path: FieldPath): Fields {
  return mapOf(at(value, ...path));
}

function mapOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A value as JSON; integers past 2^53, which JSON does not know, as text. */
export function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)) ?? 'nothing'
  );
}
