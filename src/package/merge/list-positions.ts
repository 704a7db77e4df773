import { changedItem, madeList } from '../yaml/change.ts';
import { canon, same } from '../yaml/compare.ts';
import type { CommentChange, ListItem, ListNode, YamlNode } from '../yaml/node.ts';
import { threeWay } from '../yaml/sequence.ts';
import type { Hunk } from '../yaml/sequence.ts';
import { mergedComments, replacedComments, withComments } from './comments.ts';
import { mergeNodes, telling } from './fields.ts';
import type { FieldContext, Spot } from './fields.ts';
import { leavesOf } from './leaves.ts';
import { cutStretch } from './stretches.ts';
import type { Piece, Range } from './stretches.ts';
import { takeUpstream } from './take-upstream.ts';

/** A list in its three states. */
export interface ListMerge {
  readonly local: ListNode;
  readonly base: ListNode;
  readonly upstream: ListNode;
  readonly spot: Spot;
  readonly context: FieldContext;
}

/** The items that stand where both sides made something else of a stretch. */
export type SettlePiece = (piece: Piece) => readonly ListItem[];

/**
 * Merges by position. Undefined when both sides changed the same stretch in ways that cannot be paired and nothing
 * settles it, and when one side moved what the other removed.
 */
export function mergeStretches(
  { local, base, upstream, spot, context }: ListMerge,
  settle?: SettlePiece,
): ListNode | undefined {
  const places = {
    local: placesOf(local.items),
    base: placesOf(base.items),
    upstream: placesOf(upstream.items),
  };
  const isMergeable = (hunk: Hunk): boolean =>
    hunk.changed !== 'both' || isEqual(hunk, local, upstream) || isPaired(hunk, local, base, upstream);
  const isMoved = (hunk: Hunk): boolean => isMovedAndRemoved({ hunk, local, base, upstream, places });
  const aligned = threeWay(canons(base), canons(local), canons(upstream));
  const fits = aligned.every((hunk) => isMergeable(hunk) && !isMoved(hunk));
  const hunks = fits
    ? aligned
    : (hunksAfterMerge(local, base, upstream) ??
      (settle === undefined || aligned.some(isMoved) ? undefined : aligned));
  if (hunks === undefined) return undefined;
  const items: ListItem[] = [];
  let at: readonly [number, number, number] = [0, 0, 0];
  const equalUntil = (end: number): void => {
    const [d, o, u] = at;
    for (let step = 0; d + step < end; step += 1) {
      const [own, old, theirs] = [local.items[d + step], base.items[o + step], upstream.items[u + step]];
      if (own === undefined) break;
      const here = { path: [...spot.path, items.length], pattern: spot.pattern };
      items.push(mergedItem({ local: own, base: old, upstream: theirs, spot: here, context }));
    }
  };
  for (const hunk of hunks) {
    equalUntil(hunk.left[0]);
    at = [hunk.left[1], hunk.base[1], hunk.right[1]];
    if (hunk.changed === 'left')
      items.push(...moved({ hunk, local, base, upstream, places, spot, at: items.length, context }));
    else if (hunk.changed === 'both' && isEqual(hunk, local, upstream))
      items.push(...local.items.slice(...hunk.left));
    else if (hunk.changed === 'right') items.push(...replaced(hunk, local, base, upstream));
    else if (settle === undefined || isMergeable(hunk))
      items.push(...pairs({ hunk, local, base, upstream, index: items.length, spot, context }));
    else items.push(...settledPieces({ hunk, local, base, upstream, settle }));
  }
  equalUntil(local.items.length);
  return madeList(local, items);
}

/** A stretch that cannot be paired: what the sides agree on, and what they do not. */
function settledPieces({
  hunk,
  local,
  base,
  upstream,
  settle,
}: {
  readonly hunk: Hunk;
  readonly local: ListNode;
  readonly base: ListNode;
  readonly upstream: ListNode;
  readonly settle: SettlePiece;
}): ListItem[] {
  const [own, old, theirs] = [canons(local), canons(base), canons(upstream)];
  const pieces = cutStretch(own.slice(...hunk.left), old.slice(...hunk.base), theirs.slice(...hunk.right));
  return pieces.flatMap((piece) => {
    const [left, middle, right] = [
      moveBy(hunk.left[0], piece.local),
      moveBy(hunk.base[0], piece.base),
      moveBy(hunk.right[0], piece.upstream),
    ];
    if (piece.take === 'local') return local.items.slice(...left);
    if (piece.take === 'upstream')
      return replaced({ left, base: middle, right, changed: 'right' }, local, base, upstream);
    return settle({ take: 'conflict', local: left, base: middle, upstream: right });
  });
}

function moveBy(offset: number, [start, end]: Range): Range {
  return [start + offset, end + offset];
}

