/** Pure: stretches of lines or items that both sides changed, cut into what they agree on and what they do not. */

export type Range = readonly [number, number];

/** A piece of a stretch; `conflict` where both sides made something else of it. */
export interface Piece {
  readonly take: 'local' | 'upstream' | 'conflict';
  readonly local: Range;
  readonly base: Range;
  readonly upstream: Range;
}

/**
 * Cuts a stretch: one by one where all three have the same number of elements, else into what both sides made alike at
 * its ends, and the rest.
 */
export function cutStretch(
  ours: readonly string[],
  old: readonly string[],
  theirs: readonly string[],
): Piece[] {
  if (ours.length === old.length && theirs.length === old.length) return oneByOne(ours, old, theirs);
  const most = Math.min(ours.length, theirs.length);
  let head = 0;
  while (head < most && ours[head] === theirs[head]) head += 1;
  let tail = 0;
  while (tail < most - head && ours.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const [left, right] = [ours.length - tail, theirs.length - tail];
  const isAlike = head === left && head === right;
  const start: Piece = {
    take: 'local',
    local: [0, head],
    base: [0, isAlike ? old.length : 0],
    upstream: [0, head],
  };
  const end: Piece = {
    take: 'local',
    local: [left, ours.length],
    base: [old.length, old.length],
    upstream: [right, theirs.length],
  };
  const middle: Piece = {
    take: 'conflict',
    local: [head, left],
    base: [0, old.length],
    upstream: [head, right],
  };
  return [start, ...(isAlike ? [] : [middle]), end].filter(
    ({ take, local, base }) => take === 'conflict' || local[0] < local[1] || base[0] < base[1],
  );
}

function oneByOne(ours: readonly string[], old: readonly string[], theirs: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  for (const [at, before] of old.entries()) {
    const [mine, other] = [ours[at], theirs[at]];
    const take =
      mine === other || other === before ? 'local' : mine === before ? 'upstream' : ('conflict' as const);
    const last = pieces.at(-1);
    const start = last?.take === take ? last.base[0] : at;
    if (last?.take === take) pieces.pop();
    const range: Range = [start, at + 1];
    pieces.push({ take, local: range, base: range, upstream: range });
  }
  return pieces;
}

/** Counts how often each of several things was seen before: equal conflicts in one place are told apart by it. */
export function occurrences(): (thing: string) => number {
  const seen = new Map<string, number>();
  return (thing) => {
    const before = seen.get(thing) ?? 0;
    seen.set(thing, before + 1);
    return before;
  };
}
