import { expect, test } from 'vitest';

import { globProblem, matchesGlob } from '../../src/config/glob.ts';

test.each([
  ['**', ['.', 'a', 'a/b'], []],
  ['*', ['.', 'a', '.a'], ['a/b']],
  ['.', ['.'], ['a']],
  ['a', ['a'], ['.', 'a/b']],
  ['a/**', ['a/b', 'a/b/c', 'a/.b'], ['a', '.', 'b/a/c']],
  ['a*/**', ['ab/c', 'a/b/c'], ['a', 'b/a']],
  ['**/prod', ['prod', 'a/b/prod'], ['prod/a', 'reprod']],
  ['[a-c]?', ['ab', 'c1'], ['d1', 'a', 'a/']],
  ['[!a]', ['b'], ['a']],
  ['a\\*', ['a*'], ['ab', 'a']],
])('the glob %s matches %j and not %j', (glob, matching, others) => {
  expect(globProblem(glob)).toBeUndefined();
  expect([...matching, ...others].filter((path) => matchesGlob(path, [glob]))).toEqual(matching);
});

test.each(['[a', 'a\\', '[a/b]', '{a,b}', '+(a)', '!a', '/a', '#a'])('the glob %s is refused', (glob) => {
  expect(globProblem(glob)).toBeDefined();
});
