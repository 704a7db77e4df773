import { expect, test } from 'vitest';

import { outermost } from '../../../src/reconcile/dashboard/section.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { exponentOf, growsAtMost } from '../../growth/growth.ts';

const named = (...names: readonly string[]) =>
  names.map((name) => ({ directory: repositoryDirectory(name) }));

const many = (size: number) => named(...Array.from({ length: size }, (_one, at) => `d${at % 100}/p${at}`));

test('packages inside another one are left out, and the top holds all', () => {
  const all = named('a', 'a/b', 'a/b/c', 'ab', 'x/y/z', 'x/y/z/deep/er');
  expect(outermost(all)).toEqual(named('a', 'ab', 'x/y/z'));
  expect(outermost(named('.', 'a', 'b/c'))).toEqual(named('.'));
});

test('it takes time in proportion to the packages', () => {
  expect(growsAtMost(1.6, () => exponentOf(many, outermost, 1 << 16))).toBeLessThan(1.6);
});
