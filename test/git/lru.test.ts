import { expect, test } from 'vitest';

import { createLru, MOST_REMEMBERED, remembered } from '../../src/git/lru.ts';

test('all parts share one memory: what was used longest ago goes first, whose ever it is', () => {
  const one = createLru<string>(() => MOST_REMEMBERED / 10);
  const other = createLru<string>(() => MOST_REMEMBERED / 10);
  one.set('a', 'one');
  other.set('a', 'other');
  expect([one.get('a'), other.get('a')]).toEqual(['one', 'other']);
  for (let count = 0; count < 7; count += 1) other.set(`b${count}`, 'b');
  expect(one.get('a')).toBe('one');
  for (let count = 0; count < 7; count += 1) other.set(`c${count}`, 'c');
  expect(one.get('a')).toBe('one');
  expect(other.get('a')).toBeUndefined();
  expect(remembered()).toBeLessThanOrEqual(MOST_REMEMBERED);
});

test('what is heavier than an eighth of all is not kept, and takes nobody’s place', () => {
  const light = createLru<string>(() => 10);
  const heavy = createLru<string>(() => MOST_REMEMBERED / 7);
  light.set('a', 'light');
  const before = remembered();
  heavy.set('a', 'heavy');
  expect(heavy.get('a')).toBeUndefined();
  expect(light.get('a')).toBe('light');
  expect(remembered()).toBe(before);
});
