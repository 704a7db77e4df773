import { describe, expect, test } from 'vitest';

import type { RepositoryConfig } from '../../../src/config/repository-config.ts';
import type { Pull } from '../../../src/reconcile/forge/pulls.ts';
import { decideLook, planProposal, type ProposalFindings } from '../../../src/reconcile/proposal/decision.ts';
import type {
  ProposalSnapshot,
  SnapshotResult,
} from '../../../src/reconcile/repository/proposal-snapshot.ts';
import { config } from '../../command/command-state.ts';

const repository = { installationId: 7, id: 3, owner: 'acme', name: 'web' };
const NOW = Date.parse('2026-01-01T00:00:00Z');
const sha = (digit: string): string => digit.repeat(40);
const BOT = { name: 'portico[bot]', email: 'portico@example.com', date: '2026-01-01T00:00:00Z' };

const pull = (change: Partial<Pull> = {}): Pull => ({
  number: 4,
  nodeId: 'PR_4',
  state: 'open',
  draft: false,
  merged: false,
  mergedBy: null,
  mergeCommitSha: null,
  title: 'Next',
  body: '',
  author: 'alice',
  headRef: 'drafts/web/next',
  headSha: sha('a'),
  headRepositoryId: 3,
  baseRef: 'main',
  htmlUrl: 'https://forge.example/acme/web/pull/4',
  locked: false,
  labels: [],
  mergedAt: null,
  createdAt: '2026-01-01T00:00:00Z',
  ...change,
});

function snapshotOf(change: Partial<ProposalSnapshot> = {}): ProposalSnapshot {
  const head = { repository: 3, oid: sha('a'), tree: sha('e'), parents: [sha('b')], message: 'x' };
  return {
    facts: {
      id: 3,
      owner: 'acme',
      name: 'web',
      fullName: 'acme/web',
      defaultBranch: 'main',
      visibility: 'private',
      archived: false,
      htmlUrl: 'https://forge.example/acme/web',
      cloneUrl: 'https://forge.example/acme/web.git',
    },
    pull: pull(),
    config: config(),
    base: sha('b'),
    head: { ...head, author: BOT, committer: BOT },
    mergeBase: sha('b'),
    packages: [],
    otherFiles: [],
    writable: true,
    ...change,
  };
}

const none = (reason: Extract<SnapshotResult, { kind: 'none' }>['reason']): SnapshotResult => ({
  kind: 'none',
  reason,
});
const read = (change: Partial<ProposalSnapshot> = {}): SnapshotResult => ({
  kind: 'snapshot',
  snapshot: snapshotOf(change),
});

describe('what a look at a pull request does', () => {
  const target = { repository, number: 4 };
  test.each<[string, SnapshotResult, object, object]>([
    ['told of just now, and not shown', none('absent'), { at: NOW - 59_999 }, { do: 'wait' }],
    [
      'told of a minute ago, and not shown',
      none('absent'),
      { at: NOW - 60_000 },
      { do: 'nothing', reason: 'absent' },
    ],
    ['not shown, asked for by nobody', none('absent'), {}, { do: 'nothing', reason: 'absent' }],
    ['of an archived repository', none('archived'), { at: NOW }, { do: 'nothing', reason: 'archived' }],
    [
      'of a repository that is not registered',
      none('not-registered'),
      {},
      { do: 'nothing', reason: 'not-registered' },
    ],
    ['into another branch', none('other-branch'), { at: NOW }, { do: 'check-configuration' }],
    ['closed', read({ pull: pull({ state: 'closed' }) }), {}, { do: 'sum-up' }],
    ['closed, from a fork', read({ pull: pull({ state: 'closed' }), writable: false }), {}, { do: 'sum-up' }],
    ['open', read(), {}, { do: 'check' }],
    [
      'from a fork, in the lane of all',
      read({ writable: false }),
      {},
      {
        do: 'pass-on',
        job: { kind: 'stranger-proposal', key: 'proposal:3#4', data: { ...target, author: 'alice' } },
      },
    ],
    [
      'from a fork, a check of which is asked for again',
      read({ writable: false }),
      { again: { check: 'portico' } },
      { do: 'pass-on', job: { kind: 'stranger-proposal', key: 'proposal:3#4:again:portico' } },
    ],
    [
      'from a fork, in the lane of strangers',
      read({ writable: false }),
      { author: 'alice' },
      { do: 'check' },
    ],
  ])('one that is %s', (_what, loaded, change, expected) => {
    expect(decideLook(loaded, { ...target, ...change }, NOW)).toMatchObject(expected);
  });
});

