import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readKrmignore } from '../../src/package/krmignore.ts';
import { askGit, ignoreCases } from './check-ignore.ts';

/** Files that .krmignore hides and git does not ignore, or the other way round. */
function differences(files: number): readonly string[] {
  const cases = fc.sample(ignoreCases, files);
  return askGit(cases).flatMap((ignored, at) => {
    const { ignore = '', paths = [] } = cases[at] ?? {};
    const hides = readKrmignore(ignore);
    return paths
      .filter((path) => hides(path) !== ignored.has(path))
      .map((path) => `${JSON.stringify(ignore)} and ${path}: git says ${ignored.has(path)}`);
  });
}

test('.krmignore hides what git ignores, in 10,000 generated cases', () => {
  expect(differences(500)).toEqual([]);
});

test(
  '.krmignore hides what git ignores, in 200,000 generated cases',
  { tags: ['differential'], timeout: 600_000 },
  () => {
    expect(differences(10_000)).toEqual([]);
  },
);

// As `git check-ignore` of git 2.39 answers.
test.each([
  ['teams/*/', ['teams/a/x'], ['teams/a', 'x/teams/a/x']],
  ['**/prod/*/', ['a/prod/b/c', 'prod/b/c'], ['prod/b', 'a/prod/b']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'x/a/b']],
  ['a/**/', ['a/b/c'], ['a/b', 'a']],
  ['**/', ['a/b'], ['a']],
  ['a//b', [], ['a/b']],
  ['/teams/*//', [], ['teams/a/x']],
  ['[ab].yaml', ['a.yaml', 'c/b.yaml'], ['c.yaml', '[ab].yaml']],
  ['[!a].yaml', ['b.yaml'], ['a.yaml']],
  ['[a', [], ['[a', 'a']],
  ['a\\', [], ['a', 'a\\']],
  ['\\!a\n\\#b\n\\*c', ['!a', '#b', '*c'], ['a', 'b', 'xc']],
  ['a \nb\\ ', ['a', 'b '], ['a ', 'b']],
  [' a', [' a'], ['a']],
  ['{a,b}', ['{a,b}'], ['a', 'b']],
  ['a/\n!a/b', ['a/b', 'a/c'], []],
  ['a/*\n!a/b', ['a/c'], ['a/b', 'a/b/c']],
  ['!a\na', ['a'], []],
  [
    '# a comment\n/top.yaml\n?.yml',
    ['top.yaml', 'x.yml', 'deep/x.yml'],
    ['deep/top.yaml', 'xx.yml', 'a comment'],
  ],
  ['tests/\n!tests/keep.yaml', ['tests/keep.yaml', 'deep/tests/a.yaml'], ['tests', 'tests.yaml']],
  ['a/**/z.yaml', ['a/z.yaml', 'a/b/c/z.yaml'], ['b/z.yaml', 'x/a/z.yaml']],
  ['***/z', ['z', 'a/b/z'], ['az']],
])('.krmignore of %j hides %j and not %j', (text, hidden, visible) => {
  expect([...hidden, ...visible].filter(readKrmignore(text))).toEqual(hidden);
});

test.each([
  ['stars', '*a'.repeat(500)],
  ['double stars', '**/a/'.repeat(200)],
  ['a long part behind a star', `*${'a'.repeat(1_000)}b*`],
  ['braces', '{a,b}'.repeat(200)],
  ['alternatives', '+(a|+(a|'.repeat(120)],
  ['open brackets', '['.repeat(1_000)],
])('a .krmignore of %s says what it hides, or reports its limit', (_name, line) => {
  const hides = readKrmignore(`${line}\n`.repeat(1_000));
  const path = `${'a/'.repeat(500)}${'a'.repeat(1_000)}`;
  const answer = (): unknown => Array.from({ length: 20 }, (_, at) => hides(`${path}${at}`));
  try {
    answer();
  } catch (error) {
    expect(error).toMatchObject({ code: 'KRMIGNORE_LIMIT' });
  }
});
