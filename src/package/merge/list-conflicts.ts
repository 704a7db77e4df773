import { madeList } from '../yaml/change.ts';
import { canon, same } from '../yaml/compare.ts';
import type { ListItem, ListNode } from '../yaml/node.ts';
import type { FieldContext } from './fields.ts';
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

/**
 * True where the same merge of its own result changes nothing more, whichever side is taken, and no item is in it more
 * often than on one of the sides.
 */
function staysMerged(lists: ListMerge): boolean {
  return (['upstream', 'local'] as const).every((side) => {
    const context: FieldContext = {
      ...lists.context,
      conflict: () => side,
      stretch: () => side,
      note: () => {},
    };
    const take: SettlePiece = (piece): readonly ListItem[] => lists[side].items.slice(...piece[side]);
    const once = mergeStretches({ ...lists, context }, take);
    if (once === undefined || repeatsItems(once, lists)) return false;
    const again = mergeStretches({ ...lists, context, local: once }, take);
    return again !== undefined && same(again, once);
  });
}

function repeatsItems(merged: ListNode, { local, upstream }: ListMerge): boolean {
  const [own, theirs] = [countsOf(local), countsOf(upstream)];
  return [...countsOf(merged)].some(
    ([text, count]) => count > Math.max(own.get(text) ?? 0, theirs.get(text) ?? 0),
  );
}

function countsOf(list: ListNode): ReadonlyMap<string, number> {
  const groups = Map.groupBy(canons(list), (text) => text);
  return new Map([...groups].map(([text, group]) => [text, group.length]));
}