/**
 * Cuts lists of one length position by position where local has each of upstream's changes already. Equal items can
 * align across positions, so that a list that was merged before seems to overlap with its upstream.
 */
function hunksAfterMerge(local: ListNode, base: ListNode, upstream: ListNode): Hunk[] | undefined {
  const [own, old, theirs] = [canons(local), canons(base), canons(upstream)];
  if (own.length !== old.length || theirs.length !== old.length) return undefined;
  const isMerged = old.every((text, at) => theirs[at] === text || theirs[at] === own[at]);
  if (!isMerged) return undefined;
  return old.flatMap((text, at): Hunk[] => {
    const here: readonly [number, number] = [at, at + 1];
    const changed = theirs[at] === text ? 'left' : 'both';
    return own[at] === text ? [] : [{ base: here, left: here, right: here, changed }];
  });
}

/**
 * Local's items of a stretch that upstream has as base has it: comments arrive
 * at those that only changed their place, and in those that changed where they stand.
 */
function moved({
  hunk,
  local,
  base,
  upstream,
  places,
  spot,
  at,
  context,
}: {
  readonly hunk: Hunk;
  readonly local: ListNode;
  readonly base: ListNode;
  readonly upstream: ListNode;
  readonly places: Places;
  readonly spot: Spot;
  readonly at: number;
  readonly context: FieldContext;
}): ListItem[] {
  const own = local.items.slice(...hunk.left);
  const old = base.items.slice(...hunk.base);
  const isInPlace = own.length === old.length && inPlace(own, [old]);
  return own.map((item, step) => {
    const here = { path: [...spot.path, at + step], pattern: spot.pattern };
    const text = canon(item.value);
    const [before, now] = [places.base.get(text), places.upstream.get(text)];
    if (places.local.has(text) && before !== undefined && now !== undefined)
      return mergedItem({
        local: item,
        base: base.items[before],
        upstream: upstream.items[now],
        spot: here,
        context,
      });
    if (!isInPlace) return item;
    const theirs = upstream.items[hunk.right[0] + step];
    if (item.value.kind === 'scalar')
      return withComments(item, replacedComments(item, old[step], theirs, 'local'));
    return mergedItem({ local: item, base: old[step], upstream: theirs, spot: here, context });
  });
}

interface Places {
  readonly local: ReadonlyMap<string, number>;
  readonly base: ReadonlyMap<string, number>;
  readonly upstream: ReadonlyMap<string, number>;
}

/** True where one side put an item elsewhere in the list, perhaps changed, that the other one removed: it would be there again. */
function isMovedAndRemoved({
  hunk,
  local,
  base,
  upstream,
  places,
}: {
  readonly hunk: Hunk;
  readonly local: ListNode;
  readonly base: ListNode;
  readonly upstream: ListNode;
  readonly places: Places;
}): boolean {
  const returns = (
    items: readonly ListItem[],
    other: ListNode,
    side: ReadonlyMap<string, number>,
  ): boolean => {
    const known = new Set(canons(other));
    const isLeft = ({ value }: ListItem): boolean =>
      known.has(canon(value)) || other.items.some((item) => isMostly(item.value, value));
    const { left = [], removed = [] } = Object.groupBy(base.items, (item) =>
      isLeft(item) ? 'left' : 'removed',
    );
    if (removed.length === 0) return false;
    return items.some(({ value }) => {
      const text = canon(value);
      if (places.base.has(text)) return side.has(text) && !known.has(text);
      const isOf = (one: ListItem): boolean => isMostly(value, one.value);
      return !known.has(text) && removed.some(isOf) && !left.some(isOf);
    });
  };
  return hunk.changed === 'left'
    ? returns(local.items.slice(...hunk.left), upstream, places.local)
    : hunk.changed === 'right' && returns(upstream.items.slice(...hunk.right), local, places.upstream);
}

/** True for maps where most of what the one says is in the other. */
function isMostly(now: YamlNode, before: YamlNode): boolean {
  if (now.kind !== 'map' || before.kind !== 'map') return false;
  const known = new Set(leavesOf(before));
  const leaves = [...leavesOf(now)];
  return leaves.filter((leaf) => known.has(leaf)).length * 2 > leaves.length;
}

