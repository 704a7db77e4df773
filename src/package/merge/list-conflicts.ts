import { madeList } from '../yaml/change.ts';
import { canon } from '../yaml/compare.ts';
import type { ListItem, ListNode } from '../yaml/node.ts';
import type { Side } from './conflict.ts';
import type { FieldContext, NodeMerge } from './fields.ts';
import { canons, mergeStretches } from './list-positions.ts';
import type { ListMerge, SettlePiece } from './list-positions.ts';
import { occurrences } from './stretches.ts';
import type { Piece } from './stretches.ts';

/**
 * Merges by position. A stretch that both sides changed in ways that cannot be paired is a conflict of its own; undefined
 * where the rest of the list cannot be merged without it.
 */
export function mergeByPosition(lists: ListMerge): ListNode | undefined {
  const plain = mergeStretches(lists);
  if (plain !== undefined || !staysMerged(lists)) return plain;
  const nth = occurrences();
  return mergeStretches(lists, (piece) => {
    const [local, base, upstream] = [
      partOf(lists.local, piece.local),
      partOf(lists.base, piece.base),
      partOf(lists.upstream, piece.upstream),
    ];
    const both = base.items.length === 0 && local.items.length > 0 && upstream.items.length > 0;
    const seen = nth([local, base, upstream].map(canon).join('\n'));
    const choice = lists.context.stretch(lists.spot.path, { local, base, upstream, nth: seen, both });
    if (choice !== 'both') return choice === 'local' ? local.items : upstream.items;
    const known = new Set(canons(upstream));
    return [...upstream.items, ...local.items.filter(({ value }) => !known.has(canon(value)))];
  });
}

function partOf(list: ListNode, range: Piece['local']): ListNode {
  return madeList(list, list.items.slice(...range));
}

/** True where every stretch that nothing else settles can be taken from one side as a whole. */
function staysMerged(lists: ListMerge): boolean {
  return isStable(lists, (local, context, choose) => {
    const take: SettlePiece = (piece): readonly ListItem[] => {
      const side = choose();
      return (side === 'local' ? local : lists.upstream)?.items.slice(...piece[side]) ?? [];
    };
    return local && mergeStretches({ ...lists, context, local }, take);
  });
}

/**
 * True where the same merge of its own result changes nothing more, whichever side is taken, and no item is in it more
 * often than on one of the sides.
 */
export function isStable(
  { local, upstream, context }: Pick<NodeMerge<ListNode>, 'local' | 'upstream' | 'context'>,
  merge: (local: ListNode | undefined, trial: FieldContext, choose: () => Side) => ListNode | undefined,
): boolean {
  let isAsked = true;
  return SIDES.every((side) => {
    // Without a conflict both sides are one.
    if (!isAsked) return true;
    isAsked = false;
    const choose = (): Side => {
      isAsked = true;
      return side;
    };
    const trial: FieldContext = {
      ...context,
      conflict: choose,
      stretch: choose,
      note: () => {},
      isTrial: true,
    };
    const once = merge(local, trial, choose);
    // Items are compared by identity: those of upstream would otherwise be on both sides.
    const copy =
      once &&
      madeList(
        once,
        once.items.map((item) => ({ ...item })),
      );
    return !repeatsItems(once, local, upstream) && merge(copy, trial, choose) === copy;
  });
}

const SIDES: readonly Side[] = ['upstream', 'local'];

function repeatsItems(
  merged: ListNode | undefined,
  local: ListNode | undefined,
  upstream: ListNode | undefined,
): boolean {
  const [own, theirs] = [countsOf(local), countsOf(upstream)];
  return [...countsOf(merged)].some(
    ([text, count]) => count > Math.max(1, own.get(text) ?? 0, theirs.get(text) ?? 0),
  );
}

function countsOf(list: ListNode | undefined): ReadonlyMap<string, number> {
  const groups = Map.groupBy(list === undefined ? [] : canons(list), (text) => text);
  return new Map([...groups].map(([text, group]) => [text, group.length]));
}
