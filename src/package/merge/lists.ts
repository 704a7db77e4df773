import { changedItem, madeList, namesOf } from '../yaml/change.ts';
import { canon, same } from '../yaml/compare.ts';
import { textAt } from '../yaml/node.ts';
import type { ListItem, ListNode, YamlNode } from '../yaml/node.ts';
import { threeWay } from '../yaml/sequence.ts';
import type { Hunk } from '../yaml/sequence.ts';
import { mergedComments, withComments } from './comments.ts';
import { mergeNodes, settled } from './fields.ts';
import type { FieldContext, Spot } from './fields.ts';
import { leavesOf } from './leaves.ts';
import { isSameOrder, ORDER_COUNTS, tellOrder, tellRenamedTwice } from './list-notes.ts';
import { matchItems } from './match-items.ts';
import type { ItemKey, Triple } from './match-items.ts';
import { pipelinePasses } from './pipeline.ts';
import { takeUpstream } from './take-upstream.ts';

/**
 * Merges lists: item by item where the schema or unique names say which items belong together, else by position
 * where the two sides' edits do not overlap; a list that both sides changed at one place is a conflict as a whole.
 */
export function mergeLists(
  local: ListNode | undefined,
  base: ListNode | undefined,
  upstream: ListNode | undefined,
  untouched: boolean,
  spot: Spot,
  context: FieldContext,
): YamlNode | undefined {
  const keys = context.keysOf(spot.pattern);
  const lists = [local, base, upstream].filter((list) => list !== undefined);
  const below: Spot = { path: spot.path, pattern: `${spot.pattern}[]` };
  if (keys !== undefined && lists.every((list) => holdsKeyed(list, keys))) {
    const passes = keys[0] === '@function' ? pipelinePasses : [byFields(keys)];
    return mergeKeyed(local, base, upstream, passes, keys[0] === '@function', below, context);
  }
  if (untouched && local === undefined) return upstream;
  if (local === undefined || upstream === undefined) return settled(local, base, upstream, spot, context);
  if (lists.every((list) => list.items.length === 0 || isNamed(list))) {
    if (!untouched || same(base, upstream))
      return mergeKeyed(local, base, upstream, [byFields(['name'])], true, below, context);
  }
  if (untouched) return takeUpstream(local, base, upstream);
  return (
    (base === undefined ? undefined : mergeByPosition(local, base, upstream, below, context)) ??
    settled(local, base, upstream, spot, context)
  );
}

/** True for a list of maps that all have a name of their own. */
function isNamed(list: ListNode): boolean {
  return namesOf(list) !== undefined;
}

function holdsKeyed(list: ListNode, keys: readonly string[]): boolean {
  return list.items.every((item) => (item.value.kind === 'map') === keys.length > 0);
}

const DEFAULTS: Readonly<Record<string, string>> = { protocol: 'TCP' };

function byFields(keys: readonly string[]): ItemKey {
  return (item) => {
    if (keys.length === 0) return { '': canon(item) };
    const values = keys.map((key) => [key, textAt(item, key) || (DEFAULTS[key] ?? '')] as const);
    if (values.every(([key, value]) => value === '' || (keys.length > 1 && textAt(item, key) === '')))
      return undefined;
    return Object.fromEntries(values.filter(([, value]) => value !== ''));
  };
}

function mergeKeyed(
  local: ListNode | undefined,
  base: ListNode | undefined,
  upstream: ListNode | undefined,
  passes: readonly ItemKey[],
  ordered: boolean,
  spot: Spot,
  context: FieldContext,
): YamlNode | undefined {
  const triples = matchItems([local, base, upstream], passes);
  const results = new Map<ListItem, ListItem>();
  for (const triple of triples) {
    const merged = mergeTriple(triple, spot, context);
    const anchor = triple.local ?? triple.upstream;
    if (merged !== undefined && anchor !== undefined) results.set(anchor, merged);
  }
  const twins = new Map<ListItem, ListItem>();
  for (const { local: d, upstream: u } of triples) if (d !== undefined && u !== undefined) twins.set(u, d);
  const own = local?.items ?? [];
  const theirs = (upstream?.items ?? []).map((item) => twins.get(item) ?? item);
  const isReordered = reordered(triples, base, upstream, 'upstream');
  const order = ordered ? inBothOrders(own, theirs, isReordered) : [...new Set([...own, ...theirs])];
  tellOrder(
    {
      both: ordered && isReordered && reordered(triples, base, local, 'local') && !isSameOrder(own, theirs),
      ignored:
        !ordered &&
        ORDER_COUNTS.test(spot.pattern) &&
        (isReordered || insertsBefore(triples, upstream)) &&
        !isSameOrder(order, theirs),
    },
    spot,
    context,
  );
  tellRenamedTwice(triples, spot, context);
  const items = order.flatMap((item) => results.get(item) ?? []);
  const old = local ?? upstream;
  if (old === undefined || (items.length === 0 && (upstream === undefined || upstream.items.length > 0)))
    return undefined;
  return madeList(old, items);
}

function mergeTriple(
  { local, base, upstream, segment }: Triple,
  spot: Spot,
  context: FieldContext,
): ListItem | undefined {
  const here: Spot = { path: [...spot.path, segment], pattern: spot.pattern };
  if (local !== undefined && upstream !== undefined) {
    const value = mergeNodes(local.value, base?.value, upstream.value, here, context);
    if (value === undefined) return undefined;
    return withComments(changedItem(local, value, upstream), mergedComments(local, base, upstream));
  }
  if (local !== undefined) {
    if (base === undefined) return local;
    if (same(local.value, base.value)) return undefined;
    return context.conflict(here.path, base.value, undefined, local.value) === 'local' ? local : undefined;
  }
  if (upstream === undefined) return undefined;
  if (base === undefined) return upstream;
  if (same(base.value, upstream.value)) return undefined;
  return context.conflict(here.path, base.value, upstream.value, undefined) === 'local'
    ? undefined
    : upstream;
}

