/** Looks up which of many versions lie in a range, by halving: it costs what it gives. */
import { isAbove, isBelow, type VersionRange } from './range.ts';
import type { Version } from './version.ts';

/** The items whose version lies in the range, of items in the order of their versions. */
export function* itemsInRange<Item>(
  items: readonly Item[],
  versionOf: (item: Item) => Version,
  { spans }: VersionRange,
): Generator<Item> {
  const intervals = spans
    .map(({ low, high }) => {
      const start = firstWhere(items, (item) => isAbove(versionOf(item), low));
      return [start, firstWhere(items, (item) => !isBelow(versionOf(item), high))] as const;
    })
    .filter(([start, end]) => start < end)
    .sort((a, b) => a[0] - b[0]);
  let from = 0;
  for (const [start, end] of intervals) {
    yield* items.slice(Math.max(from, start), end);
    from = Math.max(from, end);
  }
}

/** The first place at which something holds that holds for all behind it too. */
export function firstWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
