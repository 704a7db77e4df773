import {
  habitsOf,
  isBlock,
  lineComment,
  nextLine,
  regionOf,
  shiftAll,
  shiftRest,
  withLineComment,
} from './layout.ts';
import type { Habits, Region } from './layout.ts';
import type { ListNode, MapNode, Slot, Source, YamlNode } from './node.ts';
import { leadText, patchComments, type ReadSlot } from './patch-comments.ts';
import type { YamlDocument } from './read.ts';
import { applySplices, type Splice } from './splice.ts';
import { flowText, inlineText, keyText, literalText, scalarText } from './write.ts';

/**
 * The splices that make a read document hold `root`. Parts of `root` that are the document's own nodes keep their
 * bytes; parts read from other texts come with their own text and comments, moved to the place's indentation.
 */
export function patchDocument(source: Source, document: YamlDocument, root: YamlNode): Splice[] {
  const old = document.root;
  if (root === old) return [];
  const context = contextOf(source);
  if (
    old !== null &&
    (root.kind === 'map' || root.kind === 'list') &&
    root.base === old &&
    old.at !== undefined
  ) {
    if (old.kind !== 'map' && old.kind !== 'list') return [];
    if (old.flow === true) return [{ start: old.at.body, end: old.at.end, text: flowText(root, false) }];
    if (slotsOf(root).length > 0 && slotsOf(old).length > 0) return patchBlock(old, root, context);
  }
  const start = old?.at?.start ?? document.bodyStart;
  const end = old?.at === undefined ? document.bodyStart : regionEndOfRoot(source.text, old.at.end);
  return [{ start, end, text: documentText(root, source) }];
}

function regionEndOfRoot(text: string, valueEnd: number): number {
  return text[valueEnd - 1] === '\n' ? valueEnd : nextLine(text, valueEnd);
}

/** The text of a whole document without its `---`, ended by a line break, in the manner of `like`. */
export function documentText(root: YamlNode, like: Source | undefined): string {
  const context = contextOf(like);
  if (root.kind === 'map' || root.kind === 'list') {
    const slots = slotsOf(root);
    if (root.flow !== true && slots.length > 0)
      return slots.map((slot) => slotText(slot, 0, context)).join('');
  }
  return tail(root, 0, context, false).replace(/^ /, '');
}

interface Context {
  readonly eol: string;
  readonly habits: Habits;
}

function contextOf(source: Source | undefined): Context {
  return { eol: source?.eol ?? '\n', habits: habitsOf(source) };
}

function slotsOf(node: MapNode | ListNode): readonly Slot[] {
  return node.kind === 'map' ? node.entries : node.items;
}

function isRead(slot: Slot | undefined): slot is ReadSlot {
  return slot?.at !== undefined;
}

/** Edits a block collection in place. Slots that are new or that moved are inserted behind the kept slot before them. */
function patchBlock(old: MapNode | ListNode, made: MapNode | ListNode, context: Context): Splice[] {
  const index = new Map<Slot, number>(slotsOf(old).map((slot, at) => [slot, at]));
  const placed = slotsOf(made).map((slot) => ({
    slot,
    at: index.get(slot) ?? (slot.base && index.get(slot.base)) ?? -1,
  }));
  const kept = keptInOrder(
    placed.map((part) => part.at),
    made.kind === 'list',
  );
  const read = slotsOf(old).filter(isRead);
  const regions = read.map(regionOf);
  const splices: Splice[] = removals(read, regions, kept);
  const first = regions[0];
  const firstKept = read.findIndex((_, at) => kept.has(at));
  let end: number | undefined;
  for (const { slot, at } of placed) {
    const region = regions[at];
    const own = read[at];
    if (kept.has(at) && region !== undefined && own !== undefined) {
      if (slot !== own) splices.push(...patchSlot(own, slot, context));
      end = region.end;
    } else if (first !== undefined) {
      splices.push(
        insertion({ slot, after: end, firstKept: regions[firstKept] ?? first, first, context, old }),
      );
    }
  }
  return splices;
}

