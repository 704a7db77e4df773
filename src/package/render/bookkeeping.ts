/**
 * Annotations by which functions learn where a resource lives, and by which it is known again after a function.
 * They are set before functions run and removed before anything is written.
 */
import { isMap } from '../plain-values.ts';
import { textOf } from './field-notes.ts';
import type { ResultItem } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';

const PATH = 'internal.config.kubernetes.io/path';
const INDEX = 'internal.config.kubernetes.io/index';
const LEGACY_PATH = 'config.kubernetes.io/path';
const LEGACY_INDEX = 'config.kubernetes.io/index';
export const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path';
export const ID = 'internal.config.kubernetes.io/id';
export const LEGACY_ID = 'config.k8s.io/id';

/** All that kpt or this renderer may leave on a resource and that no file may hold. */
const BOOKKEEPING = new Set([
  PATH,
  INDEX,
  LEGACY_PATH,
  LEGACY_INDEX,
  PACKAGE_PATH,
  ID,
  LEGACY_ID,
  'internal.config.kubernetes.io/seqindent',
  'internal.config.kubernetes.io/annotations-migration-resource-id',
  'internal.config.kubernetes.io/kpt-resource-id',
  'internal.config.k8s.io/kpt-resource-id',
]);

/** True for the annotations that are not the resource's own. */
export function isBookkeeping(annotation: string): boolean {
  return BOOKKEEPING.has(annotation);
}

export interface Place {
  /** Directory of the package that owns the resource, '.' for the root. */
  readonly package: string;
  /** File, relative to that package. */
  readonly path: string;
  /** Position among the file's documents; undefined for a new resource. */
  readonly index: number | undefined;
}

/** Sets the annotations, making `metadata.annotations` where it is missing. Changes `item`. */
export function setPlace(item: KrmObject, place: Place, id?: string): void {
  const annotations = ensureAnnotations(item);
  annotations[PATH] = place.path;
  annotations[LEGACY_PATH] = place.path;
  annotations[PACKAGE_PATH] = place.package;
  if (place.index !== undefined) {
    annotations[INDEX] = String(place.index);
    annotations[LEGACY_INDEX] = String(place.index);
  }
  if (id !== undefined) {
    annotations[ID] = id;
    annotations[LEGACY_ID] = id;
  }
}

function ensureAnnotations(item: KrmObject): KrmObject {
  const metadata = ensureMap(item, 'metadata');
  return ensureMap(metadata, 'annotations');
}

/** The map in a field; made at the end where it is missing. */
export function ensureMap(container: KrmObject, key: string): KrmObject {
  const value = container[key];
  if (isMap(value)) return value;
  const made: KrmObject = {};
  container[key] = made;
  return made;
}

/** The resource with the bookkeeping of another one. Changes `item`. */
export function withBookkeeping(item: KrmObject, from: KrmObject): KrmObject {
  const { metadata } = from;
  const annotations = isMap(metadata) && isMap(metadata['annotations']) ? metadata['annotations'] : {};
  const own = Object.entries(annotations).filter(([key]) => BOOKKEEPING.has(key));
  const before = isMap(item['metadata']) ? item['metadata'] : {};
  const kept = isMap(before['annotations']) ? before['annotations'] : {};
  item['metadata'] = { ...before, annotations: { ...kept, ...Object.fromEntries(own) } };
  return item;
}

/** Removes the annotations, and the maps that only they made necessary. Changes `item`; `before` is its source. */
export function clearPlace(item: KrmObject, before?: KrmObject): void {
  const metadata = item['metadata'];
  if (!isMap(metadata) || !isMap(metadata['annotations'])) return;
  const annotations = metadata['annotations'];
  for (const key of Object.keys(annotations)) if (BOOKKEEPING.has(key)) delete annotations[key];
  if (Object.keys(annotations).length > 0) return;
  const old = before?.['metadata'];
  if (isMap(old) && 'annotations' in old) {
    // Nothing was there that is gone: what stood there, such as `annotations: {}` or nothing at all, stays.
    const was = old['annotations'];
    if (!isMap(was) || Object.keys(was).every((key) => BOOKKEEPING.has(key))) metadata['annotations'] = was;
    else delete metadata['annotations'];
  } else delete metadata['annotations'];
  if (before !== undefined && !('metadata' in before) && Object.keys(metadata).length === 0)
    delete item['metadata'];
}

/** Says that the resource belongs into another file, relative to its package. Changes `item`. */
export function moveTo(item: KrmObject, path: string): void {
  const annotations = ensureAnnotations(item);
  annotations[PATH] = path;
  annotations[LEGACY_PATH] = path;
  delete annotations[INDEX];
  delete annotations[LEGACY_INDEX];
}

/** An annotation's text; undefined where there is none. */
export function annotationOf(item: KrmObject, name: string): string | undefined {
  const metadata = item['metadata'];
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined;
  return isMap(annotations) && annotations[name] !== null ? textOf(annotations, name) : undefined;
}

/** Where a resource says that it lives; the legacy annotations count where the present ones are missing. */
export function pathOf(item: KrmObject): string | undefined {
  return annotationOf(item, PATH) ?? annotationOf(item, LEGACY_PATH);
}

export function indexOf(item: KrmObject): number | undefined {
  const text = annotationOf(item, INDEX) ?? annotationOf(item, LEGACY_INDEX);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Place of a resource, for a result about it. */
export function fileOf(item: KrmObject): Pick<ResultItem, 'file'> {
  const path = pathOf(item);
  const index = indexOf(item) ?? 0;
  return path === undefined ? {} : { file: index === 0 ? { path } : { path, index } };
}
