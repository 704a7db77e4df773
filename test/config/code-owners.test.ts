import { describe, expect, test } from 'vitest';

import { matchesPattern, ownersOf, parseCodeOwners } from '../../src/config/code-owners.ts';

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
