import { expect, test } from 'vitest';

import { closestWord, editDistance } from '../../src/package/closest-word.ts';

const WORDS = ['help', 'render', 'propose', 'reject', 'approve', 'publish', 'update'];

test.each([
  ['publsh', 'publish'],
  ['pulbish', 'publish'],
  ['PUBLISH', 'publish'],
  ['aprove', 'approve'],
  ['rejct', 'reject'],
  ['hlp', 'help'],
  ['puplihs', 'publish'],
  ['pblsih', 'publish'],
  ['publication', undefined],
  ['', undefined],
  ['x', undefined],
  ['deploy', undefined],
])('%j is near %s', (typed, near) => expect(closestWord(typed, WORDS)).toBe(near));

test.each([
  ['', '', 0],
  ['a', '', 1],
  ['ab', 'ba', 1],
  ['kitten', 'sitting', 3],
  ['abcdef', 'uvwxyz', 5],
  ['short', 'a much longer text', 5],
])('%j and %j are %i apart, or past the limit', (a, b, distance) =>
  expect(editDistance(a, b, 4)).toBe(distance),
);

test('an endless word costs nothing', () => expect(closestWord('x'.repeat(1e6), WORDS)).toBeUndefined());
