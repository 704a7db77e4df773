/** The word among `words` that is at most `distance` edits away from `typed` (case does not count), the nearest first in order. */
export function closestWord(typed: string, words: readonly string[], distance = 2): string | undefined {
  const from = typed.toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of words) {
    // A word no longer than the distance would be "near" to anything short.
    const allowed = Math.min(distance, Math.max(1, word.length - 2));
    const found = editDistance(from, word.toLowerCase(), allowed);
    if (found <= allowed && (best === undefined || found < best.distance)) best = { word, distance: found };
  }
  return best?.word;
}

/**
 * Edits (insert, remove, replace, swap of neighbours) from `a` to `b`; anything above `limit` is `limit + 1`. Takes
 * time in proportion to the length and the limit, and none where the lengths differ by more than it.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last: number[] = Array.from({ length: Math.min(b.length, limit) + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    // Further from the diagonal than the limit there is nothing to find.
    const row: number[] = [];
    if (i <= limit) row[0] = i;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, cell(beforeLast, j - 2) + 1);
      row[j] = cost;
    }
    beforeLast = last;
    last = row;
  }
  return Math.min(cell(last, b.length), limit + 1);
}

function cell(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}
