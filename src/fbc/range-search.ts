/** Looks up which of many versions lie in a range, by halving: it costs what it gives. */
import { isAbove, isBelow, type VersionRange } from './range.ts';
import { compareVersions, type Version } from './version.ts';

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
function firstWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Which of many ranges hold a version, found without asking each: a tree over the versions that are known, whose nodes
 * have the items whose range covers all below them.
 */
export class RangeIndex<Item> {
  readonly #versions: readonly Version[];
  readonly #covering: Item[][];

  /** @param versions those that will be asked for */
  constructor(versions: readonly Version[], items: Iterable<readonly [item: Item, range: VersionRange]>) {
    this.#versions = versions.toSorted(compareVersions);
    this.#covering = Array.from({ length: 2 * this.#versions.length }, () => []);
    for (const [item, { spans }] of items) {
      for (const { low, high } of spans) {
        const start = firstWhere(this.#versions, (version) => isAbove(version, low));
        this.#cover(
          item,
          start,
          firstWhere(this.#versions, (version) => !isBelow(version, high)),
        );
      }
    }
  }

  /** Lists whose items are together those that hold the version; one item may be in several. */
  *covering(version: Version): Generator<Item[]> {
    const rank = firstWhere(this.#versions, (other) => compareVersions(other, version) >= 0);
    const known = this.#versions[rank];
    if (known === undefined || compareVersions(known, version) !== 0) return;
    for (let node = rank + this.#versions.length; node > 0; node >>= 1) {
      const items = this.#covering[node];
      if (items !== undefined && items.length > 0) yield items;
    }
  }

  #cover(item: Item, start: number, end: number): void {
    const size = this.#versions.length;
    let [low, high] = [start + size, end + size];
    for (; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) {
        this.#covering[low]?.push(item);
        low += 1;
      }
      if (high % 2 === 1) {
        high -= 1;
        this.#covering[high]?.push(item);
      }
    }
  }
}
