import { expect, test } from 'vitest';

import { createLru, MAX_REMEMBERED } from '../../src/git/lru.ts';

test('all parts share one memory: what was used longest ago goes first, whose ever it is', () => {
  const one = createLru<string>(() => MAX_REMEMBERED / 10);
  const other = createLru<string>(() => MAX_REMEMBERED / 10);
  one.set('a', 'one');
  other.set('a', 'other');
  expect([one.get('a'), other.get('a')]).toEqual(['one', 'other']);
  for (let count = 0; count < 7; count += 1) other.set(`b${count}`, 'b');
  expect(one.get('a')).toBe('one');
  for (let count = 0; count < 7; count += 1) other.set(`c${count}`, 'c');
  expect(one.get('a')).toBe('one');
  expect(other.get('a')).toBeUndefined();
  const names = ['b', 'c'].flatMap((letter) => [0, 1, 2, 3, 4, 5, 6].map((count) => `${letter}${count}`));
  // Nine tenths and what the entries themselves take.
  expect(names.filter((name) => other.get(name) !== undefined)).toHaveLength(8);
});

test('what is heavier than an eighth of all is not kept, and takes nobody’s place', () => {
  const light = createLru<string>(() => 10);
  const heavy = createLru<string>(() => MAX_REMEMBERED / 7);
  light.set('a', 'light');
  for (let count = 0; count < 20; count += 1) heavy.set(`a${count}`, 'heavy');
  expect(heavy.get('a0')).toBeUndefined();
  expect(light.get('a')).toBe('light');
});
