import { expect, test } from 'vitest';

import {
  isMergedByHand,
  pushersOf,
  unexplained,
  type BranchCommit,
  type Push,
} from '../../src/command/pushed-by.ts';

/** base ← one ← two ← three, each by its name's first letter in `commits`. */
const commit = (oid: string, parents: string[], kind: BranchCommit['kind'] = 'other'): BranchCommit => ({
  oid,
  parents,
  kind,
});
const LINE = [commit('three', ['two']), commit('two', ['one']), commit('one', ['base'])];

const push = (
  before: string | null,
  after: string | null,
  login: string | null,
  more: Partial<Push> & { readonly isBot?: boolean } = {},
): Push => ({
  before,
  after,
  forced: more.forced ?? false,
  at: more.at ?? '2026-11-20T10:00:00Z',
  actor: login === null ? null : { login, isBot: more.isBot ?? login.endsWith('[bot]') },
});

const told = (
  pushes: readonly Push[] | null,
  commits: readonly BranchCommit[] = LINE,
  {
    complete = true,
    inBase = ['base'],
    reachedProposalAt,
  }: {
    readonly complete?: boolean;
    readonly inBase?: readonly string[];
    readonly reachedProposalAt?: ReadonlyMap<string, string>;
  } = {},
): string[] => {
  const content = {
    commits,
    inBase: new Set(inBase),
    bot: 'portico[bot]',
    ...(reachedProposalAt && { reachedProposalAt }),
  };
  const found = pushersOf({ pushes, complete }, content);
  return [
    ...new Set([
      ...found.authors.map(({ login }) => login),
      ...found.unknown.map((why) => `?${why}`),
      ...unexplained(commits, found.explained).map(({ oid }) => `-${oid}`),
    ]),
  ];
};

test.each<[string, string[], string[]]>([
  ['nothing is shown', told(null), ['?not-told', '-three', '-two', '-one']],
  ['nothing was pushed', told([]), ['-three', '-two', '-one']],
  ['one push', told([push(null, 'three', 'bob')]), ['bob']],
  [
    'each push that is in the content, not the last alone',
    told([push(null, 'base', 'eve'), push('base', 'one', 'alice'), push('one', 'three', 'bob')]),
    ['alice', 'bob'],
  ],
  [
    'a push that is not shown leaves commits that nobody explains',
    told([push(null, 'one', 'alice'), push('two', 'three', 'bob')]),
    ['alice', 'bob', '-two'],
  ],
  [
    "a branch that only began at the base is nobody's work",
    told([push(null, 'base', 'eve'), push('base', 'three', 'bob')]),
    ['bob'],
  ],
  [
    'what was forced away since the base counts',
    told([push(null, 'gone', 'eve'), push('gone', 'three', 'bob', { forced: true })]),
    ['eve', 'bob'],
  ],
  [
    'not what was there before the branch stood at the base',
    told([
      push(null, 'gone', 'eve'),
      push('gone', 'base', 'bob', { forced: true }),
      push('base', 'three', 'bob'),
    ]),
    ['bob'],
  ],
  [
    'nor in an earlier life of its name',
    told([push(null, 'gone', 'eve'), push('gone', null, 'eve'), push(null, 'three', 'bob')]),
    ['bob'],
  ],
  [
    'unless its commits are in the content',
    told([push(null, 'two', 'eve'), push('two', null, 'eve'), push(null, 'three', 'bob')]),
    ['eve', 'bob'],
  ],
  [
    'who puts it back to an earlier commit rewrites it',
    told([push(null, 'four', 'alice'), push('four', 'three', 'eve', { forced: true })]),
    ['alice', 'eve'],
  ],
  ['an App', told([push(null, 'three', 'renovate[bot]')]), ['?app', '-three', '-two', '-one']],
  ['nobody', told([push(null, 'three', null)]), ['?app', '-three', '-two', '-one']],
  [
    'more than is read',
    told([push('older', 'three', 'bob')], LINE, { complete: false }),
    ['bob', '?too-many'],
  ],
  [
    "Portico's own commits need nobody who pushed them",
    told(
      [push(null, 'one', 'bob'), push('one', 'two', 'portico[bot]')],
      [commit('two', ['one'], 'ours'), commit('one', ['base'])],
    ),
    ['bob'],
  ],
  [
    "a commit that Portico pushed and did not make is nobody's",
    told(
      [push(null, 'one', 'bob'), push('one', 'two', 'portico[bot]')],
      [commit('two', ['one']), commit('one', ['base'])],
    ),
    ['bob', '-two'],
  ],
  [
    "a plain merge of the base is nobody's work",
    told(
      [push(null, 'one', 'bob'), push('one', 'two', 'carol')],
      [commit('two', ['one', 'base'], 'merge'), commit('one', ['base'])],
    ),
    ['bob'],
  ],
  [
    "who begins a branch at Portico's commit chose it",
    told([push(null, 'one', 'eve')], [commit('one', ['base'], 'ours')]),
    ['eve'],
  ],
])('%s', (_name, found, expected) => {
  expect(found).toEqual(expected);
});

const at = (second: number): string => `2026-11-20T10:00:0${second}Z`;

test('of another branch counts who pushed a commit there before', () => {
  const pushes = [
    push(null, 'one', 'eve', { at: at(1) }),
    push('one', 'two', 'dan', { at: at(3) }),
    push('two', 'elsewhere', 'zoe', { at: at(4), forced: true }),
  ];
  const reachedProposalAt = new Map([
    ['one', at(2)],
    ['two', at(2)],
    ['three', at(2)],
  ]);
  expect(told(pushes, LINE, { reachedProposalAt, inBase: [] })).toEqual(['eve', '-three', '-two']);
});

test.each<[string, boolean, BranchCommit[], string[], string[]]>([
  ['a side that no branch explains', true, [commit('m', ['one', 'theirs'])], ['one', 'm'], []],
  ['the same the other way round', true, [commit('m', ['theirs', 'one'])], ['one', 'm'], []],
  ['it alone, on the base', true, [commit('m', ['base', 'theirs'], 'merge')], ['m'], []],
  ['a side that another branch explains', false, [commit('m', ['one', 'theirs'])], ['one', 'theirs'], []],
  ['a pull request, by the forge', false, [commit('m', ['one', 'theirs'])], ['one'], ['m']],
  ['the base', false, [commit('m', ['one', 'base'])], [], []],
  ['a side, by Portico', false, [commit('m', ['one', 'theirs'], 'ours')], ['one'], []],
])('a person merged %s: one more approval is needed: %s (149)', (_what, expected, merge, stood, byForge) => {
  const commits = [...merge, commit('one', ['base']), commit('theirs', ['base'])];
  expect(isMergedByHand(commits, { stood: new Set(stood), byForge: new Set(byForge) })).toBe(expected);
});
