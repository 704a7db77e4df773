import { adapt, changedEntry, changedItem, inOrder, madeList, madeMap, namesOf } from '../yaml/change.ts';
import { canon, same } from '../yaml/compare.ts';
import { entryOf, textAt } from '../yaml/node.ts';
import type { ListItem, ListNode, MapNode, YamlNode } from '../yaml/node.ts';
import { commonPairs } from '../yaml/sequence.ts';
import { mergedComments, replacedComments, withComments } from './comments.ts';

/**
 * Upstream's data in local's formatting, with comments merged place by place: for values that are upstream's to decide,
 * because local left them as they were in base or because a conflict takes upstream.
 */
export function takeUpstream(local: YamlNode, base: YamlNode | undefined, upstream: YamlNode): YamlNode {
  if (local.kind === 'map' && upstream.kind === 'map' && local.tag === upstream.tag)
    return takeMap(local, base?.kind === 'map' ? base : undefined, upstream);
  if (local.kind === 'list' && upstream.kind === 'list' && local.tag === upstream.tag)
    return takeList(local, base?.kind === 'list' ? base : undefined, upstream);
  return same(local, upstream) ? local : adapt(local, upstream);
}

function takeMap(local: MapNode, base: MapNode | undefined, upstream: MapNode): MapNode {
  const kept = local.entries.flatMap((entry) => {
    const theirs = entryOf(upstream, entry.name);
    if (theirs === undefined) return [];
    const old = base && entryOf(base, entry.name);
    const value = takeUpstream(entry.value, old?.value, theirs.value);
    return [withComments(changedEntry(entry, value, theirs), mergedComments(entry, old, theirs))];
  });
  return madeMap(local, inOrder(kept, upstream.entries));
}

function takeList(local: ListNode, base: ListNode | undefined, upstream: ListNode): ListNode {
  const twins = twinsOf(local, upstream);
  const olds = base === undefined ? new Map<ListItem, ListItem>() : twinsOf(base, local, true);
  const items = upstream.items.map((item) => {
    const twin = twins.get(item);
    if (twin === undefined) return item;
    const old = olds.get(twin);
    const isEqual = same(twin.value, item.value);
    // A scalar in another one's place is a stranger to the comment beside that one.
    if (old === undefined && !isEqual && item.value.kind === 'scalar') return item;
    const value = takeUpstream(twin.value, old?.value, item.value);
    const comments =
      isEqual || item.value.kind !== 'scalar'
        ? mergedComments(twin, old, item)
        : replacedComments(twin, old, item, 'upstream');
    return withComments(changedItem(twin, value, item), comments);
  });
  return madeList(local, items);
}

/**
 * For each item of `now` the one of `old` that it continues: by name where all items have names of their own, else by
 * equal data and, unless `isExact`, by turn between equal ones.
 */
function twinsOf(old: ListNode, now: ListNode, isExact = false): Map<ListItem, ListItem> {
  const twins = new Map<ListItem, ListItem>();
  if (namesOf(old) !== undefined && namesOf(now) !== undefined) {
    const named = new Map(old.items.map((item) => [textAt(item.value, 'name'), item]));
    for (const item of now.items) {
      const twin = named.get(textAt(item.value, 'name'));
      if (twin !== undefined) twins.set(item, twin);
    }
    return twins;
  }
  const [before, after] = [old, now].map((list) => list.items.map((item) => canon(item.value)));
  if (before === undefined || after === undefined) return twins;
  const pairs = commonPairs(before, after);
  const taken = new Set<number>();
  for (const [from, to] of movedPairs(before, after, pairs)) {
    taken.add(from);
    pairUp(twins, now.items[to], old.items[from]);
  }
  let [x, y] = [0, 0];
  for (const [nextX, nextY] of [...pairs, [old.items.length, now.items.length] as const]) {
    const byTurn = isExact ? 0 : Math.min(nextX - x, nextY - y);
    for (let at = 0; at < byTurn; at += 1) {
      const item = now.items[y + at];
      if (item !== undefined && !twins.has(item) && !taken.has(x + at))
        pairUp(twins, item, old.items[x + at]);
    }
    pairUp(twins, now.items[nextY], old.items[nextX]);
    [x, y] = [nextX + 1, nextY + 1];
  }
  return twins;
}

/** Places of items that went elsewhere in the list: equal ones, where each is the only one of its content. */
function movedPairs(
  before: readonly string[],
  after: readonly string[],
  pairs: readonly (readonly [number, number])[],
): [number, number][] {
  const known = new Set(pairs.map(([from]) => from));
  const [from, to] = [before, after].map((texts) => Map.groupBy(texts.keys(), (at) => texts[at] ?? ''));
  return [...(from ?? [])].flatMap(([text, places]): [number, number][] => {
    const [old, ...more] = places;
    const [now, ...others] = to?.get(text) ?? [];
    if (old === undefined || now === undefined || more.length + others.length > 0 || known.has(old))
      return [];
    return [[old, now]];
  });
}

function pairUp(
  twins: Map<ListItem, ListItem>,
  item: ListItem | undefined,
  twin: ListItem | undefined,
): void {
  if (item !== undefined && twin !== undefined) twins.set(item, twin);
}
