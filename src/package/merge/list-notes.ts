import type { ListItem } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { PathSegment } from '../yaml/path.ts';
import type { FieldContext, Spot } from './fields.ts';
import { leavesOf } from './leaves.ts';
import type { Triple } from './match-items.ts';

/** Lists that merge by key and whose order counts all the same: what runs first, and which variable may name another. */
export const ORDER_COUNTS = /\.(?:initContainers|env)\[\]$/;

/** True when the items that both have stand in the same order. */
export function isSameOrder(a: readonly ListItem[], b: readonly ListItem[]): boolean {
  const places = new Map(b.map((item, at) => [item, at]));
  const common = a.flatMap((item) => places.get(item) ?? []);
  return common.every((at, i) => i === 0 || at > (common[i - 1] ?? 0));
}

/** Tells of an order that one side asked for and did not get. */
export function tellOrder(
  { both, ignored }: { readonly both: boolean; readonly ignored: boolean },
  { path }: Spot,
  { note }: FieldContext,
): void {
  if (both) note('ORDER_FROM_UPSTREAM', path, "both sides reordered the list; it has upstream's order now.");
  if (ignored) {
    note(
      'ORDER_KEPT',
      path,
      'upstream has the items in another order; the local order stays, with new items last.',
    );
  }
}

const ALIKE = 0.7;
/** Pairs of items that are compared to find what moved. */
const MAX_COMPARISONS = 10_000;

/** Tells of an item that both sides gave another name: it is there twice now. */
export function tellRenamedTwice(triples: readonly Triple[], { path }: Spot, { note }: FieldContext): void {
  const gone = triples.flatMap(({ base, local, upstream, segment }) =>
    base !== undefined && local === undefined && upstream === undefined ? [{ item: base, segment }] : [],
  );
  if (gone.length === 0) return;
  const isNew = triples.filter(({ base, local, upstream }) => base === undefined && local !== upstream);
  const own = isNew.flatMap(({ local, upstream, segment }) =>
    local !== undefined && upstream === undefined ? [{ item: local, segment }] : [],
  );
  const theirs = isNew.flatMap(({ local, upstream, segment }) =>
    upstream !== undefined && local === undefined ? [{ item: upstream, segment }] : [],
  );
  if (gone.length * (own.length + theirs.length) > MAX_COMPARISONS) return;
  const isLone = gone.length === 1 && own.length === 1 && theirs.length === 1;
  for (const old of gone) {
    const [mine, other] = [own, theirs].map((items) => items.find((now) => isAlike(old, now, isLone)));
    if (mine === undefined || other === undefined) continue;
    const names = [mine, other].map(({ segment }) => formatPath([segment]));
    note(
      'RENAMED_TWICE',
      path,
      `both sides renamed an item, and both items are now present: ${names.join(' and ')}.`,
    );
  }
}

interface Named {
  readonly item: ListItem;
  readonly segment: PathSegment;
}

/** True when two items share nearly all but what names them; `isBare` is the answer for items that hold nothing else. */
function isAlike(old: Named, now: Named, isBare: boolean): boolean {
  const keys = [old, now].flatMap(({ segment }) => (typeof segment === 'object' ? Object.keys(segment) : []));
  const naming = [...new Set(['name', ...keys])].map((key) => `.${key}=`);
  const [before, after] = [old, now].map(
    ({ item }) =>
      new Set([...leavesOf(item.value)].filter((leaf) => !naming.some((start) => leaf.startsWith(start)))),
  );
  if (before === undefined || after === undefined) return false;
  if (before.size === 0) return isBare && after.size === 0 && old.item.value.kind === 'map';
  const shared = [...before].filter((leaf) => after.has(leaf)).length;
  return shared / Math.max(before.size, after.size) >= ALIKE;
}
