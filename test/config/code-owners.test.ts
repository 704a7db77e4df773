import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ownersOfAll, parseCodeOwners, type CodeOwners } from '../../src/config/code-owners.ts';
import { askGit, ownerPatterns, paths } from '../package/check-ignore.ts';

const ownersOf = (file: CodeOwners, path: string): readonly string[] =>
  ownersOfAll(file, [path]).flatMap(({ owners }) => owners);

const matchesPattern = (pattern: string, path: string): boolean =>
  ownersOf(parseCodeOwners(`${pattern} @acme/owners\n`), path).length > 0;

/**
 * What GitHub's documentation, the tests of hmarr/codeowners and git say. Nobody says what `//` does on GitHub: git matches nothing by it, and
 * here its owners own what the single slash means.
 */
test.each([
  ['*', ['a', 'a/b', 'a/b/c'], []],
  ['/*', ['a', '.a'], ['a/b', 'a/b/c']],
  ['*.yaml', ['a.yaml', 'deep/down/a.yaml', 'a.yaml/b'], ['a.yml']],
  ['a', ['a', 'a/b', 'b/a', 'b/a/c'], ['ab', 'A', 'b/ab']],
  ['/a', ['a', 'a/b', 'a/b/c'], ['ab', 'b/a', 'b/a/c']],
  ['a/', ['a/b', 'a/b/c', 'b/a/c', 'b/a/c/d'], ['a', 'b/a', 'b/c']],
  ['/a/', ['a/b', 'a/b/c'], ['a', 'b/a', 'b/a/c']],
  ['a/b', ['a/b', 'a/b/c'], ['a/bc', 'x/a/b', 'x/a/b/c']],
  ['a/b/', ['a/b/c', 'a/b/c/d'], ['a/b', 'a/bc', 'x/a/b/c']],
  ['a*', ['a', 'ab', 'a/b', 'b/a', 'b/ab/c'], ['ba', 'b/c']],
  ['/a*', ['a', 'ab', 'a/b/c'], ['b/a', 'ba']],
  ['a*/', ['a/b', 'ab/c', 'b/a/c'], ['a', 'b/a', 'ba']],
  ['/*/', ['a/b', 'a/b/c'], ['a']],
  ['/a*/', ['a/b', 'ab/c/d'], ['a', 'b/a/c']],
  ['/teams/*/', ['teams/a/x', 'teams/a/b/x'], ['teams/x', 'x/teams/a/x']],
  ['teams/*/', ['teams/a/x', 'teams/a/b/x'], ['teams/x', 'x/teams/a/x']],
  ['/teams/*//', ['teams/a/x', 'teams/a/b/x'], ['teams/x']],
  ['**/prod/*/', ['prod/a/x', 'b/prod/a/x'], ['prod/x', 'b/prod/x']],
  ['docs/*', ['docs/a', 'docs/.a'], ['docs', 'docs/a/b', 'x/docs/a']],
  ['**/docs/*', ['docs/a', 'x/docs/a'], ['docs/a/b']],
  ['docs/*.md', ['docs/a.md'], ['docs', 'docs/a/b.md', 'x/docs/a.md']],
  ['a/*/b', ['a/x/b', 'a/x/b/c'], ['a', 'a/x', 'a/b']],
  ['a\\*b', ['a*b'], ['axb', 'ab']],
  ['a\\?b', ['a?b'], ['axb']],
  ['we?', ['web/a', 'web'], ['we/a', 'webb']],
  ['**/a/b', ['a/b', 'x/a/b', 'x/y/a/b/c'], ['a/x/b', 'x/a/y/b']],
  ['**/*a*', ['a', 'bab', 'x/bab', 'x/y/a/z'], ['b', 'x/b']],
  ['a/**', ['a/b', 'a/b/c', 'a/.b'], ['a', 'x/a', 'x/a/b']],
  ['a/**/', ['a/b', 'a/b/c'], ['a']],
  ['a/**/b', ['a/b', 'a/b/c', 'a/x/b', 'a/x/y/b/c'], ['x/a/b', 'x/a/b/c']],
  ['a/**/b/c*', ['a/b/c', 'a/x/b/cd'], ['a/b', 'a/b/d', 'a/x/b']],
  ['my\\ docs/', ['my docs/a'], ['my', 'docs/a', 'my\\ docs/a']],
  ['\\#a', [], ['#a', 'a', '\\#a']],
  ['{a,b}', ['{a,b}'], ['a', 'b']],
  ['/', [], ['a', 'a/b']],
])('CODEOWNERS: %s owns %j and not %j (120)', (pattern, owned, others) => {
  expect([...owned, ...others].filter((path) => matchesPattern(pattern, path))).toEqual(owned);
});

