/** `matches`, and `find` and `findAll` of Kubernetes (apiserver cel/library/regex.go), in linear time. */
import { celFunc, celMethod, type CelFunc } from '@bufbuild/cel';
import { RE2JS } from 're2js';

import { work } from '../work.ts';
import { BOOL, INT, LIST, STRING } from './types.ts';

/** Characters of a regular expression. */
const MAX_PATTERN_LENGTH = 1000;

/** A pattern's repetitions are written out: each instruction is looked at for each character of the text. */
const MAX_INSTRUCTIONS = 5000;
const compiled = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new Error(`expressions have ${MAX_PATTERN_LENGTH} characters at most`);
  const made = RE2JS.compile(pattern);
  if (made.programSize() > MAX_INSTRUCTIONS)
    throw new Error(
      `the expression is too large: with its repetitions it has more than ${MAX_INSTRUCTIONS} parts`,
    );
  if (compiled.size > 200) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

/** Instructions that are looked at in the time of one step. */
const STEP = 8;

function matches(text: string, pattern: string): boolean {
  const expression = compile(pattern);
  work(Math.ceil((expression.programSize() * (text.length + 1)) / STEP));
  return expression.matcher(text).find();
}

/** The matches from the left, `limit` of them; all where it is negative. */
function findAll(text: string, pattern: string, limit: number): string[] {
  const expression = compile(pattern);
  const size = expression.programSize();
  const matcher = expression.matcher(text);
  const found: string[] = [];
  const most = limit < 0 ? Infinity : limit;
  // Each search may look at the whole rest of the text.
  let from = 0;
  while (found.length < most) {
    work(Math.ceil((size * (text.length - from + 1)) / STEP));
    if (!matcher.find()) break;
    found.push(matcher.group() ?? '');
    from = matcher.end();
  }
  return found;
}

/** By code points, as Go does. */
function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

export const patterns: CelFunc[] = [
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    return matches(this, pattern);
  }),
  // CEL knows it as a function as well.
  celFunc('matches', [STRING, STRING], BOOL, matches),
];

export const regex: CelFunc[] = [
  ...patterns,
  celMethod('find', STRING, [STRING], STRING, function (pattern) {
    return findAll(this, pattern, 1)[0] ?? '';
  }),
  celMethod('findAll', STRING, [STRING], LIST, function (pattern) {
    return findAll(this, pattern, -1);
  }),
  celMethod('findAll', STRING, [STRING, INT], LIST, function (pattern, limit) {
    return findAll(this, pattern, Number(limit));
  }),
  celMethod('reverse', STRING, [], STRING, function () {
    return reversed(this);
  }),
];
