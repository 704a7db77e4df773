import { expect, test } from 'vitest';

import { NO_ORDERS, planRollout, type RolloutDownstream } from '../../../src/package/rollout/plan.ts';
import type { Wave } from '../../../src/package/rollout/rollout.ts';
import { waveTimings } from '../../../src/package/rollout/timing.ts';

const HOUR = 3_600_000;
const wave = (name: string, gate: Partial<Wave['gate']>, pauseHours = 0): Wave => ({
  name,
  select: { packages: [name] },
  gate: {
    published: { kind: 'percent', percent: 100 },
    statuses: [],
    deployments: [],
    onFailure: 'stop',
    ...gate,
  },
  pauseAfter: pauseHours * 3_600,
});
const WAVES = [
  wave('canary', { timeout: 48 * 3_600 }, 12),
  wave('some', { manual: true, timeout: 3_600 }, 24),
  wave('empty', {}, 100),
  wave('all', {}),
];
const at = (name: string, publishedAt?: number): RolloutDownstream => ({
  id: name,
  name,
  standing: publishedAt === undefined ? 'waiting' : 'published',
  ...(publishedAt !== undefined && { publishedAt }),
});

const selects = ({ packages = [] }: Wave['select'], { name }: RolloutDownstream): boolean =>
  packages.includes(name);

function timings(downstreams: readonly RolloutDownstream[], hours: number, orders = NO_ORDERS) {
  const now = hours * HOUR;
  const plan = planRollout({ rollout: { waves: WAVES }, downstreams, selects, since: 0, orders, now });
  return waveTimings(plan, WAVES, { now, resumedAt: orders.resumedAt }).map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, moment]) => [name, moment / HOUR])),
  );
}

test('waves that are to come open after the pauses of those before, at the earliest', () => {
  const waiting = ['canary', 'some', 'all'].map((name) => at(name));
  expect(timings(waiting, 2)).toEqual([
    { opensAt: 0, failsAt: 48 },
    { notBefore: 14 },
    // An empty wave takes no time.
    { notBefore: 38 },
    { notBefore: 38 },
  ]);
  const resumed = { ...NO_ORDERS, resumedAt: HOUR };
  expect(timings(waiting, 2, resumed)[0]).toEqual({ opensAt: 0, failsAt: 49 });
});

test('what is certain is told as such: the end of a pause', () => {
  const published = [at('canary', 3 * HOUR), at('some'), at('all')];
  expect(timings(published, 4)).toEqual([
    { opensAt: 0 },
    { opensAt: 15 },
    { notBefore: 39 },
    { notBefore: 39 },
  ]);
});

test('an approval that is waited for has no timeout, and may come at any moment', () => {
  const published = [at('canary', 0), at('some', 13 * HOUR), at('all')];
  expect(timings(published, 20)).toEqual([
    { opensAt: 0 },
    { opensAt: 12 },
    { notBefore: 44 },
    { notBefore: 44 },
  ]);
});

test('of waves behind one that is paused or failed, and of a rollout that is halted, nothing is told', () => {
  const waiting = ['canary', 'some', 'all'].map((name) => at(name));
  const paused = { ...NO_ORDERS, paused: new Map([['canary', 'bob']]) };
  expect(timings(waiting, 2, paused)).toEqual([{ opensAt: 0 }, {}, {}, {}]);
  expect(timings(waiting, 50)).toEqual([{ opensAt: 0 }, {}, {}, {}]);
  expect(timings(waiting, 2, { ...NO_ORDERS, stopped: 'bob' })).toEqual([{ opensAt: 0 }, {}, {}, {}]);
});
