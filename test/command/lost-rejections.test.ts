import { expect, test } from 'vitest';

import { lostRejections } from '../../src/command/lost-rejections.ts';

const at = (seconds: number): string => `2026-11-20T10:00:${String(seconds).padStart(2, '0')}Z`;

test.each([
  ['none', [], [], []],
  ['each with its record', [at(10), at(20)], [at(9), at(20)], []],
  ['the first without', [at(10), at(20)], [at(15)], [at(10)]],
  ['the last without', [at(20), at(10)], [at(5)], [at(20)]],
  ['a record of later stands for none before', [at(10)], [at(11)], [at(10)]],
  ['a record whose time cannot be read', [at(10)], ['soon'], [at(10)]],
])('rejections whose records are gone: %s', (_, drafted, rejections, lost) => {
  expect(lostRejections(drafted, rejections)).toEqual(lost);
});
