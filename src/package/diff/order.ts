import type { PlacedResource } from './resource-file.ts';

/**
 * The resources that stand elsewhere among the documents of their file: the fewest that have to move so that the
 * others keep their order.
 */
export function outOfOrder(
  pairs: readonly (readonly [PlacedResource, PlacedResource])[],
): Set<PlacedResource> {
  const displaced = new Set<PlacedResource>();
  const stayed = pairs.filter(([old, now]) => old.file === now.file);
  for (const [, inFile] of Map.groupBy(stayed, ([, now]) => now.file)) {
    const inOldOrder = inFile.toSorted(([a], [b]) => a.line - b.line).map(([, now]) => now);
    const steady = longestIncreasing(inOldOrder.map(({ line }) => line));
    inOldOrder.forEach((now, at) => {
      if (!steady.has(at)) displaced.add(now);
    });
  }
  return displaced;
}

/** Positions of a longest increasing subsequence (patience sorting). */
function longestIncreasing(values: readonly number[]): Set<number> {
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  values.forEach((value, at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1];
    ends[low] = at;
  });
  const chosen = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) chosen.add(at);
  return chosen;
}
