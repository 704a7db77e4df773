import type { Slot, SlotPlace, Source, YamlNode } from './node.ts';

/**
 * Where an entry or item of a block collection stands in its text, in lines. Comments directly above it at its
 * column belong to it, comments below it that are indented deeper do too.
 */
export interface Region {
  /** Start of the first comment line above, or of the own line. */
  readonly headStart: number;
  /** Start of the own line; for an inline slot (`- key: value`) the slot itself. */
  readonly start: number;
  /** True when something else stands before it on its line. */
  readonly inline: boolean;
  /** Column of key or dash, from 0. */
  readonly column: number;
  /** Start of the line after the last one that belongs to it, or the end of the text. */
  readonly end: number;
}

/** The region of a read slot. */
export function regionOf(slot: Slot & { readonly at: SlotPlace }): Region {
  const { source, start, after } = slot.at;
  const { text } = source;
  const line = lineStart(text, start);
  const before = text.slice(line, start).replace('\uFEFF', '');
  const inline = before.trim() !== '';
  // A byte order mark takes no column.
  const column = start - line - (start > 0 && line === 0 && text.startsWith('\uFEFF') ? 1 : 0);
  const end = regionEnd(text, slot.value.at?.end ?? start, column);
  if (inline) return { headStart: start, start, inline, column, end };
  return { headStart: headStart(text, line, after, column), start: line, inline, column, end };
}

function headStart(text: string, line: number, after: number, column: number): number {
  const limit = after >= line || text[after - 1] === '\n' ? after : nextLine(text, after);
  let start = line;
  while (start > limit) {
    const previous = lineStart(text, start - 1);
    if (previous < limit) break;
    const indent = commentIndent(text, previous);
    if (indent === undefined || indent > column) break;
    start = previous;
  }
  return start;
}

function regionEnd(text: string, valueEnd: number, column: number): number {
  let end = afterContent(text, valueEnd);
  while (end < text.length) {
    const indent = commentIndent(text, end);
    if (indent === undefined || indent <= column) break;
    end = nextLine(text, end);
  }
  return end;
}

/** The indent of a line that holds only a comment. */
function commentIndent(text: string, line: number): number | undefined {
  let at = line;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return text[at] === '#' ? at - line : undefined;
}

