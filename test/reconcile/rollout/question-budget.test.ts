import { expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import type { WaveGate } from '../../../src/package/rollout/rollout.ts';
import type { CommitHealth } from '../../../src/reconcile/forge/checks.ts';
import type { Git } from '../../../src/reconcile/git-port.ts';
import { askHealth } from '../../../src/reconcile/rollout/health.ts';
import { createQuestionBudget, restAfter } from '../../../src/reconcile/rollout/question-budget.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const ALL = { about: 0, since: 0, isThorough: true };
const GATE = { statuses: ['flux'], deployments: [] } as unknown as WaveGate;
/** A branch of commits that all hold the package: `c0` was published, the tip is `c12`. */
const git = {
  fetch: async () => undefined,
  resolve: async (rev: string) => rev,
  isAncestor: async () => true,
  treeId: async () => 'tree',
  log: async () => Array.from({ length: 12 }, (_, at) => ({ oid: `c${12 - at}` })),
} as unknown as Git;

/** Asks the commits of a branch; which were asked. */
async function ask(states: Readonly<Record<string, string>>, asking = createQuestionBudget(ALL)) {
  const asked: string[] = [];
  const forge = {
    healthOf: async (sha: string): Promise<CommitHealth> => {
      asked.push(sha);
      const state = states[sha];
      const at = '2026-01-01T00:00:00Z';
      return { statuses: state === undefined ? [] : [{ context: 'flux', state, at }], deployments: [] };
    },
  };
  const place = { tip: 'c12', directory: repositoryDirectory('') };
  const health = await askHealth({ git, forge }, 'c0', { place, gate: GATE, asking });
  return { asked, state: health?.state };
}

function never(signal: AbortSignal): Promise<string> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

test('commits are asked about as far as the first with which all holds, and as many as allowed where none does', async () => {
  expect(await ask({ c0: 'success', c12: 'failure' })).toEqual({ asked: ['c0'], state: 'success' });
  expect(await ask({ c5: 'success' })).toEqual({ asked: ['c0', 'c4', 'c5'], state: 'success' });
  const none = await ask({ c12: 'pending' });
  expect(none).toMatchObject({ state: 'pending', asked: { length: 10 } });
});

test('a look that asked for much, or is refused for a while, leaves the rest for later', async () => {
  const asking = createQuestionBudget(ALL, { most: 2 });
  expect(asking.isOver()).toBe(false);
  for (const answer of ['a', 'b']) expect(await asking.ask(async () => answer)).toBe(answer);
  expect(asking.isOver()).toBe(true);
  expect(asking.left()).toBeUndefined();
  asking.leave();
  expect(asking.left()).toBe(0);

  const limited = createQuestionBudget(ALL);
  const limit = new PorticoError('RATE_LIMITED', 'wait', { blame: 'forge', retryAfter: 60 });
  expect(await limited.ask(() => Promise.reject(limit))).toBeUndefined();
  expect([limited.isOver(), limited.left()]).toEqual([true, 60]);
});

test('a look that waits long for an answer ends without it; what else fails, or who stops the work, is told', async () => {
  const asking = createQuestionBudget(ALL, { longestMs: 1 });
  expect(await asking.ask(never)).toBeUndefined();
  expect([asking.isOver(), asking.left()]).toEqual([true, 0]);
  await expect(createQuestionBudget(ALL).ask(() => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
  const stop = new AbortController();
  const asked = createQuestionBudget(ALL).ask(never, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});

test('a rollout rests after a look that took long, and has a fifth of the time of its slot at most', () => {
  expect(restAfter(900)).toBe(0);
  expect(restAfter(10_000)).toBe(40_000);
  expect(restAfter(1_000_000)).toBe(300_000);
});
