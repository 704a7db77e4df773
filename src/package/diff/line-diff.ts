import { commonPairs } from '../yaml/sequence.ts';
import type { LineHunk } from './diff-types.ts';

/** The hunks that turn one list of lines into another: a shortest difference, or whole blocks where little is common. */
export function lineHunks(a: readonly string[], b: readonly string[]): LineHunk[] {
  const hunks: LineHunk[] = [];
  let [atA, atB] = [0, 0];
  for (const [x, y] of [...commonPairs(a, b), [a.length, b.length] as const]) {
    if (x > atA || y > atB) {
      hunks.push({
        before: { at: atA + 1, lines: a.slice(atA, x) },
        after: { at: atB + 1, lines: b.slice(atB, y) },
      });
    }
    [atA, atB] = [x + 1, y + 1];
  }
  return hunks;
}
