/** Packages → the resources that can give power, each with places in its text. */
import { appliedNode } from '../applied/applied-value.ts';
import { differencesIn } from '../applied/differences.ts';
import { isOnlyList, listItems } from '../list-items.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { groupOf, textAt, type Fields } from '../plain-values.ts';
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

export interface BothSides {
  readonly before: readonly PowerResource[];
  readonly after: readonly PowerResource[];
  readonly unread: readonly string[];
}

/**
 * Reads what differs, and where RBAC is among that also the RBAC of files that are equal, because a changed binding can
 * give what an unchanged role says. Never throws: a file that is no YAML is named in `unread`.
 */
export function readBothSides(a: PackageFiles, b: PackageFiles): BothSides {
  const unread = new Set<string>();
  const paths = [...new Set([...a.keys(), ...b.keys()])].filter((path) => /\.(?:ya?ml|json)$/i.test(path));
  const [equal, changed] = [true, false].map((is) =>
    paths.filter((path) => sameFile(a.get(path), b.get(path)) === is),
  );
  const read = (files: PackageFiles): PowerResource[] =>
    (changed ?? []).flatMap((path) => {
      const file = files.get(path);
      if (file === undefined) return [];
      const { resources, isSure } = resourcesIn(path, textOf(file));
      if (!isSure) unread.add(path);
      return resources;
    });
  const [before, after] = [read(a), read(b)];
  const concerned = [...before, ...after].some(({ group }) => group === RBAC_GROUP);
  const beside = concerned ? (equal ?? []).flatMap((path) => rbacIn(path, a.get(path), unread)) : [];
  return { before: [...before, ...beside], after: [...after, ...beside], unread: [...unread].sort() };
}

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

function rbacIn(path: string, file: PackageFile | undefined, unread: Set<string>): PowerResource[] {
  const text = file && textOf(file);
  if (text === undefined || !text.includes(RBAC_GROUP)) return [];
  const { resources, isSure } = resourcesIn(path, text);
  if (!isSure) unread.add(path);
  return resources.filter(({ group }) => group === RBAC_GROUP);
}

function textOf(file: PackageFile): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
  } catch {
    return undefined;
  }
}

/** Its resources as a cluster gets them; not sure where a cluster may get others. */
function resourcesIn(
  path: string,
  text: string | undefined,
): { readonly resources: PowerResource[]; readonly isSure: boolean } {
  if (text === undefined) return { resources: [], isSure: false };
  let source: SourceFile;
  try {
    source = readResources(path, text, { resourcesOnly: true });
  } catch {
    return { resources: [], isSure: false };
  }
  const resources = source.documents.flatMap((document) =>
    unrolled(source, document, appliedNode(document.root) as Fields, []),
  );
  return { resources, isSure: differencesIn(source.yaml).length === 0 };
}

/** A list is as good as its items, which need not repeat what kind they are. */
function unrolled(
  source: SourceFile,
  document: SourceDocument,
  value: Fields,
  base: FieldPath,
): PowerResource[] {
  const items = listItems(value);
  const own = items !== undefined && isOnlyList(value) ? [] : [made(source, document, value, base)];
  const inner = (items ?? []).map((item, index) =>
    unrolled(source, document, item, [...base, 'items', index]),
  );
  return [...own, ...inner.flat()];
}

function made(source: SourceFile, document: SourceDocument, value: Fields, base: FieldPath): PowerResource {
  const apiVersion = textAt(value, 'apiVersion');
  return {
    group: groupOf(apiVersion),
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

/** A value as JSON; integers past 2^53, which JSON does not know, as text. */
export function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)) ?? 'nothing'
  );
}
