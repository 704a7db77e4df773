import { expect, test } from 'vitest';

import type { CheckSuite, CheckRun } from '../../../src/reconcile/forge/checks.ts';
import type { RepositoryAccess } from '../../../src/reconcile/ports.ts';
import {
  AWAITED_SECONDS,
  countingChecks,
  judgeHead,
  judgeNames,
} from '../../../src/reconcile/update/automerge-checks.ts';
import { lookAtChecks } from '../../../src/reconcile/update/automerge-look.ts';

const NOTHING = { runs: [], statuses: [], suites: [] };
const OLD = { age: 90, settle: 60 };
const run = (name: string, status: string, conclusion: string | null = null) => ({
  name,
  status,
  conclusion,
});

test.each([
  ['nothing, and CI had the time to begin', NOTHING, OLD, 'green'],
  ['nothing yet', NOTHING, { age: 10, settle: 60 }, 'wait: the time in which CI starts, 50 s'],
  ['a run goes on', { ...NOTHING, runs: [run('test', 'in_progress')] }, OLD, 'wait: test'],
  ['a run waits for a person', { ...NOTHING, runs: [run('test', 'waiting')] }, OLD, 'wait: test'],
  [
    'one is red, and another goes on',
    { ...NOTHING, runs: [run('slow', 'queued'), run('test', 'completed', 'timed_out')] },
    OLD,
    'red: test',
  ],
  [
    'all are fine',
    { ...NOTHING, runs: [run('a', 'completed', 'success'), run('b', 'completed', 'skipped')] },
    OLD,
    'green',
  ],
  [
    'a status is pending',
    { ...NOTHING, statuses: [{ context: 'ci/x', state: 'pending' }] },
    OLD,
    'wait: ci/x',
  ],
  ['a status is an error', { ...NOTHING, statuses: [{ context: 'ci/x', state: 'error' }] }, OLD, 'red: ci/x'],
  [
    'a suite goes on',
    { ...NOTHING, suites: [{ status: 'queued', runs: 1 }] },
    OLD,
    'wait: a running check suite',
  ],
  [
    'a suite of an App that never reports',
    { ...NOTHING, suites: [{ status: 'queued', runs: 0 }] },
    OLD,
    'green',
  ],
  ['a finished suite', { ...NOTHING, suites: [{ status: 'completed', runs: 1 }] }, OLD, 'green'],
])('at the head: %s', (_, others, times, expected) => {
  const verdict = judgeHead(others, times);
  const seconds = 'seconds' in verdict ? `, ${verdict.seconds} s` : '';
  expect(`${verdict.kind}${'what' in verdict ? `: ${verdict.what}` : ''}${seconds}`).toBe(expected);
});

test('names on the base are awaited, for a while; what Flux and Argo CD say of it is not', () => {
  const head = { ...NOTHING, runs: [run('test', 'completed', 'success')] };
  expect(judgeNames(head, { runs: ['test'], statuses: [] }, 0)).toEqual({ kind: 'green' });
  expect(judgeNames(head, { runs: ['test', 'lint'], statuses: [] }, 60)).toEqual({
    kind: 'wait',
    what: 'lint',
    seconds: AWAITED_SECONDS - 60,
  });
  expect(judgeNames(head, { runs: ['lint'], statuses: [] }, AWAITED_SECONDS)).toEqual({ kind: 'green' });
  // A status of the name is not the run that the base has, nor the other way round.
  expect(judgeNames(head, { runs: [], statuses: ['test'] }, 0)).toMatchObject({ kind: 'wait', what: 'test' });
  const reported = ['kustomization/apps/0c9c2e41', 'helmrelease/web/0c9c2e41', 'continuous-delivery/web'];
  expect(judgeNames(NOTHING, { runs: [], statuses: reported }, 0)).toEqual({ kind: 'green' });
});

test.each([
  ['past', '2020-01-01T00:00:00Z'],
  ['future', '2099-01-01T00:00:00Z'],
])(
  'what its commit says of its time, in the %s, makes an update wait neither less nor more',
  async (_, date) => {
    const ports = { app: { id: 1 }, now: () => new Date('2026-05-01T12:00:35Z'), settleSeconds: 60 };
    const forge = {
      combinedStatus: () => Promise.resolve({ statuses: [] }),
      checkSuites: () => Promise.resolve([]),
    };
    const git = { commit: () => Promise.resolve({ committer: { date } }), log: () => Promise.resolve([]) };
    const pull = { headSha: 'a', headRef: 'update', baseRef: 'main', createdAt: '2026-01-01T00:00:00Z' };
    const times = ['2026-05-01T12:00:40Z', '2026-05-01T12:00:30Z'];
    const runs = times.map((startedAt) => ({ appId: 1, name: 'portico', startedAt }));
    const verdict = await lookAtChecks({
      ports: ports as unknown as Parameters<typeof lookAtChecks>[0]['ports'],
      access: { forge, git } as unknown as RepositoryAccess,
      pull,
      base: 'b',
      runs: runs as unknown as readonly CheckRun[],
    });
    expect(verdict).toMatchObject({ kind: 'wait', seconds: 55 });
  },
);

function suite(id: number, branch: string | null, ofActions = true): CheckSuite {
  return { id, appId: ofActions ? 15_368 : 7, ofActions, branch, status: 'completed', runs: 1 };
}

test('what runs for a proposal of the same commit from elsewhere counts only where a rule asks for its name', () => {
  const suites = [suite(1, 'update'), suite(2, 'patch-1'), suite(3, null), suite(4, 'patch-1', false)];
  const runs = [1, 2, 3, 4, null].map((suiteId) => ({ name: `of ${suiteId}`, suiteId }));
  const counted = countingChecks({ runs, suites }, 'update', []);
  expect(counted.runs.map(({ name }) => name)).toEqual(['of 1', 'of 3', 'of 4', 'of null']);
  expect(counted.suites.map(({ id }) => id)).toEqual([1, 3, 4]);
  expect(countingChecks({ runs, suites }, 'update', ['of 2']).runs).toHaveLength(5);
});
