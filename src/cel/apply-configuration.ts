/**
 * What Kubernetes' server-side apply makes of a resource and the fields that a policy sets. Lists merge by their keys;
 * what would be replaced as a whole is refused, as the API server refuses it.
 */
import type { Data } from './review.ts';

/** The keys of a list by its pattern, such as `spec.template.spec.containers[].env`; none: its items are united. */
export type ListKeysOf = (
  apiVersion: string,
  kind: string,
) => (pattern: string) => readonly string[] | undefined;

/** What a key is where an item does not say it. */
const KEY_DEFAULTS: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

/** Maps that Kubernetes replaces as a whole, by the name of their field. */
const WHOLE = new Set([
  'selector',
  'labelSelector',
  'namespaceSelector',
  'podSelector',
  'nodeSelector',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'roleRef',
]);

/** @throws Error with a sentence where apply does not do that */
export function applyConfiguration(object: Data, wanted: unknown, listKeys: ListKeysOf): Data {
  if (!isMap(wanted)) throw new Error('the expression does not build an Object');
  const keysOf = listKeys(String(object['apiVersion']), String(object['kind']));
  return mergeMap(object, wanted, '', keysOf);
}

type KeysOf = ReturnType<ListKeysOf>;

function mergeMap(before: Data, wanted: Data, path: string, keysOf: KeysOf): Data {
  const after: Record<string, unknown> = { ...before };
  for (const [field, value] of Object.entries(wanted)) {
    const at = path === '' ? field : `${path}.${field}`;
    const was = Object.hasOwn(before, field) ? before[field] : undefined;
    const now = merge(was, value, at, keysOf);
    Object.defineProperty(after, field, { value: now, enumerable: true, writable: true, configurable: true });
  }
  return after;
}

function merge(was: unknown, value: unknown, at: string, keysOf: KeysOf): unknown {
  if (value === null)
    throw new Error(`an apply configuration sets ${at} to null: remove a field with a JSONPatch`);
  if (Array.isArray(value)) {
    if (isNothing(was)) return fresh(value, at, keysOf);
    if (!Array.isArray(was)) throw new Error(`${at} is not a list`);
    return mergeList(was, value, at, keysOf);
  }
  if (isMap(value)) {
    if (isNothing(was)) return fresh(value, at, keysOf);
    if (!isMap(was)) throw new Error(`${at} is not a map`);
    if (!isWhole(at)) return mergeMap(was, value, at, keysOf);
    if (sameData(was, value)) return was;
    throw new Error(replaced(at));
  }
  if (Array.isArray(was) || isMap(was)) throw new Error(`${at} is a ${isMap(was) ? 'map' : 'list'}`);
  return value;
}

/** What stands where nothing stood; null is refused there, too. */
function fresh(value: unknown, at: string, keysOf: KeysOf): unknown {
  if (Array.isArray(value)) return value.map((one) => merge(undefined, one, `${at}[]`, keysOf));
  return isMap(value) ? mergeMap({}, value, at, keysOf) : value;
}

function mergeList(
  was: readonly unknown[],
  value: readonly unknown[],
  at: string,
  keysOf: KeysOf,
): unknown[] {
  if (sameData(was, value)) return [...was];
  const keys = keysOf(at);
  if (keys === undefined) throw new Error(replaced(at));
  const after = [...was];
  for (const item of value) {
    const place = after.findIndex((one) =>
      keys.length === 0 ? sameData(one, item) : keyOf(one, keys, at) === keyOf(item, keys, at),
    );
    if (place === -1) after.push(merge(undefined, item, `${at}[]`, keysOf));
    else if (keys.length > 0) after[place] = merge(after[place], item, `${at}[]`, keysOf);
  }
  return after;
}

function keyOf(item: unknown, keys: readonly string[], at: string): string {
  const values = keys.map((key) => {
    const value = isMap(item) && Object.hasOwn(item, key) ? item[key] : KEY_DEFAULTS[key];
    if (value === undefined) throw new Error(`an item of ${at} has no ${key}, by which the list is merged`);
    return typeof value === 'bigint' ? Number(value) : value;
  });
  return JSON.stringify(values);
}

function replaced(at: string): string {
  return `${at.replaceAll('[]', '')} is replaced as a whole, which an apply configuration may not do: use a JSONPatch`;
}

function isWhole(at: string): boolean {
  return WHOLE.has(at.slice(at.lastIndexOf('.') + 1));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A map of data; lists and null are none. */
export function isMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for the same data, whatever the order of the fields. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => sameData(one, b[at]));
  if (!isMap(a) || !isMap(b)) return a === b || (isWhole64(a) && isWhole64(b) && BigInt(a) === BigInt(b));
  const [left, right] = [Object.keys(a), Object.keys(b)];
  return (
    left.length === right.length && left.every((key) => Object.hasOwn(b, key) && sameData(a[key], b[key]))
  );
}

function isWhole64(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}
