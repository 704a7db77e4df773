/**
 * Reads the YAML that most files are made of (block maps and lists, scalars on one line, literals, short flow
 * collections) straight into our tree, many times faster than the library. Anything else, and everything that may be a
 * mistake, is left to the library: what this reader gives is what the library would have given.
 */
import { MAX_DOCUMENTS } from '../limits.ts';
import type { ListItem, ListNode, MapEntry, MapNode, ScalarNode, Source, YamlNode } from './node.ts';
import { flowCollection } from './quick-flow.ts';
import {
  blockKey,
  COLON,
  DASH,
  HASH,
  INDICATORS,
  isQuote,
  MAX_DEPTH,
  nameOf,
  OPEN_LIST,
  OPEN_MAP,
  plainLine,
  quotedScalar,
  refuseTwins,
  skipSpaces,
  SPACE,
  UNUSUAL,
} from './quick-scalar.ts';
import type { YamlDocument } from './read.ts';

/** The documents of a text, or undefined where the library has to read it. */
export function quickRead(source: Source): YamlDocument[] | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what the library has to judge
  if (/[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\n\.\.\.|^\.\.\./.test(source.text))
    return undefined;
  try {
    return new QuickReader(source).documents();
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}

const NEWLINE = 10;
const PIPE = 124;
/** The library refuses longer keys. */
const MAX_KEY_LENGTH = 1_000;

/** A cursor on the lines of a text; blank lines and lines of comments are stepped over. */
class QuickReader {
  readonly #source: Source;
  readonly #text: string;
  /** Offset of the line's first character that is no blank. */
  #content = 0;
  /** Its column; -1 at a document's end. */
  #column = -1;
  #lineEnd = -1;
  /** Start of the `---` line that ended the document; -1 at the end of the text. */
  #marker = -1;

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
  }

  documents(): YamlDocument[] {
    const text = this.#text;
    const found: { root: YamlNode; start: number; bodyStart: number; hasMarker: boolean }[] = [];
    this.#advance();
    let start = 0;
    let bodyStart = 0;
    let hasMarker = false;
    if (this.#atMarker()) {
      hasMarker = true;
      bodyStart = this.#passMarker();
    }
    for (;;) {
      // Documents without content, and those that are no maps, are rare.
      if (this.#column !== 0 || found.length >= MAX_DOCUMENTS) throw UNUSUAL;
      const root = this.#map(0, this.#content, 0);
      const more = this.#atMarker();
      found.push({ root, start, bodyStart, hasMarker });
      if (!more) break;
      start = this.#marker;
      hasMarker = true;
      bodyStart = this.#passMarker();
    }
    return found.map((document, at) => ({
      root: document.root,
      chunk: [document.start, found[at + 1]?.start ?? text.length],
      bodyStart: document.bodyStart,
      hasMarker: document.hasMarker,
    }));
  }

  #atMarker(): boolean {
    return this.#column === -1 && this.#marker !== -1;
  }

  /** Goes behind a `---` line; gives the offset of the next line. */
  #passMarker(): number {
    const end = this.#endOf(this.#marker);
    const rest = this.#text.slice(this.#marker + 3, end).trim();
    if (rest !== '' && (rest.charCodeAt(0) !== HASH || this.#text.charCodeAt(this.#marker + 3) !== SPACE))
      throw UNUSUAL;
    this.#lineEnd = end;
    this.#advance();
    return Math.min(end + 1, this.#text.length);
  }

  #endOf(offset: number): number {
    const end = this.#text.indexOf('\n', offset);
    return end === -1 ? this.#text.length : end;
  }

  /** Goes to the next line with content. */
  #advance(): void {
    const text = this.#text;
    let start = this.#lineEnd + 1;
    for (;;) {
      if (start >= text.length) break;
      let at = start;
      let code = text.charCodeAt(at);
      while (code === SPACE) code = text.charCodeAt((at += 1));
      if (code === NEWLINE) {
        start = at + 1;
        continue;
      }
      if (at >= text.length) break;
      const end = this.#endOf(at);
      if (code === HASH) {
        start = end + 1;
        continue;
      }
      if (at === start && code === DASH && text.startsWith('---', at)) {
        if (end - at > 3 && text.charCodeAt(at + 3) !== SPACE) throw UNUSUAL;
        this.#column = -1;
        this.#marker = at;
        return;
      }
      this.#content = at;
      this.#column = at - start;
      this.#lineEnd = end;
      return;
    }
    this.#column = -1;
    this.#marker = -1;
    this.#lineEnd = text.length;
  }

  #map(column: number, before: number, depth: number): MapNode {
    if (depth > MAX_DEPTH) throw UNUSUAL;
    const entries: MapEntry[] = [];
    const start = this.#content;
    let after = before;
    do {
      const entry = this.#entry(column, after, depth);
      entries.push(entry);
      after = entry.value.at?.end ?? after;
    } while (this.#column === column);
    if (this.#column > column) throw UNUSUAL;
    refuseTwins(entries);
    const at = { source: this.#source, start, body: start, end: after };
    return { kind: 'map', entries, flow: false, at };
  }

  #entry(column: number, after: number, depth: number): MapEntry {
    const start = this.#content;
    const key = blockKey(this.#source, start, this.#lineEnd);
    const colon = skipSpaces(this.#text, key.at?.end ?? start);
    if (this.#text.charCodeAt(colon) !== COLON || colon - start > MAX_KEY_LENGTH) throw UNUSUAL;
    const indicator = colon + 1;
    const value = this.#value(column, indicator, depth, true);
    const at = { source: this.#source, start, indicator, after, flow: false };
    return { name: nameOf(key), key, value, at };
  }

  /** What stands behind a `:` or `-`; the cursor goes to the line after it. */
  #value(column: number, indicator: number, depth: number, inMap: boolean): YamlNode {
    const text = this.#text;
    const start = skipSpaces(this.#text, indicator);
    const first = text.charCodeAt(start);
    if (start >= this.#lineEnd || (first === HASH && start > indicator))
      return this.#below(column, indicator, depth, inMap);
    if (start === indicator) throw UNUSUAL;
    if (first === PIPE) return this.#literal(start, column);
    const value = isQuote(first)
      ? quotedScalar(this.#source, start, this.#lineEnd)
      : first === OPEN_LIST || first === OPEN_MAP
        ? flowCollection({
            source: this.#source,
            lineEnd: this.#lineEnd,
            start,
            before: indicator,
            depth: depth + 1,
          })
        : plainLine(this.#source, start, this.#lineEnd);
    this.#endLine(value.at?.end ?? start);
    if (this.#column > column) throw UNUSUAL;
    return value;
  }

  /** Nothing but a comment may follow a value on its line. */
  #endLine(end: number): void {
    const at = skipSpaces(this.#text, end);
    if (at < this.#lineEnd && (this.#text.charCodeAt(at) !== HASH || at === end)) throw UNUSUAL;
    this.#advance();
  }

  /** A value that begins on a later line, if there is one. */
  #below(column: number, indicator: number, depth: number, inMap: boolean): YamlNode {
    this.#advance();
    const dash = this.#column >= column && this.#column !== -1 && this.#isDash();
    if (!inMap && this.#column > column) throw UNUSUAL;
    if (inMap && dash) return this.#list(this.#column, indicator, depth + 1);
    if (this.#column > column) return this.#map(this.#column, indicator, depth + 1);
    const at = { source: this.#source, start: indicator, body: indicator, end: indicator };
    return { kind: 'scalar', value: null, style: 'plain', at };
  }

  #isDash(): boolean {
    const next = this.#content + 1;
    return (
      this.#text.charCodeAt(this.#content) === DASH &&
      (next >= this.#lineEnd || this.#text.charCodeAt(next) === SPACE)
    );
  }

  #list(column: number, before: number, depth: number): ListNode {
    if (depth > MAX_DEPTH) throw UNUSUAL;
    const items: ListItem[] = [];
    const start = this.#content;
    let after = before;
    do {
      const dash = this.#content;
      const indicator = dash + 1;
      const value = this.#item(column, indicator, depth);
      items.push({ value, at: { source: this.#source, start: dash, indicator, after, flow: false } });
      after = value.at?.end ?? after;
    } while (this.#column === column && this.#isDash());
    if (this.#column > column) throw UNUSUAL;
    return {
      kind: 'list',
      items,
      flow: false,
      at: { source: this.#source, start, body: start, end: after },
    };
  }

  #item(column: number, indicator: number, depth: number): YamlNode {
    const start = skipSpaces(this.#text, indicator);
    if (start >= this.#lineEnd) return this.#value(column, indicator, depth, false);
    if (this.#startsEntry(start)) {
      this.#content = start;
      this.#column = column + start - indicator + 1;
      return this.#map(this.#column, indicator, depth + 1);
    }
    return this.#value(column, indicator, depth, false);
  }

  /** True where a line goes on with `key:`. */
  #startsEntry(start: number): boolean {
    const text = this.#text;
    const first = text.charCodeAt(start);
    const quoted = isQuote(first);
    let at = start;
    if (quoted) at = skipSpaces(text, quotedScalar(this.#source, start, this.#lineEnd).at?.end ?? start);
    else if (INDICATORS.has(first)) return false;
    for (; at < this.#lineEnd; at += 1) {
      const code = text.charCodeAt(at);
      if (code === COLON && (at + 1 >= this.#lineEnd || text.charCodeAt(at + 1) === SPACE)) return true;
      if (code === HASH && text.charCodeAt(at - 1) === SPACE) return false;
      if (quoted) return false;
    }
    return false;
  }

  /** A literal without indentation indicator. */
  #literal(start: number, column: number): ScalarNode {
    const text = this.#text;
    const chomp = text.slice(start + 1, this.#lineEnd);
    if (chomp !== '' && chomp !== '-' && chomp !== '+') throw UNUSUAL;
    const lines: string[] = [];
    let indent = -1;
    let at = this.#lineEnd + 1;
    let end = at;
    let used = 0;
    while (at < text.length) {
      const stop = text.indexOf('\n', at);
      if (stop === -1) throw UNUSUAL;
      let here = at;
      while (text.charCodeAt(here) === SPACE) here += 1;
      const blank = here === stop;
      if (blank) {
        // Blanks on an empty line may belong to the text.
        if (here > at && (indent === -1 || here - at > indent)) throw UNUSUAL;
        lines.push('');
      } else {
        if (indent === -1) {
          indent = here - at;
          if (indent <= column) throw UNUSUAL;
        }
        if (here - at < indent) {
          if (here - at > column) throw UNUSUAL;
          break;
        }
        lines.push(text.slice(at + indent, stop));
        end = stop + 1;
        used = lines.length;
      }
      at = stop + 1;
    }
    if (indent === -1 || (chomp === '+' && used < lines.length)) throw UNUSUAL;
    const value = lines.slice(0, used).join('\n') + (chomp === '-' ? '' : '\n');
    this.#lineEnd = end - 1;
    this.#advance();
    if (this.#column > column) throw UNUSUAL;
    return { kind: 'scalar', value, style: 'literal', at: { source: this.#source, start, body: start, end } };
  }
}
