import { upTo } from '../../text/ends.ts';
import { isMap } from '../plain-values.ts';

/**
 * Fields, or pairs of fields, by which people tell the items of a list apart, the surest first. Merging goes by the
 * schemas of Kubernetes; a diff is read by people, so what looks like a key serves as one.
 */
const CANDIDATES: readonly (readonly string[])[] = [
  ['name'],
  ['kind', 'name'],
  ['key'],
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
  ['containerPort'],
  ['port'],
  ['mountPath'],
  ['devicePath'],
  ['conditionType'],
  ['type'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['ip'],
  ['uid'],
  ['host'],
  ['path'],
  ['image'],
  ['exec'],
  ['id'],
];

/** The fields that tell the items of both lists apart: each item a map that has them, no two alike in one list. */
export function listKeys(a: readonly unknown[], b: readonly unknown[]): readonly string[] | undefined {
  if (a.length === 0 || b.length === 0 || ![...a, ...b].every(isMap)) return undefined;
  return CANDIDATES.find((keys) => [a, b].every((list) => tellApart(list, keys)));
}

/** The fields of an item by which it is told apart, as a segment of a readable path. */
export function tupleOf(item: unknown, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, isMap(item) ? nameOf(key, item[key]) : '']));
}

/** True when both are the same as data; the order of keys does not count, `1` and `"1"` differ. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => sameValue(item, b[at]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}

function tellApart(list: readonly unknown[], keys: readonly string[]): boolean {
  const seen = new Set<string>();
  return list.every((item) => {
    const names = Object.values(tupleOf(item, keys));
    const tuple = JSON.stringify(names);
    return !names.includes('') && !seen.has(tuple) && seen.add(tuple);
  });
}

/** The last colon before which there is no slash any more begins the tag. */
function withoutTag(image: string): string {
  const slash = image.lastIndexOf('/');
  const colon = image.indexOf(':', slash + 1);
  return colon === -1 ? image : image.slice(0, colon);
}

function nameOf(key: string, value: unknown): string {
  // An image is the same with another tag.
  if (key === 'image' && typeof value === 'string') return withoutTag(upTo(value, '@'));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? `${value}`
    : '';
}
