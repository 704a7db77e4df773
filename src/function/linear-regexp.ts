import { setFlagsFromString } from 'node:v8';

import { PorticoError } from '../error.ts';
import { shortenValue } from '../text/cut-text.ts';

let enabled = false;

/**
 * Instructions that an expression may have once its repetitions are written out. Each is looked at for each character,
 * so that linear time is still a long time for a large program; expressions of people have some ten.
 */
export const MAX_INSTRUCTIONS = 5_000;

/** Counts work before it is done; throws where there is no more of it. */
export type SpendWork = (steps: number) => void;

/** An expression that runs in time proportional to text × `instructions`, and counts that before it runs. */
export interface LinearRegExp {
  readonly instructions: number;
  exec(text: string, spend: SpendWork): RegExpExecArray | null;
  test(text: string, spend: SpendWork): boolean;
  /** All matches from the left. Each may look at the whole rest of the text, and is counted so. */
  matchAll(text: string, spend: SpendWork): Generator<RegExpExecArray>;
}

/**
 * A regular expression of a package, run in linear time as Go's RE2 does: no pattern can make the process hang.
 * V8's linear engine is behind a flag, which is for the whole process and stays on.
 * @throws PorticoError REGEXP_INVALID for what cannot be run in linear time or is no expression, REGEXP_TOO_LARGE for
 * what has more than `MAX_INSTRUCTIONS`
 */
export function linearRegExp(pattern: string): LinearRegExp {
  if (!enabled) {
    setFlagsFromString('--enable-experimental-regexp-engine');
    enabled = true;
  }
  const instructions = instructionsOf(pattern);
  if (instructions > MAX_INSTRUCTIONS) {
    const message = `The regular expression ${shown(pattern)} is too large: with its repetitions it has more than ${MAX_INSTRUCTIONS} parts`;
    throw new PorticoError('REGEXP_TOO_LARGE', message, {
      blame: 'user',
      hint: 'Write it shorter, with smaller repetitions: those inside of each other multiply.',
    });
  }
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const source = (inline === null ? pattern : pattern.slice(inline[0].length)).replaceAll('(?P<', '(?<');
  const flags = `l${inline?.[1] ?? ''}`;
  const compiled = compile(pattern, source, flags);
  const cost = (length: number): number => instructions * (length + 1);
  return {
    instructions,
    exec(text, spend) {
      spend(cost(text.length));
      return compiled.exec(text);
    },
    test(text, spend) {
      spend(cost(text.length));
      return compiled.test(text);
    },
    *matchAll(text, spend) {
      const all = compile(pattern, source, `${flags}g`);
      for (;;) {
        spend(cost(text.length - all.lastIndex));
        const match = all.exec(text);
        if (match === null) return;
        if (match[0] === '') all.lastIndex += 1;
        yield match;
      }
    },
  };
}

function compile(pattern: string, source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw new PorticoError('REGEXP_INVALID', `The regular expression ${shown(pattern)} is not allowed`, {
      blame: 'user',
      cause,
      hint: 'Use RE2 syntax: no back references, no look-around.',
    });
  }
}

function shown(pattern: string): string {
  return JSON.stringify(shortenValue(pattern, 200));
}

/**
 * How many instructions an expression becomes when its counted repetitions are written out, roughly and rather too
 * many. Goes through the text once; what is no expression has some size too.
 */
export function instructionsOf(pattern: string): number {
  const outer: { readonly total: number }[] = [];
  let total = 1;
  let last = 0;
  const token = /\\[\s\S]|\[\^?\]?|\((?:\?(?:P?<\w*>|[a-z:]*))?|\)|\{\d+(?:,\d*)?\}|[\s\S]/y;
  for (let at = 0; at < pattern.length;) {
    token.lastIndex = at;
    let word = token.exec(pattern)?.[0] ?? '';
    if (word === '') break;
    if (word.startsWith('[')) word = pattern.slice(at, endOfClass(pattern, token.lastIndex));
    at += word.length;
    if (word.startsWith('(')) {
      outer.push({ total });
      total = 2;
      last = 0;
    } else if (word === ')') {
      last = total;
      total += outer.pop()?.total ?? 0;
    } else if ('*+?'.includes(word)) total += 2;
    else if (/^\{\d/.test(word)) {
      const times = Math.max(...(word.match(/\d+/g) ?? []).map(Number), 1) + (word.endsWith(',}') ? 1 : 0);
      // An optional copy has a branch of its own.
      const repeated = (last + 1) * times;
      total += repeated - last;
      last = repeated;
    } else {
      last = word === '|' ? 0 : word.startsWith('[') ? 1 + Math.ceil(word.length / 16) : 1;
      total += word === '|' ? 2 : last;
    }
  }
  return outer.reduce((sum, one) => sum + one.total, total);
}

/** Where a class that is open at `from` ends. No expression of its own: one over a long class overflows V8's stack. */
function endOfClass(pattern: string, from: number): number {
  let at = from;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, pattern.length);
}
