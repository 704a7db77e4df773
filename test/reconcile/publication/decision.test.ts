import { describe, expect, test } from 'vitest';

import type { RejectedRef } from '../../../src/reconcile/git-port.ts';
import {
  claimOf,
  reportOf,
  reportedAsUnapproved,
  type PublicationRound,
} from '../../../src/reconcile/publication/decision.ts';

const repository = { installationId: 7, id: 3, owner: 'acme', name: 'web' };
const HEAD = 'a'.repeat(40);
const BOT = { name: 'alice', email: 'alice@example.com', date: '2026-01-01T00:00:00Z' };
const commit = {
  repository: 3,
  oid: 'b'.repeat(40),
  tree: 'e'.repeat(40),
  parents: [],
  message: 'x',
  author: BOT,
  committer: BOT,
};

const round = (change: Partial<PublicationRound> = {}): PublicationRound => ({
  flagged: new Map(),
  refused: new Map(),
  unapproved: new Map(),
  isPublished: false,
  ...change,
});

const told = (change: Partial<PublicationRound>) => {
  const { check, looks, takesBack, followers } = reportOf(repository, HEAD, round(change));
  return {
    check: check?.conclusion,
    takesBack: takesBack?.conclusion,
    jobs: [...looks, ...followers].map(({ key }) => key),
  };
};

const rejected = (reason: RejectedRef['reason']): RejectedRef => ({
  ref: 'refs/tags/web/v1',
  reason,
  message: 'no',
});

describe('what is told of a look at a branch', () => {
  test.each<[string, Partial<PublicationRound>, ReturnType<typeof told>]>([
    ['nothing new', {}, { check: undefined, takesBack: undefined, jobs: [] }],
    [
      'a revision takes back what was flagged before',
      { isPublished: true },
      { check: undefined, takesBack: 'success', jobs: ['repository:3'] },
    ],
    [
      'a push that nobody approved',
      { flagged: new Map([['web', { commit, pull: null }]]) },
      { check: 'neutral', takesBack: undefined, jobs: [] },
    ],
    [
      'a merge of two packages without approval, whose proposal is told once',
      {
        flagged: new Map([
          ['db', { commit, pull: 4 }],
          ['web', { commit, pull: 4 }],
        ]),
      },
      { check: 'neutral', takesBack: undefined, jobs: ['proposal:3#4'] },
    ],
    [
      'one package that failed beside one that was published',
      { refused: new Map([['db', 'No.']]), isPublished: true },
      { check: 'failure', takesBack: undefined, jobs: ['repository:3'] },
    ],
    [
      'a revision without approval',
      { unapproved: new Map([['web', 'v2']]), isPublished: true },
      { check: 'neutral', takesBack: undefined, jobs: ['repository:3'] },
    ],
  ])('%s', (_what, change, expected) => {
    expect(told(change)).toEqual(expected);
  });

  test('the check is of the head', () => {
    expect(reportOf(repository, HEAD, round({ refused: new Map([['db', 'No.']]) })).check).toMatchObject({
      name: 'portico/publication',
      headSha: HEAD,
      title: 'Not published: db',
    });
  });
});

test.each([
  ['approved', {}, HEAD, 'nowhere'],
  ['of another', null, HEAD, 'nowhere'],
  ['without approval at the head', { unapproved: true as const }, HEAD, 'at-head'],
  ['without approval at a commit before', { unapproved: true as const }, commit.oid, 'at-commit'],
])('a tag %s is told of %s', (_what, said, at, expected) => {
  expect(reportedAsUnapproved(said, at, HEAD)).toBe(expected);
});

describe('the answer to the push of a tag', () => {
  test.each<[string, readonly RejectedRef['reason'][], string]>([
    ['somebody else has the number', ['exists'], 'overtaken'],
    ['somebody else was faster with the ledger', ['stale', 'exists'], 'overtaken'],
    ['the workflow files of the commit are on no branch', ['exists', 'workflows'], 'elsewhere'],
    ['a rule forbids it', ['stale', 'protected'], 'refused'],
  ])('%s', (_what, reasons, kind) => {
    expect(claimOf({ ok: false, rejected: reasons.map(rejected) })).toMatchObject({ kind });
  });

  test('it is there', () => expect(claimOf({ ok: true })).toEqual({ kind: 'published' }));
});
