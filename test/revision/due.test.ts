import { describe, expect, test } from 'vitest';

import { dueSteps } from '../../src/revision/due.ts';

const steps = (...trees: (string | null)[]) => trees.map((tree, at) => ({ commit: `c${at}`, tree }));

describe('what is due along the steps of a branch', () => {
  test.each<[string, (string | null)[], string | undefined, string[]]>([
    ['two merges, two revisions', ['a', 'b'], undefined, ['c0', 'c1']],
    ['a merge that leaves the package alone', ['a', 'a', 'b'], 'a', ['c2']],
    ['there and back again', ['b', 'a'], 'a', ['c0', 'c1']],
    ['removed', ['b', null], 'a', ['c0']],
    ['removed and brought back unchanged', [null, 'a'], 'a', []],
    ['removed and brought back changed', [null, 'b'], 'a', ['c1']],
    ['nothing', [], 'a', []],
  ])('%s', (_name, trees, newest, due) => {
    expect(dueSteps(steps(...trees), newest).map(({ commit }) => commit)).toEqual(due);
  });
});
