import { isMap } from '../plain-values.ts';
import type { YamlValue } from '../yaml/edit.ts';
import { formatPath } from '../yaml/path.ts';
import type { YamlPath } from '../yaml/path.ts';
import { commonPairs } from '../yaml/sequence.ts';
import type { FieldChange } from './diff-types.ts';
import { listKeys, sameValue, tupleOf } from './list-keys.ts';

/** A field change with the keys that lead to its value on the side where it stands, to find its line. */
export interface LocatedChange extends FieldChange {
  readonly keys: readonly (string | number)[];
}

export interface FieldDiff {
  readonly changes: readonly LocatedChange[];
  /** True when keys that both sides have stand in another order somewhere. */
  readonly reordered: boolean;
}

/** Where the two values stand: the readable path, and the keys on either side. */
interface Spot {
  readonly path: YamlPath;
  readonly keysA: readonly (string | number)[];
  readonly keysB: readonly (string | number)[];
}

interface Comparison {
  readonly changes: LocatedChange[];
  reordered: boolean;
}

/**
 * Compares two resources as data. List items are matched by the field that tells them apart (name, mountPath, …)
 * where there is one, else by content; changes come in the order of the newer text.
 */
export function diffFields(before: YamlValue, after: YamlValue): FieldDiff {
  const found: Comparison = { changes: [], reordered: false };
  compare(before, after, { path: [], keysA: [], keysB: [] }, found);
  return found;
}

function compare(a: unknown, b: unknown, spot: Spot, found: Comparison): void {
  if (isMap(a) && isMap(b)) compareMaps(a, b, spot, found);
  else if (Array.isArray(a) && Array.isArray(b)) {
    const keys = listKeys(a, b);
    if (keys === undefined) comparePlainLists(a, b, spot, found);
    else compareKeyedLists({ a, b, keys, spot, found });
  } else if (!sameValue(a, b)) found.changes.push(changed(spot, a, b));
}

function compareMaps(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
  spot: Spot,
  found: Comparison,
): void {
  const shared = Object.keys(b).filter((key) => Object.hasOwn(a, key));
  const sharedA = Object.keys(a).filter((key) => Object.hasOwn(b, key));
  if (sharedA.some((key, at) => key !== shared[at])) found.reordered = true;
  for (const [key, value] of Object.entries(b)) {
    const below = step(spot, key, key, key);
    if (Object.hasOwn(a, key)) compare(a[key], value, below, found);
    else found.changes.push(added(below, value));
  }
  for (const [key, value] of Object.entries(a)) {
    if (!Object.hasOwn(b, key)) found.changes.push(removed(step(spot, key, key, key), value));
  }
}

function compareKeyedLists({
  a,
  b,
  keys,
  spot,
  found,
}: {
  readonly a: readonly unknown[];
  readonly b: readonly unknown[];
  readonly keys: readonly string[];
  readonly spot: Spot;
  readonly found: Comparison;
}): void {
  const inA = indexed(a, keys);
  const inB = indexed(b, keys);
  const shared = [...inB.keys()].filter((tuple) => inA.has(tuple));
  const sharedA = [...inA.keys()].filter((tuple) => inB.has(tuple));
  if (sharedA.some((tuple, at) => tuple !== shared[at])) {
    const [before, after] = [a, b].map((list) =>
      list.map((item) => Object.values(tupleOf(item, keys)).join(',')),
    );
    found.changes.push({ path: formatPath(spot.path), change: 'moved', before, after, keys: spot.keysB });
  }
  for (const [tuple, { at, item, segment }] of inB) {
    const was = inA.get(tuple);
    if (was === undefined) found.changes.push(added(step(spot, segment, at, at), item));
    else compare(was.item, item, step(spot, segment, was.at, at), found);
  }
  for (const [tuple, { at, item, segment }] of inA) {
    if (!inB.has(tuple)) found.changes.push(removed(step(spot, segment, at, at), item));
  }
}

function indexed(
  list: readonly unknown[],
  keys: readonly string[],
): Map<string, { readonly at: number; readonly item: unknown; readonly segment: Record<string, string> }> {
  return new Map(
    list.map((item, at) => {
      const segment = tupleOf(item, keys);
      return [JSON.stringify(Object.values(segment)), { at, item, segment }];
    }),
  );
}

function comparePlainLists(
  a: readonly unknown[],
  b: readonly unknown[],
  spot: Spot,
  found: Comparison,
): void {
  const [textA, textB] = [a.map(canonical), b.map(canonical)];
  if (isShuffled(textA, textB)) {
    found.changes.push({
      path: formatPath(spot.path),
      change: 'moved',
      before: a,
      after: b,
      keys: spot.keysB,
    });
    return;
  }
  let [atA, atB] = [0, 0];
  for (const [x, y] of [...commonPairs(textA, textB), [a.length, b.length] as const]) {
    // Where as many items went as came, they are the same items, changed.
    const paired = x - atA === y - atB;
    if (paired) for (; atB < y; atA += 1, atB += 1) compare(a[atA], b[atB], step(spot, atB, atA, atB), found);
    for (; atB < y; atB += 1) found.changes.push(added(step(spot, atB, atB, atB), b[atB]));
    for (; atA < x; atA += 1) found.changes.push(removed(step(spot, atA, atA, atA), a[atA]));
    // Equal as data, yet their keys may stand in another order.
    if (x < a.length) compare(a[x], b[y], step(spot, y, x, y), found);
    [atA, atB] = [x + 1, y + 1];
  }
}

function isShuffled(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length || a.every((text, at) => text === b[at])) return false;
  const sorted = b.toSorted();
  return a.toSorted().every((text, at) => text === sorted[at]);
}

function step(spot: Spot, segment: YamlPath[number], keyA: string | number, keyB: string | number): Spot {
  return { path: [...spot.path, segment], keysA: [...spot.keysA, keyA], keysB: [...spot.keysB, keyB] };
}

function changed({ path, keysB }: Spot, before: unknown, after: unknown): LocatedChange {
  return { path: formatPath(path), change: 'changed', before, after, keys: keysB };
}

function added({ path, keysB }: Spot, after: unknown): LocatedChange {
  return { path: formatPath(path), change: 'added', after, keys: keysB };
}

function removed({ path, keysA }: Spot, before: unknown): LocatedChange {
  return { path: formatPath(path), change: 'removed', before, keys: keysA };
}

/** One text per value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isMap(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
