import { describe, expect, test } from 'vitest';

import { dueRevisions, dueSteps } from '../../src/revision/due.ts';

describe('what is due on a branch', () => {
  test('new, changed, removed and unchanged packages', () => {
    const onBranch = new Map([
      ['web', 't2'],
      ['new', 't1'],
      ['same', 't5'],
    ]);
    const newest = new Map([
      ['web', { revision: 'v1', tree: 't1' }],
      ['same', { revision: 'v4', tree: 't5' }],
      ['gone', { revision: 'v2', tree: 't9' }],
    ]);
    expect(dueRevisions(onBranch, newest)).toEqual([
      { kind: 'removed', path: 'gone', last: 'v2' },
      { kind: 'new', path: 'new', tree: 't1' },
      { kind: 'unchanged', path: 'same', tree: 't5', revision: 'v4' },
      { kind: 'changed', path: 'web', tree: 't2', since: 'v1' },
    ]);
  });

  test('31 after the tag is there, the same question has no answer left', () => {
    const onBranch = new Map([['web', 't2']]);
    const [due] = dueRevisions(onBranch, new Map([['web', { revision: 'v1', tree: 't1' }]]));
    expect(due).toMatchObject({ kind: 'changed' });
    expect(dueRevisions(onBranch, new Map([['web', { revision: 'v2', tree: 't2' }]]))).toMatchObject([
      { kind: 'unchanged' },
    ]);
  });
});

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
