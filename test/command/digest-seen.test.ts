import { expect, test } from 'vitest';

import { digestSeen, type CheckedContent } from '../../src/command/digest-seen.ts';

const run = (id: number, digest: string, second: number | null): CheckedContent => ({
  id,
  digest,
  startedAt: second === null ? null : `2026-11-20T10:00:${String(second).padStart(2, '0')}Z`,
});

test.each<[string, CheckedContent[], string | undefined]>([
  ['no run', [], undefined],
  ['one before', [run(1, 'a', 10)], 'a'],
  ['one in the same second', [run(1, 'a', 30)], 'a'],
  ['one after', [run(1, 'a', 31)], undefined],
  ['the newest before', [run(2, 'b', 20), run(1, 'a', 10)], 'b'],
  ['not what came after', [run(1, 'a', 10), run(2, 'b', 31)], 'a'],
  ['two of different content that meet in that second', [run(1, 'a', 10), run(2, 'b', 30)], undefined],
  ['two that began in that second', [run(1, 'a', 30), run(2, 'b', 30)], undefined],
  ['two of the same content that meet in that second', [run(1, 'a', 10), run(2, 'a', 30)], 'a'],
  ['what changed and came back before', [run(1, 'a', 1), run(2, 'b', 2), run(3, 'a', 3)], 'a'],
  ['of two in one second before, the newer', [run(2, 'b', 20), run(1, 'a', 20)], 'b'],
  ['nothing that could be checked', [run(1, 'a', 10), run(2, '', 20)], undefined],
  ['a run without a time', [run(1, 'a', null)], undefined],
])('what could be seen: %s', (_name, runs, seen) => {
  expect(digestSeen(runs, '2026-11-20T10:00:30Z')).toBe(seen);
});

test('at a time that cannot be read nothing was seen', () => {
  expect(digestSeen([run(1, 'a', 10)], 'yesterday')).toBeUndefined();
});
