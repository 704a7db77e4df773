/**
 * Pairs the equal elements of two sequences, in order: the longest common subsequence (Myers), found in time
 * proportional to the length times the number of differences. Past `budget` differences the middle counts as
 * changed wholly, so that time and memory stay bounded. Returns pairs of positions.
 */
export function commonPairs(a: readonly string[], b: readonly string[], budget = 250): [number, number][] {
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

/** Myers' greedy search; `reach[diagonal + edits]` is how far it got on each diagonal with so many edits. */
function shortestEdit(a: readonly string[], b: readonly string[], budget: number): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const most = Math.min(a.length + b.length, budget);
  const history: Int32Array[] = [];
  let before = new Int32Array(1);
  for (let edits = 0; edits <= most; edits += 1) {
    const reach = new Int32Array(2 * edits + 1);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = edits === 0 ? 0 : startOn(before, diagonal, edits);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      reach[diagonal + edits] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(history, edits, a.length, b.length);
    }
    history.push(reach);
    before = reach;
  }
  return [];
}

/** True when the path to a diagonal comes from the one above: by an insertion. */
function isDown(before: Int32Array, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && at(before, diagonal - 1, edits) < at(before, diagonal + 1, edits);
}

/** How far the round before `edits` got on a diagonal. */
function at(before: Int32Array, diagonal: number, edits: number): number {
  return before[diagonal + edits - 1] ?? 0;
}

function startOn(before: Int32Array, diagonal: number, edits: number): number {
  return isDown(before, diagonal, edits)
    ? at(before, diagonal + 1, edits)
    : at(before, diagonal - 1, edits) + 1;
}

function walkBack(
  history: readonly Int32Array[],
  total: number,
  endX: number,
  endY: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let x = endX;
  let y = endY;
  for (let edits = total; edits >= 0; edits -= 1) {
    const before = history[edits - 1];
    const diagonal = x - y;
    const down = before === undefined || isDown(before, diagonal, edits);
    const source = down ? diagonal + 1 : diagonal - 1;
    const beforeX = before === undefined ? 0 : at(before, source, edits);
    const beforeY = before === undefined ? 0 : beforeX - source;
    const startX = before === undefined ? 0 : down ? beforeX : beforeX + 1;
    while (x > startX && x > 0 && y > 0) {
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
export function threeWay(
  base: readonly string[],
  left: readonly string[],
  right: readonly string[],
  budget?: number,
): Hunk[] {
  const edits = [...editsOf(base, left, 'left', budget), ...editsOf(base, right, 'right', budget)].sort(
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

function editsOf(
  base: readonly string[],
  own: readonly string[],
  side: Edit['side'],
  budget?: number,
): Edit[] {
  const edits: Edit[] = [];
  let x = 0;
  let y = 0;
  const pairs = lateInsertions(base, own, firstOfEqual(base, commonPairs(base, own, budget)));
  for (const [nextX, nextY] of [...pairs, [base.length, own.length] as const]) {
    if (nextX > x || nextY > y) edits.push({ side, base: [x, nextX], own: [y, nextY] });
    x = nextX + 1;
    y = nextY + 1;
  }
  return edits;
}

/**
 * Of equal elements in a row the first ones are those that stayed. Which of them a side dropped cannot be told, and both
 * sides have to be told the same: else two that dropped one each would be taken to have dropped two.
 */
function firstOfEqual(
  base: readonly string[],
  pairs: readonly (readonly [number, number])[],
): (readonly [number, number])[] {
  let free = 0;
  return pairs.map(([x, y]) => {
    let first = x;
    while (first > free && base[first - 1] === base[x]) first -= 1;
    free = first + 1;
    return [first, y];
  });
}

/**
 * What a side inserted begins as late as it can, for the same reason: a paragraph with blank lines around it can be
 * taken for the one with the blank line above or below, and where the sides differ in that, both of theirs would come.
 */
function lateInsertions(
  base: readonly string[],
  own: readonly string[],
  pairs: readonly (readonly [number, number])[],
): (readonly [number, number])[] {
  let [x, y] = [0, 0];
  return pairs.map(([nextX, nextY]) => {
    const early = y + nextX - x;
    const place = early < nextY && own[early] === base[nextX] ? early : nextY;
    [x, y] = [nextX + 1, place + 1];
    return [nextX, place];
  });
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
