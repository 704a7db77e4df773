import { changedItem, madeList, namesOf } from '../yaml/change.ts';
import { canon, same } from '../yaml/compare.ts';
import { textAt } from '../yaml/node.ts';
import type { ListItem, ListNode, YamlNode } from '../yaml/node.ts';
import { mergedComments, withComments } from './comments.ts';
import { mergeNodes, settled, telling } from './fields.ts';
import type { FieldContext, Spot } from './fields.ts';
import { isStable, mergeByPosition } from './list-conflicts.ts';
import { isSameOrder, ORDER_COUNTS, tellOrder, tellRenamedTwice } from './list-notes.ts';
import { isAmbiguous, joinedByName, matchItems } from './match-items.ts';
import type { ItemKey, Triple } from './match-items.ts';
import { pipelinePasses } from './pipeline.ts';
import { takeUpstream } from './take-upstream.ts';

/**
 * Merges lists: item by item where the schema or unique names say which items belong together, else by position
 * where the two sides' edits do not overlap; a stretch that both sides changed is a conflict.
 */
export function mergeLists({
  local,
  base,
  upstream,
  untouched,
  spot,
  context,
}: {
  readonly local: ListNode | undefined;
  readonly base: ListNode | undefined;
  readonly upstream: ListNode | undefined;
  readonly untouched: boolean;
  readonly spot: Spot;
  readonly context: FieldContext;
}): YamlNode | undefined {
  const keys = context.keysOf(spot.pattern);
  const lists = [local, base, upstream].filter((list) => list !== undefined);
  const below: Spot = { path: spot.path, pattern: `${spot.pattern}[]` };
  if (keys !== undefined && lists.every((list) => holdsKeyed(list, keys))) {
    const isPipeline = keys[0] === '@function';
    const passes = isPipeline ? pipelinePasses : [byFields(keys)];
    const areNamed = (now: ListNode | undefined): boolean =>
      UNIQUE_NAMES.test(below.pattern) &&
      [now, base, upstream].every((list) => list === undefined || list.items.length === 0 || isNamed(list));
    const mergeFrom = (now: ListNode | undefined, how: FieldContext): ListNode | undefined =>
      mergeKeyed({
        local: now,
        base,
        upstream,
        passes,
        areNamed: areNamed(now),
        ordered: isPipeline,
        spot: below,
        context: how,
      });
    // Which items belong together can be a guess, which a second merge must not refute.
    const isGuess =
      context.isTrial === undefined &&
      (UNIQUE_NAMES.test(below.pattern) || lists.some((list) => isAmbiguous(list, passes)));
    if (isGuess && !isStable({ local, upstream, context }, mergeFrom))
      return settled({ local, base, upstream, spot, context });
    const merged = mergeFrom(local, context);
    // Kubernetes refuses two ports of one name.
    const isValid = !areNamed(local) || merged === undefined || merged.items.length === 0 || isNamed(merged);
    return isValid ? merged : settled({ local, base, upstream, spot, context });
  }
  if (untouched && local === undefined) return upstream;
  if (local === undefined || upstream === undefined) return settled({ local, base, upstream, spot, context });
  if (lists.every((list) => list.items.length === 0 || isNamed(list))) {
    if (!untouched || same(base, upstream))
      return mergeKeyed({
        local,
        base,
        upstream,
        passes: [byFields(['name'])],
        areNamed: false,
        ordered: true,
        spot: below,
        context,
      });
  }
  if (untouched && !same(base, upstream)) return takeUpstream(local, base, upstream);
  const old: ListNode = base ?? { kind: 'list', items: [] };
  return (
    mergeByPosition({ local, base: old, upstream, spot: below, context }) ??
    settled({ local, base, upstream, spot, context })
  );
}

/** Lists that merge by another key, and whose names have to be unique all the same. */
const UNIQUE_NAMES = /(?:^|\.)ports\[\]$/;

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

function mergeKeyed({
  local,
  base,
  upstream,
  passes,
  areNamed,
  ordered,
  spot,
  context,
}: {
  readonly local: ListNode | undefined;
  readonly base: ListNode | undefined;
  readonly upstream: ListNode | undefined;
  readonly passes: readonly ItemKey[];
  /** True where the names of the items tell them apart, too. */
  readonly areNamed: boolean;
  readonly ordered: boolean;
  readonly spot: Spot;
  readonly context: FieldContext;
}): ListNode | undefined {
  const matched = matchItems([local, base, upstream], passes);
  const triples = areNamed ? joinedByName(matched) : matched;
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
    const value = mergeNodes({
      local: local.value,
      base: base?.value,
      upstream: upstream.value,
      spot: here,
      context,
    });
    if (value === undefined) return undefined;
    return withComments(
      changedItem(local, value, upstream),
      mergedComments(local, base, upstream, telling(here, context)),
    );
  }
  if (local !== undefined) {
    if (base === undefined) return local;
    if (same(local.value, base.value)) return undefined;
    return context.conflict(here.path, { base: base.value, upstream: undefined, local: local.value }) ===
      'local'
      ? local
      : undefined;
  }
  if (upstream === undefined) return undefined;
  if (base === undefined) return upstream;
  if (same(base.value, upstream.value)) return undefined;
  return context.conflict(here.path, { base: base.value, upstream: upstream.value, local: undefined }) ===
    'local'
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
