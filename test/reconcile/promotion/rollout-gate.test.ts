import { expect, test } from 'vitest';

import { createMemories } from '../../../src/reconcile/memories.ts';
import type { Ports } from '../../../src/reconcile/ports.ts';
import { rolloutGate } from '../../../src/reconcile/promotion/rollout-gate.ts';
import { bareRepository } from '../../catalog/bare-repository.ts';

/** A fleet of so many downstreams, all healthy but those that are named; `asked` are those that the forge was asked about. */
function fleet(count: number, sick: readonly string[] = []) {
  const asked: string[] = [];
  let now = 0;
  const ports = {
    memories: createMemories(),
    now: () => new Date(now),
    open: async ({ name }: { readonly name: string }) => ({
      git: { fetch: async () => null, resolve: async () => 'head', log: async () => [] },
      forge: {
        healthOf: async () => {
          asked.push(name);
          const state = sick.includes(name) ? 'failure' : 'success';
          return { statuses: [{ context: 'flux', state, at: '' }], deployments: [] };
        },
      },
    }),
  } as never as Pick<Ports, 'open' | 'memories' | 'now'>;
  const followers = (commit: string) =>
    Array.from({ length: count }, (_one, at) => ({
      name: `acme/r${at}:app`,
      repository: bareRepository(at, `acme/r${at}`, { branch: 'main', commit }),
      path: 'app',
    }));
  return {
    asked,
    wait: (ms: number) => void (now += ms),
    look: (commit = 'a', percent?: number) =>
      rolloutGate(ports, { followers: followers(commit), percent }, new Map()),
  };
}

test('a channel with more downstreams than one look asks passes after several', async () => {
  const { look, asked } = fleet(120);
  expect(await look()).toEqual([
    'waiting',
    '50 of 120 downstreams that have it are healthy; 70 are asked in the next looks, 50 in each',
    new Date(60_000),
  ]);
  expect((await look())[0]).toBe('waiting');
  expect(await look()).toEqual(['passed', '120 of 120 downstreams that have it are healthy']);
  // All of them once, and those that were asked longest ago twice.
  expect(new Set(asked).size).toBe(120);
  expect(asked).toHaveLength(150);
});

test('as many as one look asks are asked in each: who has failed since does not count as healthy', async () => {
  const sick: string[] = [];
  const { look, asked } = fleet(3, sick);
  expect((await look())[0]).toBe('passed');
  sick.push('r1');
  expect((await look())[0]).toBe('failing');
  expect(asked).toHaveLength(6);
});

test('what was healthy longer ago than a round takes does not count', async () => {
  const { look, wait } = fleet(60);
  await look();
  wait(6 * 60_000);
  expect((await look())[0]).toBe('waiting');
  expect((await look())[0]).toBe('passed');
});

test.each([
  [10, 1, 90, 'passed', '9 of 10 downstreams that have it are healthy, 9 are needed'],
  [
    10,
    2,
    90,
    'failing',
    '8 of 10 downstreams that have it are healthy, 9 are needed; it fails in acme/r0:app, acme/r1:app',
  ],
  [10, 1, 100, 'failing', '9 of 10 downstreams that have it are healthy; it fails in acme/r0:app'],
  // Rounded up: of one, one.
  [1, 1, 1, 'failing', '0 of 1 downstream that have it are healthy, 1 are needed; it fails in acme/r0:app'],
  [0, 0, 50, 'waiting', 'no downstream of its source channel has it yet'],
  // As soon as enough are known to be, whoever was not asked.
  [60, 2, 80, 'passed', '48 of 60 downstreams that have it are healthy, 48 are needed'],
])(
  'of %i downstreams of which %i fail, %i %% have to be healthy: %s',
  async (count, ill, percent, ...answer) => {
    const sick = Array.from({ length: ill }, (_, at) => `r${at}`);
    expect(await fleet(count, sick).look('a', percent)).toEqual(answer);
  },
);

test('one that fails is found in whichever look it is asked', async () => {
  const { look } = fleet(120, ['r110']);
  await look();
  await look();
  expect((await look())[0]).toBe('failing');
});
