import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { commonPairs, threeWay } from '../../../src/package/yaml/sequence.ts';
import { RUNS } from './noise.ts';

const sequence = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

function longest(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let x = 1; x <= a.length; x += 1) {
    for (let y = 1; y <= b.length; y += 1) {
      rows[x]![y] =
        a[x - 1] === b[y - 1] ? rows[x - 1]![y - 1]! + 1 : Math.max(rows[x - 1]![y]!, rows[x]![y - 1]!);
    }
  }
  return rows[a.length]![b.length]!;
}

test('common pairs are equal elements in order, and as many as there can be', () => {
  fc.assert(
    fc.property(sequence, sequence, (a, b) => {
      const pairs = commonPairs(a, b);
      for (const [at, [x, y]] of pairs.entries()) {
        expect(a[x]).toBe(b[y]);
        if (at > 0) expect(x > pairs[at - 1]![0] && y > pairs[at - 1]![1]).toBe(true);
      }
      expect(pairs).toHaveLength(longest(a, b));
    }),
    { numRuns: RUNS * 5 },
  );
});

test('past the budget the middle counts as changed, and what is common at the ends stays', () => {
  const a = ['head', ...Array.from({ length: 5000 }, (_, at) => `a${at}`), 'tail'];
  const b = ['head', ...Array.from({ length: 5000 }, (_, at) => `b${at}`), 'tail'];
  expect(commonPairs(a, b)).toEqual([
    [0, 0],
    [5001, 5001],
  ]);
});

test('three ways: outside the hunks all are equal, and each side comes back from its parts', () => {
  fc.assert(
    fc.property(sequence, sequence, sequence, (base, left, right) => {
      const hunks = threeWay(base, left, right);
      for (const side of ['left', 'right'] as const) {
        const own = side === 'left' ? left : right;
        const rebuilt: string[] = [];
        let at = 0;
        for (const hunk of hunks) {
          rebuilt.push(...base.slice(at, hunk.base[0]), ...own.slice(...hunk[side]));
          at = hunk.base[1];
        }
        expect([...rebuilt, ...base.slice(at)]).toEqual(own);
      }
    }),
    { numRuns: RUNS * 5 },
  );
});