/** The positions in the old collection that stay where they are: for lists the longest run in order. */
function keptInOrder(positions: readonly number[], isList: boolean): ReadonlySet<number> {
  const present = positions.filter((at) => at >= 0);
  if (!isList || present.every((at, i) => i === 0 || at > (present[i - 1] ?? -1))) return new Set(present);
  const tops: { at: number; before: number }[] = [];
  const nodes: { at: number; before: number }[] = [];
  const tails: number[] = [];
  for (const at of present) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((nodes[tails[middle] ?? 0]?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    nodes.push({ at, before: low === 0 ? -1 : (tails[low - 1] ?? -1) });
    tails[low] = nodes.length - 1;
  }
  for (let here = tails.at(-1) ?? -1; here >= 0; here = nodes[here]?.before ?? -1) {
    const node = nodes[here];
    if (node !== undefined) tops.push(node);
  }
  return new Set(tops.map((node) => node.at));
}

function removals(
  read: readonly ReadSlot[],
  regions: readonly Region[],
  kept: ReadonlySet<number>,
): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  const [first] = regions;
  const firstSlot = read[0];
  if (first?.inline === true && firstSlot !== undefined && !kept.has(0)) {
    // The first key of an item stands behind the dash: the next kept one takes its place.
    const next = regions.findIndex((_, position) => kept.has(position));
    const region = regions[next];
    if (region === undefined) return [];
    const { text } = firstSlot.at.source;
    const indent = /^ */.exec(text.slice(region.headStart, region.headStart + first.column))?.[0].length ?? 0;
    splices.push({ start: first.start, end: region.headStart + indent, text: '' });
    at = next;
  }
  for (; at < read.length; at += 1) {
    const region = regions[at];
    const slot = read[at];
    if (kept.has(at) || region === undefined || slot === undefined) continue;
    splices.push({ start: region.headStart, end: closeGap(slot.at.source.text, region), text: '' });
  }
  return splices;
}

/** Where a slot between two blank lines goes, one of them goes too. */
function closeGap(text: string, region: Region): number {
  const before = text.slice(Math.max(0, region.headStart - 3), region.headStart);
  const end = nextLine(text, region.end);
  const blank = end > region.end && text.slice(region.end, end).trim() === '';
  return /\n\r?\n$/.test(before) && blank ? end : region.end;
}

function insertion({
  slot,
  after,
  firstKept,
  first,
  context,
  old,
}: {
  readonly slot: Slot;
  readonly after: number | undefined;
  readonly firstKept: Region;
  readonly first: Region;
  readonly context: Context;
  readonly old: MapNode | ListNode;
}): Splice {
  const lines = slotText(slot, first.column, context);
  const text = old.at?.source.text ?? '';
  if (after === undefined) {
    const start = first.inline ? first.start : firstKept.headStart;
    if (!first.inline) return { start, end: start, text: lines };
    return { start, end: start, text: lines.slice(first.column) + ' '.repeat(first.column) };
  }
  const open = after > 0 && text[after - 1] !== '\n';
  return { start: after, end: after, text: open ? context.eol + lines.replace(/\r?\n$/, '') : lines };
}

/** The lines of an entry or item at this column, its comments included, each ended. */
function slotText(slot: Slot, column: number, context: Context): string {
  const origin = [slot, slot.base, slot.from].find((candidate) => isRead(candidate) && !candidate.at.flow);
  if (isRead(origin)) {
    const { text } = origin.at.source;
    const region = regionOf(origin);
    const splices = origin === slot ? [] : patchSlot(origin, slot, { ...context, eol: origin.at.source.eol });
    const lines = applySplices(text, splices, region.headStart, region.end);
    const whole = region.inline ? ' '.repeat(region.column) + lines : lines;
    return ended(shiftAll(whole, column - region.column), context.eol);
  }
  const indent = ' '.repeat(column);
  const lead = leadText(slot.comments?.lead, column, context.eol);
  const isItem = !('key' in slot);
  return lead + indent + (isItem ? '-' : `${keyText(slot.key)}:`) + tail(slot.value, column, context, isItem);
}

function ended(text: string, eol: string): string {
  const lines = text.replaceAll(/\r?\n/g, eol);
  return lines.endsWith(eol) ? lines : lines + eol;
}

/** What follows `:` or `-`: a blank or a line break first, a line break last. */
function tail(value: YamlNode, column: number, context: Context, inItem: boolean): string {
  const { eol, habits } = context;
  if (
    value.kind === 'alias' ||
    (value.kind !== 'scalar' && (value.flow === true || slotsOf(value).length === 0))
  ) {
    return ` ${(inlineText(value, false) ?? flowText(value, false)).trim()}${eol}`;
  }
  if (value.kind === 'scalar') {
    const inline = inlineText(value, false);
    if (inline !== undefined) return ` ${inline}${eol}`;
    const block =
      typeof value.value === 'string' && value.tag === undefined
        ? literalText(value.value, column + habits.step, eol)
        : undefined;
    if (block !== undefined) return ` ${block}`;
    const style = value.style === 'single' || value.style === 'double' ? { style: value.style } : {};
    const plain = {
      kind: 'scalar',
      value: value.value,
      ...style,
      ...(value.tag === undefined ? {} : { tag: value.tag }),
    } as const;
    return ` ${scalarText(plain, false)}${eol}`;
  }
  const deeper = inItem ? column + 2 : column + (value.kind === 'list' && !habits.wide ? 0 : habits.step);
  const lines = slotsOf(value)
    .map((slot) => slotText(slot, deeper, context))
    .join('');
  return inItem ? ` ${lines.slice(deeper)}` : eol + lines;
}

