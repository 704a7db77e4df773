import { expect, test } from 'vitest';

import type { Job } from '../../../src/reconcile/job.ts';
import type { Ports } from '../../../src/reconcile/ports.ts';
import { sweepPace } from '../../../src/reconcile/sweep/sweep-pace.ts';
import { createSweep } from '../../../src/reconcile/sweep/sweep.ts';

test.each([
  [1, { minutes: 15, perMinute: 50 }],
  [200, { minutes: 15, perMinute: 50 }],
  [1_000, { minutes: 116, perMinute: 50 }],
  [10_000, { minutes: 1_152, perMinute: 50 }],
])('%d repositories: no more than half of the limit of an hour', (repositories, pace) => {
  expect(sweepPace(repositories, 15)).toEqual({ ...pace, perMinute: expect.any(Number) });
  expect(sweepPace(repositories, 15).perMinute).toBeGreaterThanOrEqual(pace.perMinute);
  const hourly = Math.min(12_500, 5_000 + 50 * Math.max(0, repositories - 20));
  const perHour = repositories / Math.max(1, pace.minutes / 60);
  expect(perHour * 12).toBeLessThanOrEqual(hourly / 2 + 1);
});

test('a wish for fewer rounds is obeyed', () => {
  expect(sweepPace(10, 240).minutes).toBe(240);
});

test('a large installation is swept minute by minute, and no round begins while one goes on (15)', async () => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const jobs: Job[] = [];
  const refs = [
    ...Array.from({ length: 1_000 }, (_, id) => ({ installationId: 1, id, owner: 'acme', name: `r${id}` })),
    { installationId: 2, id: 5_000, owner: 'small', name: 'one' },
  ];
  const world: unknown = {
    now: () => new Date(time),
    repositories: async () => refs,
    catalog: { all: () => [], expect: () => undefined },
    pruneMirrors: async () => undefined,
    failedDeliveries: async () => [],
    enqueue: async (some: readonly Job[]) => void jobs.push(...some),
  };
  const sweep = createSweep(world as Ports);
  await sweep();
  expect(jobs).toHaveLength(1_001);
  const delays = jobs.map(({ startAfterSeconds = 0 }) => startAfterSeconds);
  expect(Math.max(...delays)).toBe(19 * 60);
  expect(delays.filter((delay) => delay === 0)).toHaveLength(51);
  time += 15 * 60_000;
  await sweep();
  expect(jobs.slice(1_001).map(({ key }) => key)).toEqual(['sweep:5000']);
  // Nothing else goes on until the index knows what was added meanwhile.
  refs.push({ installationId: 1, id: 6_000, owner: 'acme', name: 'added' });
  await sweep();
  await sweep();
  const added = jobs.splice(1_002).map(({ key }) => key);
  expect(added.toSorted()).toEqual(['sweep:5000', 'sweep:5000', 'sweep:6000']);
  time += 101 * 60_000;
  await sweep();
  expect(jobs).toHaveLength(1_001 + 1 + 1_002);
});