/** Where each item stands that no other one equals. */
function placesOf(items: readonly ListItem[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(items.keys(), (at) => canon(items[at]?.value ?? NOTHING));
  return new Map(
    [...groups].flatMap(([text, [at, ...more]]) => (at === undefined || more.length > 0 ? [] : [[text, at]])),
  );
}

const NOTHING: YamlNode = { kind: 'scalar', value: null };

/** An item that all three have with the same data: only comments can differ. */
function mergedItem({
  local,
  base,
  upstream,
  spot,
  context,
}: {
  readonly local: ListItem;
  readonly base: ListItem | undefined;
  readonly upstream: ListItem | undefined;
  readonly spot: Spot;
  readonly context: FieldContext;
}): ListItem {
  const value =
    mergeNodes({ local: local.value, base: base?.value, upstream: upstream?.value, spot, context }) ??
    local.value;
  return withComments(
    changedItem(local, value, upstream),
    mergedComments(local, base, upstream, telling(spot, context)),
  );
}

export function canons(list: ListNode): string[] {
  return list.items.map((item) => canon(item.value));
}

function isEqual(hunk: Hunk, local: ListNode, upstream: ListNode): boolean {
  return (
    canons(local)
      .slice(...hunk.left)
      .join() ===
    canons(upstream)
      .slice(...hunk.right)
      .join()
  );
}

/** True when the stretch has as many items in all three, so that they can be merged one with one. */
function isPaired(hunk: Hunk, local: ListNode, base: ListNode, upstream: ListNode): boolean {
  const parts = [
    local.items.slice(...hunk.left),
    base.items.slice(...hunk.base),
    upstream.items.slice(...hunk.right),
  ];
  const [ours = [], old = [], theirs = []] = parts;
  if (ours.length !== old.length || theirs.length !== old.length) return false;
  const settledAlone = ours.every((item, at) => {
    const [d, o, u] = [item.value, old[at]?.value, theirs[at]?.value];
    if (same(d, o) || same(o, u) || same(d, u)) return true;
    return d.kind === o?.kind && d.kind === u?.kind && d.kind === 'map';
  });
  // What was merged before is like upstream too.
  return settledAlone && inPlace(theirs, [old]) && inPlace(ours, [old, theirs]);
}

/** True when each item is most like what stands in its place, and not another one that took the place. */
function inPlace(now: readonly ListItem[], others: readonly (readonly ListItem[])[]): boolean {
  const there = now.map(
    (_, at) =>
      new Set(others.flatMap((items) => [...leavesOf(items[at]?.value ?? { kind: 'scalar', value: null })])),
  );
  return now.every((item, at) => {
    if (item.value.kind !== 'map') return true;
    const leaves = [...leavesOf(item.value)];
    const shared = there.map((known) => leaves.filter((leaf) => known.has(leaf)).length);
    return shared.every((count) => count <= (shared[at] ?? 0));
  });
}

/** Upstream's items in place of local's, which are as base's: what was written beside those comes from upstream too. */
function replaced(hunk: Hunk, local: ListNode, base: ListNode, upstream: ListNode): ListItem[] {
  const own = local.items.slice(...hunk.left);
  const old = base.items.slice(...hunk.base);
  return upstream.items.slice(...hunk.right).map((item, at) => {
    const twin = own[at];
    if (twin === undefined) return item;
    const value = takeUpstream(twin.value, old[at]?.value, item.value);
    return withComments(changedItem(twin, value, item), commentsOfNew(twin, old[at], item));
  });
}

/** Those of an item that upstream has instead of local's, which is as base's. */
function commentsOfNew(
  local: ListItem,
  base: ListItem | undefined,
  upstream: ListItem,
): CommentChange | undefined {
  return upstream.value.kind === 'scalar'
    ? replacedComments(local, base, upstream, 'upstream')
    : mergedComments(local, base, upstream);
}

function pairs({
  hunk,
  local,
  base,
  upstream,
  index,
  spot,
  context,
}: {
  readonly hunk: Hunk;
  readonly local: ListNode;
  readonly base: ListNode;
  readonly upstream: ListNode;
  readonly index: number;
  readonly spot: Spot;
  readonly context: FieldContext;
}): ListItem[] {
  const o = base.items.slice(...hunk.base);
  const u = upstream.items.slice(...hunk.right);
  return local.items.slice(...hunk.left).flatMap((item, at) => {
    const [old, theirs] = [o[at]?.value, u[at]?.value];
    if (theirs === undefined || same(item.value, theirs)) return [item];
    if (same(old, theirs)) {
      if (item.value.kind === 'scalar')
        return [withComments(item, replacedComments(item, o[at], u[at], 'local'))];
      const here = { path: [...spot.path, index + at], pattern: spot.pattern };
      return [mergedItem({ local: item, base: o[at], upstream: u[at], spot: here, context })];
    }
    // In a list null is an item like others, not an absence.
    if (u[at] !== undefined && same(item.value, old)) {
      const changed = changedItem(item, takeUpstream(item.value, old, theirs), u[at]);
      return [withComments(changed, commentsOfNew(item, o[at], u[at]))];
    }
    const here = { path: [...spot.path, index + at], pattern: spot.pattern };
    const value = mergeNodes({ local: item.value, base: old, upstream: theirs, spot: here, context });
    if (value === undefined) return [];
    const comments = mergedComments(item, o[at], u[at], telling(here, context));
    return [withComments(changedItem(item, value, u[at]), comments)];
  });
}
