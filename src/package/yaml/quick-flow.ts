/** Flow collections that stand on one line, for the quick reader. */
import type { ListItem, ListNode, MapEntry, MapNode, ScalarNode, Source, YamlNode } from './node.ts';
import {
  checkPlainStart,
  CLOSE_LIST,
  CLOSE_MAP,
  COLON,
  COMMA,
  HASH,
  INDICATORS,
  isQuote,
  MAX_DEPTH,
  nameOf,
  OPEN_LIST,
  OPEN_MAP,
  plainScalar,
  quotedScalar,
  refuseTwins,
  skipSpaces,
  SPACE,
  UNUSUAL,
} from './quick-scalar.ts';

/** The line that a collection stands on. */
interface Line {
  readonly source: Source;
  readonly text: string;
  readonly end: number;
}

/** A collection that begins at `start` and ends before `lineEnd`; `before` is where what precedes it ends. */
export function flowCollection({
  source,
  lineEnd,
  start,
  before,
  depth,
}: {
  readonly source: Source;
  readonly lineEnd: number;
  readonly start: number;
  readonly before: number;
  readonly depth: number;
}): MapNode | ListNode {
  return collection({ source, text: source.text, end: lineEnd }, start, before, depth);
}

function collection(line: Line, start: number, before: number, depth: number): MapNode | ListNode {
  if (depth > MAX_DEPTH) throw UNUSUAL;
  const { source, text } = line;
  const isList = text.charCodeAt(start) === OPEN_LIST;
  const close = isList ? CLOSE_LIST : CLOSE_MAP;
  const items: ListItem[] = [];
  const entries: MapEntry[] = [];
  let after = before;
  let at = skipSpaces(text, start + 1);
  while (text.charCodeAt(at) !== close) {
    const slot = isList ? itemAt(line, at, after, depth) : entryAt(line, at, after, depth);
    if (isEntry(slot)) entries.push(slot);
    else items.push(slot);
    after = slot.value.at?.end ?? after;
    at = skipSpaces(text, after);
    const code = text.charCodeAt(at);
    if (code === close) break;
    if (code !== COMMA) throw UNUSUAL;
    at = skipSpaces(text, at + 1);
    // A comma before the end is allowed, and rare.
    if (text.charCodeAt(at) === close) throw UNUSUAL;
  }
  const place = { source, start, body: start, end: at + 1 };
  if (isList) return { kind: 'list', items, flow: true, at: place };
  refuseTwins(entries);
  return { kind: 'map', entries, flow: true, at: place };
}

function isEntry(slot: MapEntry | ListItem): slot is MapEntry {
  return 'key' in slot;
}

function itemAt(line: Line, start: number, after: number, depth: number): ListItem {
  const value = valueAt(line, start, undefined, depth);
  return { value, at: { source: line.source, start, indicator: start, after, flow: true } };
}

function entryAt(line: Line, start: number, after: number, depth: number): MapEntry {
  const { source, text } = line;
  const key = scalarAt(line, start);
  const colon = skipSpaces(text, key.at?.end ?? start);
  if (text.charCodeAt(colon) !== COLON || text.charCodeAt(colon + 1) !== SPACE) throw UNUSUAL;
  const indicator = colon + 1;
  const value = valueAt(line, skipSpaces(text, indicator), indicator, depth);
  return { name: nameOf(key), key, value, at: { source, start, indicator, after, flow: true } };
}

function valueAt(line: Line, start: number, before: number | undefined, depth: number): YamlNode {
  if (start >= line.end) throw UNUSUAL;
  const first = line.text.charCodeAt(start);
  if (first === OPEN_LIST || first === OPEN_MAP) return collection(line, start, before ?? start, depth + 1);
  return scalarAt(line, start);
}

/** Colons in a plain scalar are left to the library, but for a key's. */
function scalarAt({ source, text, end: lineEnd }: Line, start: number): ScalarNode {
  if (isQuote(text.charCodeAt(start))) return quotedScalar(source, start, lineEnd);
  checkPlainStart(text, start, lineEnd, true);
  let end = start;
  for (let at = start; ; at += 1) {
    if (at >= lineEnd) throw UNUSUAL;
    const code = text.charCodeAt(at);
    if (code === SPACE) continue;
    if (code === COMMA || code === CLOSE_LIST || code === CLOSE_MAP) break;
    if (code === COLON && text.charCodeAt(at + 1) === SPACE) break;
    if (code === COLON || code === HASH || INDICATORS.has(code)) throw UNUSUAL;
    end = at + 1;
  }
  if (end === start) throw UNUSUAL;
  return plainScalar(source, start, end);
}