/** The splices that turn a read entry or item into `made`. */
function patchSlot(own: ReadSlot, made: Slot, context: Context): Splice[] {
  const splices: Splice[] = [];
  if ('key' in own && 'key' in made && own.name !== made.name && own.key.at !== undefined) {
    splices.push({ start: own.key.at.start, end: own.key.at.end, text: keyText(made.key) });
  }
  const replaced = made.value === own.value ? false : patchValue(own, made, context, splices);
  if (made.comments !== undefined && !own.at.flow)
    patchComments({ own, made, eol: context.eol, replaced, splices });
  return splices;
}

/** Returns true when the whole rest of the slot was replaced, line comment included. */
function patchValue(own: ReadSlot, made: Slot, context: Context, splices: Splice[]): boolean {
  const { value } = made;
  const old = own.value;
  if ((value.kind === 'map' || value.kind === 'list') && value.base === old && old.at !== undefined) {
    if (old.kind !== 'map' && old.kind !== 'list') return false;
    if (old.flow !== true && slotsOf(value).length > 0 && slotsOf(old).length > 0) {
      splices.push(...patchBlock(old, value, context));
      return false;
    }
    if (old.flow === true && (slotsOf(old).length > 0 || own.at.flow)) {
      splices.push({ start: old.at.body, end: old.at.end, text: flowText(value, false) });
      return false;
    }
  }
  if (old.at === undefined) return false;
  if (own.at.flow) {
    splices.push({ start: old.at.start, end: old.at.end, text: flowText(value, false) });
    return false;
  }
  const inline = isBlock(old) ? undefined : singleLine(value, old);
  if (inline !== undefined) {
    const glued = old.at.start === own.at.indicator;
    splices.push({ start: old.at.start, end: old.at.end, text: glued ? ` ${inline}` : inline });
    return false;
  }
  const region = regionOf(own);
  splices.push({ start: own.at.indicator, end: region.end, text: newTail(own, made, context) });
  return true;
}

/** What follows the indicator now; beside a key stays the comment that stood there, or comes the one that `made` was given. */
function newTail(own: ReadSlot, made: Slot, context: Context): string {
  const { from, comments } = made;
  const { column } = regionOf(own);
  const isBrought = isRead(from) && !from.at.flow && from.value === made.value;
  const text = isBrought
    ? tailOf(from, column, context)
    : tail(made.value, column, context, !('key' in made));
  if (!('key' in made)) return text;
  const wanted = comments?.line === undefined ? lineComment(own)?.text : comments.line;
  return withLineComment(text, wanted ?? '', (isBrought && lineComment(from)?.text) || '');
}

/** The rest of a slot that was read elsewhere, at this column. */
function tailOf(from: ReadSlot, column: number, { eol }: Context): string {
  const origin = regionOf(from);
  return ended(
    shiftRest(from.at.source.text.slice(from.at.indicator, origin.end), column - origin.column),
    eol,
  );
}

/** The text of a value that goes where a one-line value stood, with that one's quotes where they fit. */
function singleLine(value: YamlNode, old: YamlNode): string | undefined {
  if (value.kind === 'map' || value.kind === 'list') {
    return slotsOf(value).length === 0 ? (value.kind === 'map' ? '{}' : '[]') : inlineText(value, false);
  }
  if (value.kind === 'alias') return `*${value.name}`;
  const text = inlineText(value, false);
  if (text !== undefined && !(value.style === 'plain' && typeof value.value === 'string')) return text;
  if (
    typeof value.value === 'string' &&
    value.value.includes('\n') &&
    old.kind === 'scalar' &&
    old.style !== 'double'
  )
    return undefined;
  const like = old.kind === 'scalar' && typeof old.value === 'string' ? old.style : undefined;
  if (like === undefined || like === 'plain')
    return text ?? scalarText({ ...value, style: value.style ?? 'plain' }, false);
  return scalarText(
    {
      kind: 'scalar',
      value: value.value,
      style: like,
      ...(value.tag === undefined ? {} : { tag: value.tag }),
    },
    false,
  );
}