export function lineStart(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The start of the line after the one that `offset` is in, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/**
 * The comments and blank lines between what precedes a slot of a block collection and the slot itself. All such lines of a
 * document belong to the slot that follows them, so that none is nobody's.
 */
export interface Lead {
  /** Lines as they stand, without their ends; the column tells what they are indented against. */
  readonly lines: readonly string[];
  readonly column: number;
}

/** The lead of a read slot; undefined where the slot has no line of its own (`- key: value`, flow collections). */
export function leadOf(slot: Slot & { readonly at: SlotPlace }): Lead | undefined {
  const { column, inline, start } = regionOf(slot);
  if (slot.at.flow || inline) return undefined;
  const text = slot.at.source.text.slice(leadStart(slot), start);
  return { lines: text.split(/\r?\n/).slice(0, -1), column };
}

/** Where the lead of a read slot begins: behind the line on which the entry before it, or its parent's key, ends. */
export function leadStart({ at: { source, start, after } }: Slot & { readonly at: SlotPlace }): number {
  const line = lineStart(source.text, start);
  return after >= line ? line : afterContent(source.text, after);
}

/** Where the comments and blank lines begin that lead up to an offset; the offset itself where something else precedes it on its line. */
export function triviaStart(text: string, offset: number): number {
  let start = lineStart(text, offset);
  if (text.slice(start, offset).trim() !== '') return offset;
  while (start > 0) {
    const previous = lineStart(text, start - 1);
    if (text.slice(previous, start).trim() !== '' && commentIndent(text, previous) === undefined) break;
    start = previous;
  }
  return start;
}

/** The start of the line after the content that ends at `end`; a block scalar ends with its line. */
export function afterContent(text: string, end: number): number {
  return end > 0 && text[end - 1] === '\n' ? end : nextLine(text, end);
}

/** The comment on the line of a slot; for a block collection or block scalar the one on the line of its key. */
export interface LineComment {
  /** `#` and what follows. */
  readonly text: string;
  /** Where the blanks before it start, and where it ends. */
  readonly start: number;
  readonly end: number;
}

/** Finds the line comment of a read slot of a block collection; where there is none, `text` is '' at the place for one. */
export function lineComment(slot: Slot & { readonly at: SlotPlace }): LineComment | undefined {
  const { source, indicator, flow } = slot.at;
  const { at } = slot.value;
  if (flow || at === undefined) return undefined;
  const { text } = source;
  if (!isBlock(slot.value)) return commentIn(text, at.end, lineEnd(text, at.end), true);
  if (slot.value.kind === 'scalar') return commentIn(text, at.body + 1, lineEnd(text, at.body), false);
  const end = lineEnd(text, indicator);
  return end >= at.body ? undefined : commentIn(text, indicator, end, false);
}

function commentIn(text: string, start: number, end: number, only: boolean): LineComment | undefined {
  const rest = text.slice(start, end);
  const found = /(?:^|[ \t])#/.exec(rest);
  if (found === null) {
    const place = start + rest.trimEnd().length;
    return only && rest.trim() !== '' ? undefined : { text: '', start: place, end: place };
  }
  const hash = rest.indexOf('#', found.index);
  const blanks = rest.slice(0, hash).trimEnd().length;
  return {
    text: rest.slice(hash).trimEnd(),
    start: start + blanks,
    end: start + hash + rest.slice(hash).trimEnd().length,
  };
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  const stop = end === -1 ? text.length : end;
  return text[stop - 1] === '\r' ? stop - 1 : stop;
}

/** True for block collections and block scalars: what does not fit on the line of its key. */
export function isBlock(node: YamlNode): boolean {
  if (node.kind === 'scalar') return node.style === 'literal' || node.style === 'folded';
  return node.kind !== 'alias' && node.flow !== true && node.at !== undefined;
}

/** Moves all lines but the first by `by` columns; blank lines stay empty, and no line is moved past its start. */
export function shiftRest(text: string, by: number): string {
  if (by === 0) return text;
  const [first, ...rest] = text.split('\n');
  return [first, ...rest.map((line) => shiftLine(line, by))].join('\n');
}

/** Moves all lines by `by` columns. */
export function shiftAll(text: string, by: number): string {
  return by === 0
    ? text
    : text
        .split('\n')
        .map((line) => shiftLine(line, by))
        .join('\n');
}

export function shiftLine(line: string, by: number): string {
  if (line.trim() === '') return line;
  if (by > 0) return ' '.repeat(by) + line;
  return line.slice(Math.min(-by, /^ */.exec(line)?.[0].length ?? 0));
}

/** How a file indents what has to be written anew. */
export interface Habits {
  readonly step: number;
  /** True when lists stand deeper than their key. */
  readonly wide: boolean;
}

const habits = new WeakMap<Source, Habits>();

/** The habits of a text, from the first nested map and the first list in it. */
export function habitsOf(source: Source | undefined): Habits {
  if (source === undefined) return { step: 2, wide: true };
  let found = habits.get(source);
  if (found === undefined) {
    const step =
      /^[^\s#-][^\n]{0,300}:[ \t]*(?:#[^\n]*)?\r?\n( +)[^\s#-]/m.exec(source.text)?.[1]?.length ?? 2;
    const list = /^( *)(?:- +)?[^\s#-][^\n]{0,300}:[ \t]*(?:#[^\n]*)?\r?\n( *)- /m.exec(source.text);
    found = {
      step: Math.min(step, 8),
      wide: list === null || (list[2]?.length ?? 0) > (list[1]?.length ?? 0),
    };
    habits.set(source, found);
  }
  return found;
}

/**
 * What follows a key's colon, with `wanted` as the comment on its first line in place of `brought`. It stays as it is where
 * that line has no room for one: inside of a text or of `[…]` that goes on below.
 */
export function withLineComment(rest: string, wanted: string, brought: string): string {
  if (wanted === brought) return rest;
  const [line = ''] = /^[^\r\n]*/.exec(rest) ?? [];
  const bare = (line.endsWith(brought) ? line.slice(0, line.length - brought.length) : line).trimEnd();
  const isWhole = /^\r?\n?$/.test(rest.slice(line.length));
  if (!isWhole && !/^(?:[ \t]+[&!]\S*)*(?:[ \t]+[|>][-+0-9]*)?$/.test(bare)) return rest;
  return bare + (wanted === '' ? '' : ` ${wanted}`) + rest.slice(line.length);
}
