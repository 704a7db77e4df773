import { isMap } from '../plain-values.ts';
import { commonPairs } from '../yaml/sequence.ts';

/** For each item of `after` the position of the item in `before` that it comes from, or -1. */
export function pairItems(before: readonly unknown[], after: readonly unknown[]): number[] {
  const names = namesOf(before);
  const wanted = namesOf(after);
  if (names !== undefined && wanted !== undefined) return wanted.map((name) => names.indexOf(name));
  const twins = after.map(() => -1);
  const pairs = commonPairs(before.map(textOfData), after.map(textOfData));
  let x = 0;
  let y = 0;
  for (const [nextX, nextY] of [...pairs, [before.length, after.length] as const]) {
    // Between equal items, the items in the same places are taken for one another.
    for (let at = 0; at < Math.min(nextX - x, nextY - y); at += 1) twins[y + at] = x + at;
    if (nextY < after.length) twins[nextY] = nextX;
    x = nextX + 1;
    y = nextY + 1;
  }
  return twins;
}

/** The names of a list's maps, if all have one and no two the same. */
function namesOf(list: readonly unknown[]): string[] | undefined {
  const names = list.map((item) =>
    isMap(item) && typeof item['name'] === 'string' ? item['name'] : undefined,
  );
  if (names.length === 0 || names.includes(undefined) || new Set(names).size < names.length) return undefined;
  return names as string[];
}

function textOfData(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? ''
  );
}
