/** Pure: entries of the index as text, so that they can be stored and read again as they were. */
import type { IndexEntry } from '../catalog/shared-catalog.ts';

/** Goes up with any change of what is stored: processes of different versions do not read each other's entries. */
export const INDEX_FORMAT = 7;

/** JSON in which every object is wrapped, so that nothing in a document can be taken for one of our own marks. */
export function entryText(entry: IndexEntry): string {
  return JSON.stringify(wrapped(entry));
}

/** @throws SyntaxError when it is none of ours */
export function entryFromText(text: string): IndexEntry {
  return unwrapped(JSON.parse(text)) as IndexEntry;
}

type Wrapped =
  | string
  | number
  | boolean
  | null
  | readonly Wrapped[]
  | { readonly object: readonly (readonly [string, Wrapped])[]; readonly plain: boolean }
  | { readonly map: readonly (readonly [Wrapped, Wrapped])[] }
  | { readonly integer: string }
  | { readonly float: string };

function wrapped(value: unknown): Wrapped {
  if (typeof value === 'bigint') return { integer: String(value) };
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { float: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map(wrapped);
  if (value instanceof Map)
    return { map: [...value].map(([key, one]) => [wrapped(key), wrapped(one)] as const) };
  if (typeof value !== 'object') throw new TypeError(`the index cannot store a ${typeof value}`);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return {
    object: entries.map(([key, one]) => [key, wrapped(one)] as const),
    // Maps of documents have no prototype, so that a key such as `__proto__` is only a key.
    plain: Object.getPrototypeOf(value) !== null,
  };
}

function unwrapped(value: Wrapped): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(unwrapped);
  if ('integer' in value) return BigInt(value.integer);
  if ('float' in value) return Number(value.float);
  if ('map' in value) return new Map(value.map.map(([key, one]) => [unwrapped(key), unwrapped(one)]));
  const object = (value.plain ? {} : Object.create(null)) as Record<string, unknown>;
  for (const [key, one] of value.object) {
    const property = { value: unwrapped(one), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, key, property);
  }
  return object;
}

function isList(value: Exclude<Wrapped, string | number | boolean | null>): value is readonly Wrapped[] {
  return Array.isArray(value);
}