const found = (
  snapshot: ProposalSnapshot = snapshotOf(),
  facts: Partial<ProposalFindings['facts']> = {},
): ProposalFindings => {
  const { config: inForce, head } = snapshot;
  const open = {
    conflicts: [],
    origins: new Map(),
    decided: new Map(),
    listed: 0,
    lost: false as const,
    notes: { listed: [], more: 0 },
  };
  return {
    snapshot,
    changes: [],
    fold: null,
    pushed: null,
    open,
    approvals: {
      counted: [],
      notCounted: [],
      changesRequested: [],
      required: 1,
      needed: 1,
      authors: [],
      unknownAuthors: [],
    },
    facts: {
      config: inForce,
      headSha: head.oid,
      digest: `sha256:${'d'.repeat(64)}`,
      mergeBase: snapshot.mergeBase,
      rendered: [],
      removed: [],
      usedBy: [],
      leftBehind: [],
      commit: { state: 'rendered', head, pushed: false },
      kptfiles: new Map(),
      conflicts: [],
      lost: false,
      behind: { packages: [], reason: '' },
      approval: { state: { kind: 'given', sentence: 'Approved.', notes: [] } },
      ...facts,
    },
  };
};

const updates = (automerge: 'none' | 'patch'): RepositoryConfig =>
  config({ updates: { ...config().updates, automerge } });

describe('what follows from what was found', () => {
  const target = { repository, number: 4, at: NOW };
  const update = pull({ headRef: 'portico/update/web/0123456789' });

  test('all checks are of the head, the aggregate is last, and the comment says what they say', () => {
    const { checks, jobs, summary } = planProposal(found(), target);
    expect(checks.map(({ headSha }) => headSha)).toEqual(checks.map(() => sha('a')));
    expect(checks.at(-1)).toMatchObject({ name: 'portico', conclusion: 'success' });
    expect(checks.some(({ notBefore }) => notBefore !== undefined)).toBe(false);
    expect(jobs).toEqual([]);
    expect(summary).toContain('### Proposal');
  });

  test('a branch that lacks what the base changed fails, and the aggregate with it', () => {
    const behind = { packages: ['web'], reason: 'It could not be brought.' };
    const { checks } = planProposal(found(snapshotOf(), { behind }), target);
    const failing = checks.filter(({ conclusion }) => conclusion === 'failure');
    expect(failing.map(({ name }) => name)).toEqual(['portico/conflicts', 'portico']);
  });

  test('of an update that is folded, what is green is written only where the commit has it', () => {
    const fold = { required: new Set(['portico', 'portico/render']), asksApproval: false };
    const { checks } = planProposal({ ...found(), fold }, target);
    const written = checks.filter(({ onlyIfThere }) => onlyIfThere !== true).map(({ name }) => name);
    expect(written).toEqual(['portico/render', 'portico']);
    const behind = { packages: ['web'], reason: '' };
    const red = planProposal({ ...found(snapshotOf(), { behind }), fold }, target);
    expect(red.checks.filter(({ onlyIfThere }) => onlyIfThere === true)).toEqual([]);
  });

  test.each([
    ['all', {}, (names: readonly string[]) => names],
    ['one by its name', { check: 'portico/render' }, () => ['portico/render']],
  ])('checks that are asked for again are made anew: %s', (_which, again, expected) => {
    const { checks } = planProposal(found(), { ...target, again });
    const anew = checks.filter(({ notBefore }) => notBefore === '2026-01-01T00:00:00.000Z');
    expect(anew.map(({ name }) => name)).toEqual(expected(checks.map(({ name }) => name)));
  });

  test.each<[string, ProposalSnapshot, Partial<ProposalFindings['facts']>, readonly string[]]>([
    [
      'a green update that may merge itself',
      snapshotOf({ pull: update, config: updates('patch') }),
      {},
      ['variant:3:on:portico/update/web/0123456789'],
    ],
    ['where updates do not merge themselves', snapshotOf({ pull: update, config: updates('none') }), {}, []],
    ['that people proposed', snapshotOf({ config: updates('patch') }), {}, []],
    [
      'that is not green',
      snapshotOf({ pull: update, config: updates('patch') }),
      { behind: { packages: ['web'], reason: '' } },
      [],
    ],
  ])('an update is looked at again to be merged: %s', (_what, snapshot, facts, keys) => {
    const { jobs } = planProposal(found(snapshot, facts), target);
    expect(jobs.map(({ key }) => key)).toEqual(keys);
  });
});
