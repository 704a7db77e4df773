import { isMap } from '../../package/plain-values.ts';
import { isBookkeeping } from '../../package/render/bookkeeping.ts';
import type { Container } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';

/** A field of a resource: its container and key, and its path as functions write it, such as `a.b[0].c`. */
export interface Field {
  readonly container: Container;
  readonly key: string | number;
  readonly path: string;
  readonly value: unknown;
}

export interface FieldVisitor {
  /** Called for lists that stand in a map's field, before their items. */
  readonly list?: (field: Field & { readonly value: unknown[] }) => void;
  readonly scalar?: (field: Field) => void;
}

/** Walks all fields of a resource in the order in which they are written. */
export function walkFields(item: KrmObject, visitor: FieldVisitor): void {
  walkMap(item, '', visitor);
}

function walkMap(map: KrmObject, path: string, visitor: FieldVisitor): void {
  const annotations = path === 'metadata.annotations';
  for (const key of Object.keys(map)) {
    // What tells where a resource lives is not a field of it.
    if (annotations && isBookkeeping(key)) continue;
    walkOne(map, key, path === '' ? key : `${path}.${key}`, visitor);
  }
}

function walkOne(container: Container, key: string | number, path: string, visitor: FieldVisitor): void {
  const value = (container as KrmObject)[key];
  if (Array.isArray(value) && typeof key === 'string') visitor.list?.({ container, key, path, value });
  // The visitor may have put another value there.
  const now = (container as KrmObject)[key];
  if (isMap(now)) walkMap(now, path, visitor);
  else if (Array.isArray(now)) for (const at of now.keys()) walkOne(now, at, `${path}[${at}]`, visitor);
  else visitor.scalar?.({ container, key, path, value: now });
}