/** True when a side put the items that it kept into another order. */
function reordered(
  triples: readonly Triple[],
  base: ListNode | undefined,
  side: ListNode | undefined,
  name: 'local' | 'upstream',
): boolean {
  const places = new Map(side?.items.map((item, at) => [item, at]));
  const order = new Map(
    triples.flatMap(({ base: o, [name]: now }) =>
      o !== undefined && now !== undefined ? [[o, places.get(now) ?? 0] as const] : [],
    ),
  );
  const sequence = (base?.items ?? []).flatMap((item) => order.get(item) ?? []);
  return sequence.some((at, i) => i > 0 && at < (sequence[i - 1] ?? 0));
}

/** True when upstream put a new item before one that was there. */
function insertsBefore(triples: readonly Triple[], upstream: ListNode | undefined): boolean {
  const known = new Set(triples.flatMap(({ base, upstream: u }) => (base === undefined ? [] : (u ?? []))));
  const items = upstream?.items ?? [];
  const first = items.findIndex((item) => !known.has(item));
  return first !== -1 && items.slice(first).some((item) => known.has(item));
}

/** One order out of two: the leading one, with what only the other has behind the item that precedes it there. */
function inBothOrders(
  own: readonly ListItem[],
  theirs: readonly ListItem[],
  theirsLead: boolean,
): ListItem[] {
  const [lead, other] = theirsLead ? [theirs, own] : [own, theirs];
  const known = new Set(lead);
  const behind = new Map<ListItem | undefined, ListItem[]>();
  let before: ListItem | undefined;
  for (const item of other) {
    if (known.has(item)) before = item;
    else {
      const group = behind.get(before);
      if (group === undefined) behind.set(before, [item]);
      else group.push(item);
    }
  }
  return [...(behind.get(undefined) ?? []), ...lead.flatMap((item) => [item, ...(behind.get(item) ?? [])])];
}

/** Merges by position; undefined when both sides changed the same stretch in ways that cannot be paired. */
function mergeByPosition(
  local: ListNode,
  base: ListNode,
  upstream: ListNode,
  spot: Spot,
  context: FieldContext,
): YamlNode | undefined {
  const hunks = threeWay(canons(base), canons(local), canons(upstream));
  if (
    !hunks.every(
      (hunk) =>
        hunk.changed !== 'both' || isEqual(hunk, local, upstream) || isPaired(hunk, local, base, upstream),
    )
  ) {
    return undefined;
  }
  const items: ListItem[] = [];
  let at: readonly [number, number, number] = [0, 0, 0];
  const equalUntil = (end: number): void => {
    const [d, o, u] = at;
    for (let step = 0; d + step < end; step += 1) {
      const [own, old, theirs] = [local.items[d + step], base.items[o + step], upstream.items[u + step]];
      if (own === undefined) break;
      const here = { path: [...spot.path, items.length], pattern: spot.pattern };
      items.push(mergedItem(own, old, theirs, here, context));
    }
  };
  for (const hunk of hunks) {
    equalUntil(hunk.left[0]);
    at = [hunk.left[1], hunk.base[1], hunk.right[1]];
    if (hunk.changed === 'left' || (hunk.changed === 'both' && isEqual(hunk, local, upstream)))
      items.push(...local.items.slice(...hunk.left));
    else if (hunk.changed === 'right') items.push(...replaced(hunk, local, base, upstream));
    else items.push(...pairs(hunk, local, base, upstream, items.length, spot, context));
  }
  equalUntil(local.items.length);
  return madeList(local, items);
}

/** An item that all three have with the same data: only comments can differ. */
function mergedItem(
  local: ListItem,
  base: ListItem | undefined,
  upstream: ListItem | undefined,
  spot: Spot,
  context: FieldContext,
): ListItem {
  const value = mergeNodes(local.value, base?.value, upstream?.value, spot, context) ?? local.value;
  return withComments(changedItem(local, value, upstream), mergedComments(local, base, upstream));
}

function canons(list: ListNode): string[] {
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
    return withComments(changedItem(twin, value, item), mergedComments(twin, old[at], item));
  });
}

function pairs(
  hunk: Hunk,
  local: ListNode,
  base: ListNode,
  upstream: ListNode,
  index: number,
  spot: Spot,
  context: FieldContext,
): ListItem[] {
  const o = base.items.slice(...hunk.base);
  const u = upstream.items.slice(...hunk.right);
  return local.items.slice(...hunk.left).flatMap((item, at) => {
    const [old, theirs] = [o[at]?.value, u[at]?.value];
    if (theirs === undefined || same(old, theirs) || same(item.value, theirs)) return [item];
    // In a list null is an item like others, not an absence.
    if (same(item.value, old)) {
      const changed = changedItem(item, takeUpstream(item.value, old, theirs), u[at]);
      return [withComments(changed, mergedComments(item, o[at], u[at]))];
    }
    const here = { path: [...spot.path, index + at], pattern: spot.pattern };
    const value = mergeNodes(item.value, old, theirs, here, context);
    return value === undefined ? [] : [changedItem(item, value, u[at])];
  });
}
