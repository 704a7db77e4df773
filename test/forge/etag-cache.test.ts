import { expect, test } from 'vitest';

import { createEtagCache } from '../../src/forge/etag-cache.ts';

const answer = (characters: number): Parameters<ReturnType<typeof createEtagCache>['set']>[1] => ({
  etag: '"one"',
  token: 'of one',
  status: 200,
  headers: {},
  data: 'x'.repeat(characters),
});

test('answers are kept up to so many characters in all; one that is large is not', () => {
  const cache = createEtagCache(300_000);
  for (let count = 0; count < 40; count += 1) cache.set(`small ${count}`, answer(7_000));
  expect(cache.get('small 0')).toBeUndefined();
  expect(cache.get('small 7')?.etag).toBe('"one"');
  cache.set('large', answer(9_000));
  expect(cache.get('large')).toBeUndefined();
  // Set again, it weighs once.
  for (let count = 0; count < 100; count += 1) cache.set('small 39', answer(7_000));
  expect(cache.get('small 8')?.etag).toBe('"one"');
});
