/** Packages → the resources that can give power, each with places in its text. */
import { appliedNode } from '../applied/applied-value.ts';
import { differencesIn } from '../applied/differences.ts';
import { isOnlyList, listItems } from '../list-items.ts';
import { convertedIn, madeObjects, mayConvert } from '../operator-objects.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { groupOf, isMap, mapAt, textAt, type Fields } from '../plain-values.ts';
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
  readonly file: string;
  /** Of the file: '' is the package itself. What another resource carries is in a place of its own: it may be for another cluster. */
  readonly directory: string;
  /** The pods of what another resource carries are found in that one. */
  readonly isCarried: boolean;
  /** False where a tool may skip it, or what holds it. */
  readonly isSure: boolean;
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
  const [convertedBefore, convertedAfter] = [conversionsIn(a), conversionsIn(b)];
  const read = (files: PackageFiles, isConverted: (path: string) => boolean): PowerResource[] =>
    (changed ?? []).flatMap((path) => {
      const file = files.get(path);
      if (file === undefined) return [];
      const { resources, isSure } = resourcesIn(path, textOf(file), isConverted);
      if (!isSure) unread.add(path);
      return resources;
    });
  const [before, after] = [read(a, convertedBefore), read(b, convertedAfter)];
  const concerned = [...before, ...after].some(({ group }) => group === RBAC_GROUP);
  const inBoth = (path: string): boolean => convertedBefore(path) && convertedAfter(path);
  const beside = concerned ? (equal ?? []).flatMap((path) => rbacIn(path, a.get(path), unread, inBoth)) : [];
  return { before: [...before, ...beside], after: [...after, ...beside], unread: [...unread].sort() };
}

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** Its API server makes roles and bindings of RBAC of those in this group. */
const RBAC_OF_OPENSHIFT = 'authorization.openshift.io';

/** Reads documents of sources only where there are some. */
function conversionsIn(files: PackageFiles): (path: string) => boolean {
  const documents = [...files].flatMap(([path, file]) =>
    mayConvert(path)
      ? resourcesIn(path, textOf(file), () => true).resources.map(({ value }) => [path, value] as const)
      : [],
  );
  return convertedIn(documents);
}

function rbacIn(
  path: string,
  file: PackageFile | undefined,
  unread: Set<string>,
  isConverted: (path: string) => boolean,
): PowerResource[] {
  const text = file && textOf(file);
  if (text === undefined || !/rbac\.authorization\.k8s\.io|ClusterServiceVersion/.test(text)) return [];
  const { resources, isSure } = resourcesIn(path, text, isConverted);
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
  isConverted: (path: string) => boolean,
): { readonly resources: PowerResource[]; readonly isSure: boolean } {
  if (text === undefined) return { resources: [], isSure: false };
  let source: SourceFile;
  try {
    source = readResources(path, text, { resourcesOnly: true });
  } catch {
    return { resources: [], isSure: false };
  }
  const makes = !isConverted(path);
  const resources = source.documents.flatMap((document) =>
    unrolled({ source, document, makes, isSure: true }, appliedNode(document.root) as Fields, []),
  );
  return { resources, isSure: differencesIn(source.yaml).length === 0 };
}

/** A document, and whether operators in it count as what is made of them. */
interface Held {
  /** The resource that carries it. */
  readonly carrier?: string;
  readonly source: SourceFile;
  readonly document: SourceDocument;
  readonly makes: boolean;
  readonly isSure: boolean;
}

/** Marks by which tools leave a resource out, apply it later, or do not update it. */
const SKIPS =
  /^(?:config\.kubernetes\.io\/local-config$|argocd\.argoproj\.io\/(?!sync-wave$)|(?:[\w-]+\.)*fluxcd\.io\/|helm\.sh\/hook|config(?:management|sync)\.gke\.io\/|(?:[\w-]+\.)*config\.k8s\.io\/|kapp\.k14s\.io\/)/;

function mayBeSkipped(value: Fields): boolean {
  const marks = ['annotations', 'labels'].flatMap((field) => Object.keys(mapAt(value, 'metadata', field)));
  return marks.some((key) => SKIPS.test(key));
}

/** A list is as good as its items, which need not repeat what kind they are; an operator also is what is made of it. */
function unrolled(above: Held, value: Fields, base: FieldPath): PowerResource[] {
  const held = { ...above, isSure: above.isSure && !mayBeSkipped(value) };
  const items = listItems(value);
  // Not every tool takes the items of what is more than a list.
  const within = { ...held, isSure: held.isSure && isOnlyList(value) };
  const own =
    items !== undefined && isOnlyList(value) ? [] : [toResource(held, value, (path) => [...base, ...path])];
  const inner = (items ?? []).map((item, index) => unrolled(within, item, [...base, 'items', index]));
  const carrier = `${held.carrier ?? ''} ${textAt(value, 'kind')} ${textAt(value, 'metadata', 'name')}`;
  const carried = Object.entries(value)
    .filter(([field]) => field !== 'items' || items === undefined)
    .flatMap(([field, below]) => carriedIn({ ...held, carrier }, below, [...base, field]));
  const made = held.makes ? madeObjects(value) : [];
  return [
    ...own,
    ...made.map((one) => toResource(held, one.value, (path) => [...base, ...one.sourceOf(path)])),
    ...inner.flat(),
    ...carried,
  ];
}

/** Whole manifests in another resource, which a controller applies: each is judged as the object that it becomes. */
function carriedIn(held: Held, value: unknown, path: FieldPath): PowerResource[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => carriedIn(held, item, [...path, index]));
  if (!isMap(value)) return [];
  const isKind = textAt(value, 'apiVersion') !== '' && textAt(value, 'kind') !== '';
  if (isKind && textAt(value, 'metadata', 'name') !== '') return unrolled(held, value, path);
  // Kyverno has the name beside the content that it generates.
  const { apiVersion, kind, name, namespace, data } = value;
  if (isKind && typeof name === 'string' && isMap(data)) {
    const made = { ...data, apiVersion, kind, metadata: { ...mapAt(data, 'metadata'), name, namespace } };
    return unrolled(held, made, [...path, 'data']);
  }
  return Object.entries(value).flatMap(([key, below]) => carriedIn(held, below, [...path, key]));
}

function toResource(
  { source, document, isSure, carrier = '' }: Held,
  value: Fields,
  fieldOf: (path: FieldPath) => FieldPath,
): PowerResource {
  const apiGroup = groupOf(textAt(value, 'apiVersion'));
  return {
    group: apiGroup === RBAC_OF_OPENSHIFT ? RBAC_GROUP : apiGroup,
    kind: textAt(value, 'kind'),
    namespace: textAt(value, 'metadata', 'namespace'),
    name: textAt(value, 'metadata', 'name'),
    value,
    file: source.path,
    directory: `${source.path.slice(0, Math.max(0, source.path.lastIndexOf('/')))}${carrier}`,
    isCarried: carrier !== '',
    isSure,
    place: (path) => {
      const found = locateIn(source.yaml, document.index, fieldOf(path), { nearest: true });
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
