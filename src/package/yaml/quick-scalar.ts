/** Scalars that stand on one line, and what begins and ends them, for the quick reader. */
import type { MapEntry, ScalarNode, Source } from './node.ts';
import { readPlain } from './scalar.ts';

/** Thrown where a text is not of the simple kind, so that the library reads it; never leaves the quick reader. */
export const UNUSUAL = Symbol('unusual');
/** Levels of nesting that the quick reader follows; the complete one takes over beyond. */
export const MAX_DEPTH = 50;

export const SPACE = 32;
export const HASH = 35;
export const COMMA = 44;
export const DASH = 45;
export const COLON = 58;
export const OPEN_LIST = 91;
export const CLOSE_LIST = 93;
export const OPEN_MAP = 123;
export const CLOSE_MAP = 125;
const DOUBLE = 34;
const SINGLE = 39;
const QUESTION = 63;
const BACKSLASH = 92;

/** Characters that may not begin a plain scalar, or that begin something which is not simple. */
const SIGNS = ',[]{}#&*!|>\'"%@`';
export const INDICATORS: ReadonlySet<number> = new Set(Array.from(SIGNS, (sign) => sign.charCodeAt(0)));

/** Where the next character stands that is no space. */
export function skipSpaces(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return at;
}

export function isQuote(code: number): boolean {
  return code === DOUBLE || code === SINGLE;
}

/** Refuses what does not begin a plain scalar. */
export function checkPlainStart(text: string, start: number, lineEnd: number, inFlow: boolean): void {
  const first = text.charCodeAt(start);
  if (INDICATORS.has(first)) throw UNUSUAL;
  if (first !== DASH && first !== QUESTION && first !== COLON) return;
  const next = text.charCodeAt(start + 1);
  if (start + 1 >= lineEnd || next === SPACE || (inFlow && INDICATORS.has(next))) throw UNUSUAL;
}

export function plainScalar(source: Source, start: number, end: number): ScalarNode {
  const value = readPlain(source.text.slice(start, end));
  return { kind: 'scalar', value, style: 'plain', at: { source, start, body: start, end } };
}

/** A plain scalar up to the end of its line or its comment. */
export function plainLine(source: Source, start: number, lineEnd: number): ScalarNode {
  const { text } = source;
  checkPlainStart(text, start, lineEnd, false);
  let end = start;
  for (let at = start; at < lineEnd; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SPACE) continue;
    if (code === HASH && text.charCodeAt(at - 1) === SPACE) break;
    if (code === COLON && (at + 1 >= lineEnd || text.charCodeAt(at + 1) === SPACE)) throw UNUSUAL;
    end = at + 1;
  }
  return plainScalar(source, start, end);
}

/** The key of a block map, up to its colon. */
export function blockKey(source: Source, start: number, lineEnd: number): ScalarNode {
  const { text } = source;
  if (isQuote(text.charCodeAt(start))) return quotedScalar(source, start, lineEnd);
  checkPlainStart(text, start, lineEnd, false);
  for (let at = start; at < lineEnd; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) {
      if (at + 1 < lineEnd && text.charCodeAt(at + 1) !== SPACE) continue;
      let end = at;
      while (text.charCodeAt(end - 1) === SPACE) end -= 1;
      return plainScalar(source, start, end);
    }
    if (code === HASH && text.charCodeAt(at - 1) === SPACE) throw UNUSUAL;
  }
  throw UNUSUAL;
}

/** A scalar in quotes, which has to end on its line. */
export function quotedScalar(source: Source, start: number, lineEnd: number): ScalarNode {
  const { text } = source;
  const quote = text.charCodeAt(start);
  let at = start + 1;
  let escaped = false;
  for (; ; at += 1) {
    if (at >= lineEnd) throw UNUSUAL;
    const code = text.charCodeAt(at);
    if (code === BACKSLASH && quote === DOUBLE) {
      escaped = true;
      at += 1;
    } else if (code === quote) {
      if (quote === DOUBLE || text.charCodeAt(at + 1) !== SINGLE) break;
      escaped = true;
      at += 1;
    }
  }
  const raw = text.slice(start + 1, at);
  const value = !escaped ? raw : quote === DOUBLE ? unescaped(raw) : raw.replaceAll("''", "'");
  const style = quote === DOUBLE ? 'double' : 'single';
  return { kind: 'scalar', value, style, at: { source, start, body: start, end: at + 1 } };
}

/** The name that an entry is found by. */
export function nameOf(key: ScalarNode): string {
  if (typeof key.value === 'string') return key.value;
  const { at } = key;
  return at === undefined ? '' : at.source.text.slice(at.body, at.end);
}

/** Keys that are there twice are a mistake, which the library tells of. */
export function refuseTwins(entries: readonly MapEntry[]): void {
  if (entries.length < 8) {
    for (let at = 1; at < entries.length; at += 1) {
      const name = entries[at]?.name;
      for (let before = 0; before < at; before += 1) if (entries[before]?.name === name) throw UNUSUAL;
    }
  } else if (new Set(entries.map((entry) => entry.name)).size < entries.length) throw UNUSUAL;
}

const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['n', '\n'],
  ['t', '\t'],
  ['/', '/'],
]);

function unescaped(raw: string): string {
  return raw.replaceAll(/\\(.)/g, (_, sign: string) => {
    const meant = ESCAPES.get(sign);
    if (meant === undefined) throw UNUSUAL;
    return meant;
  });
}
