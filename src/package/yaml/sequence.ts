/**
 * Pairs the equal elements of two sequences, in order: the longest common subsequence (Myers), found in time
 * proportional to the length times the number of differences. Past `budget` differences the middle counts as
 * changed wholly, so that time and memory stay bounded. Returns pairs of positions.
 */
export function commonPairs(a: readonly string[], b: readonly string[], budget = 1000): [number, number][] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1;
  const pairs: [number, number][] = [];
  for (let at = 0; at < head; at += 1) pairs.push([at, at]);
  const middle = shortestEdit(a.slice(head, a.length - tail), b.slice(head, b.length - tail), budget);
  for (const [x, y] of middle) pairs.push([x + head, y + head]);
  for (let at = tail; at > 0; at -= 1) pairs.push([a.length - at, b.length - at]);
  return pairs;
}

function shortestEdit(a: readonly string[], b: readonly string[], budget: number): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const most = Math.min(a.length + b.length, budget);
  let reach = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    history.push(reach);
    const next = new Map(reach);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(reach, diagonal, edits)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(history, a.length, b.length);
    }
    reach = next;
  }
  return [];
}

function isDown(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

function walkBack(
  history: readonly ReadonlyMap<number, number>[],
  endX: number,
  endY: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let x = endX;
  let y = endY;
  for (let edits = history.length - 1; edits >= 0; edits -= 1) {
    const reach = history[edits];
    if (reach === undefined) break;
    const diagonal = x - y;
    const before = isDown(reach, diagonal, edits) ? diagonal + 1 : diagonal - 1;
    const beforeX = edits === 0 ? 0 : (reach.get(before) ?? 0);
    const beforeY = edits === 0 ? 0 : beforeX - before;
    while (x > beforeX && y > beforeY) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    x = beforeX;
    y = beforeY;
  }
  return pairs.reverse();
}

/** A stretch where base and at least one side differ: positions [start, end) in each. */
export interface Hunk {
  readonly base: readonly [number, number];
  readonly left: readonly [number, number];
  readonly right: readonly [number, number];
  /** Which sides differ from base here. */
  readonly changed: 'left' | 'right' | 'both';
}

/**
 * Cuts three sequences into what is common to all (not returned) and the hunks between. Changes of both sides that
 * overlap or touch make one hunk.
 */
export function threeWay(base: readonly string[], left: readonly string[], right: readonly string[]): Hunk[] {
  const edits = [...editsOf(base, left, 'left'), ...editsOf(base, right, 'right')].sort(
    (a, b) => a.base[0] - b.base[0] || a.base[1] - b.base[1],
  );
  const groups: Edit[][] = [];
  let reach = -1;
  for (const edit of edits) {
    const group = groups.at(-1);
    const touches = group !== undefined && edit.base[0] <= reach;
    if (touches) group.push(edit);
    else groups.push([edit]);
    reach = touches ? Math.max(reach, edit.base[1]) : edit.base[1];
  }
  const grown = { left: 0, right: 0 };
  return groups.map((group) => hunkOf(group, grown));
}

interface Edit {
  readonly side: 'left' | 'right';
  readonly base: readonly [number, number];
  readonly own: readonly [number, number];
}

function editsOf(base: readonly string[], own: readonly string[], side: Edit['side']): Edit[] {
  const edits: Edit[] = [];
  let x = 0;
  let y = 0;
  for (const [nextX, nextY] of [...commonPairs(base, own), [base.length, own.length] as const]) {
    if (nextX > x || nextY > y) edits.push({ side, base: [x, nextX], own: [y, nextY] });
    x = nextX + 1;
    y = nextY + 1;
  }
  return edits;
}

/** `grown` says by how much each side is longer than base so far; it is moved on. */
function hunkOf(group: readonly Edit[], grown: { left: number; right: number }): Hunk {
  const start = Math.min(...group.map((edit) => edit.base[0]));
  const end = Math.max(...group.map((edit) => edit.base[1]));
  const range = (side: Edit['side']): [number, number] => {
    const own = group.filter((edit) => edit.side === side);
    const from = start + grown[side];
    for (const edit of own) grown[side] += edit.own[1] - edit.own[0] - (edit.base[1] - edit.base[0]);
    return [from, end + grown[side]];
  };
  const sides = new Set(group.map((edit) => edit.side));
  const changed = sides.size === 2 ? 'both' : sides.has('left') ? 'left' : 'right';
  return { base: [start, end], left: range('left'), right: range('right'), changed };
}
