/**
 * Patterns of CRDs, which are RE2's. V8's linear engine refuses repetitions past about sixteen (`{1,63}`), so they are
 * written out; nothing is captured, so that groups may be written several times.
 */
import { PorticoError } from '../../error.ts';
import { instructionsOf, linearRegExp, MAX_INSTRUCTIONS } from '../linear-regexp.ts';
import type { LinearRegExp } from '../linear-regexp.ts';

/** Longer patterns are not run, whole or written out; RE2 itself repeats at most 1,000 times. */
const MAX_LENGTH = 10_000;
const MAX_WRITTEN_OUT_LENGTH = 50_000;
const MAX_REPEATED = 1_000;
const MAX_DEPTH = 50;

/**
 * Compiles a pattern so that it runs in linear time; `too large` for what becomes too much once its repetitions are
 * written out. Undefined for what cannot be compiled or would mean something else in JavaScript: such a pattern demands
 * nothing.
 */
export function linearPattern(source: string): LinearRegExp | 'too large' | undefined {
  if (source.length > MAX_LENGTH || instructionsOf(source) > MAX_INSTRUCTIONS) return 'too large';
  try {
    const scan: Scan = { source, at: 0, depth: 0 };
    const written = sequence(scan);
    return scan.at === source.length ? linearRegExp(written) : undefined;
  } catch {
    return undefined;
  }
}

interface Scan {
  readonly source: string;
  at: number;
  depth: number;
}

function sequence(scan: Scan): string {
  let written = '';
  while (scan.at < scan.source.length && scan.source[scan.at] !== ')') {
    const one = atom(scan);
    written += '|^$'.includes(one) ? one : repeated(one, scan);
    if (written.length > MAX_WRITTEN_OUT_LENGTH) throw foreign();
  }
  return written;
}

function atom(scan: Scan): string {
  const first = take(scan, 1);
  if (first === '(') return group(scan);
  if (first === '[') return characterClass(scan);
  if (first === '\\') return escape(take(scan, 1));
  // A brace that does not repeat anything stands for itself.
  return first === '{' || first === '}' ? `\\${first}` : first;
}

function group(scan: Scan): string {
  const head = /^\?(?:P?<\w+>|:)/.exec(scan.source.slice(scan.at, scan.at + 100))?.[0] ?? '';
  scan.at += head.length;
  if (head === '' && scan.source[scan.at] === '?') throw foreign();
  if (++scan.depth > MAX_DEPTH) throw foreign();
  const inner = sequence(scan);
  scan.depth -= 1;
  if (take(scan, 1) !== ')') throw foreign();
  return `(?:${inner})`;
}

function characterClass(scan: Scan): string {
  const rest = scan.source.slice(scan.at);
  const found = /^\^?\]?(?:[^\]\\[]|\\[^pPQECx]|\[(?!:))*\]/.exec(rest)?.[0];
  if (found === undefined) throw foreign();
  scan.at += found.length;
  // In JavaScript a bracket at the beginning would close the class.
  return `[${found.replace(/^(\^?)\]/, String.raw`$1\]`)}`;
}

function escape(letter: string): string {
  if (letter === 'A') return '^';
  if (letter === 'z') return '$';
  if (/[pPQECx1-9]/.test(letter)) throw foreign();
  return `\\${letter}`;
}

function repeated(one: string, scan: Scan): string {
  const found = /^(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})\??/.exec(scan.source.slice(scan.at, scan.at + 20));
  if (found === null) return one;
  scan.at += found[0].length;
  const [, mark, least = '', comma, most = ''] = found;
  if (mark !== undefined) return `${one}${mark}`;
  const from = Number(least);
  const to = comma === '' ? from : most === '' ? undefined : Number(most);
  if (from > MAX_REPEATED || (to ?? 0) > MAX_REPEATED || (to ?? from) < from) throw foreign();
  if ((to ?? from) * one.length > MAX_WRITTEN_OUT_LENGTH) throw foreign();
  return `${one.repeat(from)}${to === undefined ? `${one}*` : `${one}?`.repeat(to - from)}` || '(?:)';
}

function take(scan: Scan, length: number): string {
  const taken = scan.source.slice(scan.at, scan.at + length);
  if (taken.length < length) throw foreign();
  scan.at += length;
  return taken;
}

function foreign(): PorticoError {
  return new PorticoError('REGEXP_INVALID', 'The pattern has no equivalent with the same meaning', {
    blame: 'user',
    hint: 'Use RE2 syntax that JavaScript knows too.',
  });
}
