import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ownersOfAll, parseCodeOwners, type CodeOwners } from '../../src/config/code-owners.ts';

const ownersOf = (file: CodeOwners, path: string): readonly string[] =>
  ownersOfAll(file, [path]).flatMap(({ owners }) => owners);

const matchesPattern = (pattern: string, path: string): boolean =>
  ownersOf(parseCodeOwners(`${pattern} @acme/owners\n`), path).length > 0;

test.each([
  ['*', 'a/b.yaml', true],
  ['*.yaml', 'deep/down/a.yaml', true],
  ['*.yaml', 'a.yml', false],
  ['/web/', 'web/a.yaml', true],
  ['/web/', 'apps/web/a.yaml', false],
  ['/web/', 'web', false],
  ['/web', 'web/deep/a.yaml', true],
  ['web/', 'apps/web/a.yaml', true],
  ['apps/', 'apps/web/a.yaml', true],
  ['apps/web', 'apps/web/a.yaml', true],
  ['apps/web', 'deep/apps/web/a.yaml', false],
  ['docs/*', 'docs/a.md', true],
  ['docs/*', 'docs/deep/a.md', false],
  ['**/logs', 'build/logs/a', true],
  ['**/logs', 'logs/a', true],
  ['apps/**/web', 'apps/a/b/web/x', true],
  ['apps/**/web', 'apps/web/x', true],
  ['we?', 'web/a', true],
  ['we?', 'we/a', false],
  ['Web', 'web/a', false],
  ['/', 'a', false],
])('%s and %s: %s', (pattern, path, expected) => expect(matchesPattern(pattern, path)).toBe(expected));

test('a hostile pattern costs no more than its length', () => {
  expect(matchesPattern('*a'.repeat(240), 'a'.repeat(4_000))).toBe(true);
  expect(matchesPattern(`${'**/'.repeat(160)}x`, `${'a/'.repeat(400)}y`)).toBe(false);
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
  const names = fc.constantFrom('a', 'b', '*', '**', 'a*', '?');
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
