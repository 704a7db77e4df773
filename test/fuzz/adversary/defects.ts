/** Work that goes wrong in each of the ways that are looked for, so that looking is known to find it. */
import type { Subject } from './subject.ts';

export const DEFECTS: Readonly<Record<string, Subject>> = {
  'stands still': { weight: 0, prepare: () => () => compute(400) },
  throws: {
    weight: 0,
    prepare: () => () => {
      throw new Error('a defect');
    },
  },
  'fills the memory': {
    weight: 0,
    prepare: () => () => {
      const kept: number[][] = [];
      for (;;) kept.push(Array<number>(1_000_000).fill(kept.length));
    },
  },
  'never answers': { weight: 0, prepare: () => () => compute(Number.POSITIVE_INFINITY) },
};

/** Keeps the thread busy until it has computed for so long. */
function compute(milliseconds: number): string {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 > milliseconds) return 'ok';
  }
}
