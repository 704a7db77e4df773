import { describe, expect, test } from 'vitest';

import type { ApprovalCount } from '../../src/command/approval-count.ts';
import { approvalState } from '../../src/command/approval-state.ts';
import type { Grant } from '../../src/config/repository-config.ts';
import { config } from './command-state.ts';

const count = (change: Partial<ApprovalCount> = {}): ApprovalCount => ({
  counted: [],
  notCounted: [],
  changesRequested: [],
  required: 1,
  needed: 1,
  authors: [{ login: 'alice', because: 'opened' }],
  unknownAuthors: [],
  ...change,
});
const approvers = (...grants: Grant[]): ReturnType<typeof config> =>
  config({ access: new Map([['approve', grants]]) });
const bob = { login: 'bob', how: 'review' } as const;

describe('what is missing, and who may give it', () => {
  test.each<[string, Partial<ApprovalCount>, string, string]>([
    ['nothing given', {}, 'missing', 'Needs 1 approval: anyone with write access except alice.'],
    [
      'one of two',
      { needed: 2, required: 2, counted: [bob] },
      'missing',
      'Needs 1 more approval (given by bob): anyone with write access except alice.',
    ],
    [
      'several authors',
      {
        needed: 2,
        authors: [
          { login: 'alice', because: 'opened' },
          { login: 'carol', because: 'pushed' },
        ],
      },
      'missing',
      'Needs 2 approvals: anyone with write access except alice and carol.',
    ],
    [
      'an App opened it',
      { authors: [{ login: 'portico[bot]', because: 'opened' }] },
      'missing',
      'Needs 1 approval: anyone with write access.',
    ],
    ['given', { counted: [bob] }, 'given', 'Approved for this content by bob.'],
    ['none asked for', { required: 0, needed: 0 }, 'not-asked', 'No approval is required.'],
    [
      'somebody against it, though enough approve',
      { counted: [bob], changesRequested: ['dora'] },
      'missing',
      'dora requested changes: dora must review again, or someone must dismiss that review.',
    ],
    [
      'an owner of a file has yet to',
      { counted: [bob], ownersMissing: [{ path: 'web/Kptfile', owners: ['@zoe', '@acme/web'] }] },
      'missing',
      'Needs approval from a code owner of web/Kptfile: zoe or acme/web.',
    ],
    [
      'an owner of a file may be in a team that was not asked about',
      { counted: [bob], ownersMissing: [{ path: 'web/Kptfile', owners: ['@acme/web'], notAsked: true }] },
      'missing',
      'Needs approval from a code owner of web/Kptfile: acme/web. There are too many teams to look up every approver in each of them: name fewer teams in CODEOWNERS.',
    ],
  ])('%s', (_name, change, kind, sentence) => {
    expect(approvalState(config(), count(change))).toMatchObject({ kind, sentence });
  });

  test.each<[string, Grant[], string]>([
    [
      'a team or a role',
      [
        { kind: 'team', team: 'acme/platform' },
        { kind: 'role', role: 'maintain' },
      ],
      'members of acme/platform or anyone with maintain access except alice',
    ],
    [
      'people, the author among them',
      [
        { kind: 'person', login: 'Alice' },
        { kind: 'person', login: 'bob' },
      ],
      'bob',
    ],
    [
      'the author alone',
      [{ kind: 'person', login: 'alice' }],
      'everyone who may approve here is an author of it',
    ],
    ['nobody', [], 'no one may approve here'],
  ])('by %s', (_name, grants, who) => {
    expect(approvalState(approvers(...grants), count()).sentence).toBe(`Needs 1 approval: ${who}.`);
  });

  test('approvals that do not count, other authors and unknown ones are told beside it', () => {
    const { notes } = approvalState(
      config(),
      count({
        notCounted: [{ login: 'bob', reason: 'other-content' }],
        authors: [
          { login: 'alice', because: 'opened' },
          { login: 'carol', because: 'pushed' },
        ],
        unknownAuthors: ['fork', 'app'],
        needed: 2,
      }),
    );
    expect(notes).toEqual([
      'The approval of bob does not count: it was given for other content.',
      'carol pushed to its branch and is an author of it.',
      'One more than usual is required, because Portico cannot see who pushed to the fork that it comes from, and an App, a workflow or a key pushed part of it, and Portico cannot tell for whom.',
    ]);
  });
});

describe('what has to be done', () => {
  const alice: Grant = { kind: 'person', login: 'alice' };

  test.each([
    ['anyone with a role', config(), count(), 'Someone must approve, with a review or `/portico approve`.'],
    [
      'someone else who is named',
      approvers(alice, { kind: 'person', login: 'bob' }),
      count(),
      'Someone must',
    ],
    ['only an author is named', approvers(alice), count(), 'No one is left who can approve it. Name another'],
    ['no one is named', approvers(), count(), 'No one is left who can approve it. Name another'],
    [
      'every code owner is an author',
      config(),
      count({ counted: [bob], ownersMissing: [{ path: 'web', owners: ['@Alice'] }] }),
      'Every code owner is an author of it, so none of them can approve it. Add another owner to CODEOWNERS',
    ],
    [
      'a team owns it, too',
      config(),
      count({ counted: [bob], ownersMissing: [{ path: 'web', owners: ['@alice', '@acme/web'] }] }),
      'A code owner must approve',
    ],
  ])('%s', (_what, settings, given, wanted) => {
    expect(approvalState(settings, given).remedy).toContain(wanted);
  });
});
