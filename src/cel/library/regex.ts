/** `find` and `findAll` of Kubernetes (apiserver cel/library/regex.go), in linear time. */
import { celMethod, type CelFunc } from '@bufbuild/cel';
import { RE2JS } from 're2js';

import { INT, LIST, STRING } from './types.ts';

const LONGEST_PATTERN = 1000;
const compiled = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > LONGEST_PATTERN)
    throw new Error(`expressions have ${LONGEST_PATTERN} characters at most`);
  const made = RE2JS.compile(pattern);
  if (compiled.size > 200) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

/** The matches from the left, `limit` of them; all where it is negative. */
function findAll(text: string, pattern: string, limit: number): string[] {
  const matcher = compile(pattern).matcher(text);
  const found: string[] = [];
  const most = limit < 0 ? Infinity : limit;
  for (let count = 0; count < most && matcher.find(); count++) found.push(matcher.group() ?? '');
  return found;
}

/** By code points, as Go does. */
function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

export const regex: CelFunc[] = [
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