test('CODEOWNERS: a later /* takes nothing away below the top (120)', () => {
  const file = parseCodeOwners('/secure/ @carol\n/* @bob\n');
  expect(ownersOfAll(file, ['secure/a', 'secure/b/c', 'a'])).toEqual([
    { path: 'secure/a', owners: ['@carol'] },
    { path: 'a', owners: ['@bob'] },
  ]);
});

/** Files that a line owns and git would not ignore by it, or the other way round. */
function differences(count: number): readonly string[] {
  const cases = fc.sample(fc.record({ ignore: ownerPatterns, paths }), count);
  return askGit(cases).flatMap((ignored, at) => {
    const { ignore = '', paths: files = [] } = cases[at] ?? {};
    return files
      .filter((path) => matchesPattern(ignore.replaceAll(/(?<!\\) /g, '\\ '), path) !== ignored.has(path))
      .map((path) => `${ignore} and ${path}: git says ${ignored.has(path)}`);
  });
}

test('CODEOWNERS matches what git ignores, in 10,000 generated cases (120)', () => {
  expect(differences(500)).toEqual([]);
});

test(
  'CODEOWNERS matches what git ignores, in 200,000 generated cases',
  { tags: ['differential'], timeout: 600_000 },
  () => expect(differences(10_000)).toEqual([]),
);

test.each([
  ['stars', '*a'.repeat(240)],
  ['double stars', '**/a/'.repeat(90)],
  ['a long part behind a star', `*${'a'.repeat(480)}b*`],
  ['braces', '{a,b}'.repeat(90)],
  ['alternatives', '+(a|+(a|'.repeat(60)],
  ['escapes', '\\a'.repeat(240)],
])('5,000 lines of %s end, and Carol owns what is compared or all (70)', (_name, pattern) => {
  const file = parseCodeOwners(`/a/ @carol\n${`${pattern} @carol\n`.repeat(4_990)}`);
  const files = Array.from({ length: 100 }, (_, at) => `${'a/'.repeat(500)}${at}`);
  expect(ownersOfAll(file, files)).toMatchObject([{ owners: ['@carol'] }]);
});

describe('a file', () => {
  const rules = parseCodeOwners(
    '# who owns what\n* @acme/platform\n/web/ @alice  @bob # ours\n\n/web/open/\n!x @eve\n[a] @eve\nbad@example.org\n',
  );
  test.each([
    ['a.yaml', ['@acme/platform']],
    ['web/a.yaml', ['@alice', '@bob']],
    ['web/open/a.yaml', []],
    ['x', ['@acme/platform']],
  ])('%s is owned by %j', (path, owners) => expect(ownersOf(rules, path)).toEqual(owners));
});

describe('changed files', () => {
  const unowned = Array.from({ length: 3_000 }, (_, index) => `a/${index}.yaml`);

  test('are all looked at, however many unowned ones sort before the owned one (70)', () => {
    const file = parseCodeOwners('/web/ @carol\n');
    expect(ownersOfAll(file, unowned)).toEqual([]);
    expect(ownersOfAll(file, [...unowned, 'web/a.yaml'])).toEqual([
      { path: 'web/a.yaml', owners: ['@carol'] },
    ]);
  });

  const everybody = [
    { path: '/web/', owners: ['@carol'] },
    { path: '/db/', owners: ['@acme/platform', '@bob'] },
  ];
  const lines = '/web/ @carol\n/db/ @acme/platform @bob\n/web/more @carol\n/open/\n';

  test.each([
    ['more comparing than others can wait for', `${lines}${'*x*y*z*\n'.repeat(2_000)}`, unowned],
    ['more lines than are read', `${lines}${'\n'.repeat(5_000)}/open/ @eve\n`, ['a']],
    ['a longer pattern than is compared', `${lines}/${'x'.repeat(600)}\n`, ['a']],
    ['a larger file than is read', `${lines}# ${'x'.repeat(1_000_000)}\n`, ['a']],
  ])('with %s everything is owned by everybody who is named (70)', (_name, text, paths) => {
    expect(ownersOfAll(parseCodeOwners(text), paths)).toEqual(expect.arrayContaining(everybody));
  });
});

test('looking rules up by name finds what trying each from the last finds', () => {
  const names = fc.constantFrom('a', 'b', '*', '**', 'a*', '?', '***');
  const pattern = fc
    .tuple(
      fc.constantFrom('', '/'),
      fc.array(names, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/'),
    )
    .map(([top, parts, below]) => `${top}${parts.join('/')}${below}`);
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 6 }), path, (patterns, file) => {
      const rules = patterns.map((one, at) => ({ pattern: one, owners: [`@${at}`] }));
      const last = rules.findLast((rule) => matchesPattern(rule.pattern, file));
      expect(ownersOf({ rules, whole: true }, file)).toEqual(last?.owners ?? []);
    }),
    { numRuns: 2_000 },
  );
});
