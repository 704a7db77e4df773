import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { assignWaves, REST } from '../../../src/package/rollout/assign.ts';
import {
  NO_ORDERS,
  gateKey,
  planRollout,
  verdictOn,
  type RolloutDownstream,
  type RolloutInput,
  type RolloutOrders,
} from '../../../src/package/rollout/plan.ts';
import type { Share, Wave, WaveGate } from '../../../src/package/rollout/rollout.ts';

const ALL: Share = { kind: 'percent', percent: 100 };
const GATE: WaveGate = { published: ALL, statuses: [], deployments: [], onFailure: 'stop' };

function wave(name: string, more: Partial<Wave> = {}): Wave {
  return { name, select: {}, gate: GATE, pauseAfter: 0, ...more };
}

interface Down extends RolloutDownstream {
  readonly group: string;
}

function down(name: string, more: Partial<Down> = {}): Down {
  return { id: name, name, group: 'a', standing: 'waiting', ...more };
}

const selects: RolloutInput<Down>['selects'] = ({ topics }, { group }) =>
  topics === undefined || topics.includes(group);

function input(
  waves: Wave[],
  downstreams: Down[],
  more: Partial<RolloutInput<Down>> = {},
): RolloutInput<Down> {
  return { rollout: { waves }, downstreams, selects, since: 0, orders: NO_ORDERS, now: 1_000, ...more };
}

const states = (one: RolloutInput<Down>): string[] =>
  planRollout(one).waves.map(({ name, state }) => `${name} ${state}`);

const canary = wave('canary', { select: { topics: ['c'] } });
const some = wave('some', { size: { kind: 'percent', percent: 50 } });
const published = (name: string, more: Partial<Down> = {}): Down =>
  down(name, { standing: 'published', publishedAt: 500, ...more });

describe('waves', () => {
  test('open one after the other, as those before have published', () => {
    const waves = [canary, some, wave('all')];
    const rest = [down('1'), down('2'), down('3')];
    expect(states(input(waves, [down('x', { group: 'c' }), ...rest]))).toEqual([
      'canary open',
      'some waiting',
      'all waiting',
    ]);
    const after = input(waves, [published('x', { group: 'c' }), ...rest]);
    expect(states(after)).toEqual(['canary passed', 'some open', 'all waiting']);
    const plan = planRollout(after);
    expect(['1', '2', '3', 'unknown'].map((id) => verdictOn(plan, id))).toEqual([
      'may-open',
      'may-open',
      'wave-waiting',
      'wave-waiting',
    ]);
    expect(plan.waves[1]?.why).toBe('0 of 2 have published it.');
  });

  test('pause after their gate holds, from the moment at which it held', () => {
    const waves = [wave('first', { size: { kind: 'count', count: 1 }, pauseAfter: 10 }), wave('all')];
    const plan = planRollout(input(waves, [published('1'), down('2')]));
    expect(plan.waves.map(({ state }) => state)).toEqual(['pausing', 'waiting']);
    expect(plan.next).toBe(10_500);
    expect(states(input(waves, [published('1'), down('2')], { now: 10_500 }))).toEqual([
      'first passed',
      'all open',
    ]);
  });

  test('wait for health where it is asked for, and stop or go back where it fails', () => {
    const gate = { ...GATE, statuses: ['*'] };
    const of = (health: Down['health'], onFailure: 'stop' | 'rollback' = 'stop', orders = NO_ORDERS) =>
      planRollout(
        input(
          [wave('first', { size: { kind: 'count', count: 1 }, gate: { ...gate, onFailure } }), wave('all')],
          [published('1', health && { health }), down('2')],
          { orders },
        ),
      );
    expect(of(undefined).waves[0]).toMatchObject({ state: 'open', why: '0 of 1 are healthy.' });
    expect(of({ state: 'pending', at: 600, what: 'ci' }).waves[0]?.state).toBe('open');
    expect(of({ state: 'success', at: 600, what: '' }).waves[1]).toMatchObject({
      state: 'open',
      opensAt: 600,
    });
    const sick = { state: 'failure', at: 600, what: 'status ci' } as const;
    expect(of(sick)).toMatchObject({
      state: 'stopped',
      why: 'Wave first failed: 1 is not healthy: status ci failed.',
    });
    expect(verdictOn(of(sick), '2')).toBe('wave-stopped');
    expect(verdictOn(of(sick, 'rollback'), '1')).toBe('wave-rolled-back');
    expect(of(sick, 'stop', { ...NO_ORDERS, resumedAt: 700 }).state).toBe('running');
    expect(of(sick, 'stop', { ...NO_ORDERS, skipped: new Map([['first', 800]]) }).waves[1]?.opensAt).toBe(
      800,
    );
    // What came to its end stays so: nobody asks for health any more, and whoever joins later gets it at once.
    for (const health of [sick, undefined]) {
      const ended = of(health, 'rollback', { ...NO_ORDERS, done: true });
      expect(ended).toMatchObject({
        state: 'done',
        waves: [{ state: 'passed', through: 1 }, { state: 'passed' }],
      });
      expect(verdictOn(ended, '2')).toBe('may-open');
    }
  });

  test('time out', () => {
    const gate = { ...GATE, timeout: 5 };
    const waves = [wave('first', { size: { kind: 'count', count: 1 }, gate }), wave('all')];
    const plan = planRollout(input(waves, [down('1'), down('2')]));
    expect(plan).toMatchObject({ state: 'running', next: 5_000 });
    expect(planRollout(input(waves, [down('1'), down('2')], { now: 5_000 })).state).toBe('stopped');
    const partial = { ...input(waves, [down('1'), down('2')], { now: 5_000 }), partial: true };
    expect(planRollout(partial).state).toBe('running');
    const orders: RolloutOrders = { ...NO_ORDERS, resumedAt: 4_000 };
    expect(planRollout(input(waves, [down('1'), down('2')], { now: 5_000, orders }))).toMatchObject({
      state: 'running',
      next: 9_000,
    });
  });

  test('count nobody who is out; what everybody refused proves nothing', () => {
    const waves = [canary, wave('all')];
    const others = [down('1')];
    expect(states(input(waves, [down('x', { group: 'c', standing: 'out' }), ...others]))[0]).toBe(
      'canary passed',
    );
    expect(states(input(waves, [down('x', { group: 'c', standing: 'refused' }), ...others]))[0]).toBe(
      'canary open',
    );
    expect(states(input(waves, others))[0]).toBe('canary passed');
  });

  test('obey people', () => {
    const waves = [canary, wave('all')];
    const downs = [down('x', { group: 'c' }), down('1')];
    const by = (orders: Partial<RolloutOrders>) =>
      planRollout(input(waves, downs, { orders: { ...NO_ORDERS, ...orders } }));
    expect(by({ stopped: 'alice' })).toMatchObject({ state: 'stopped', why: 'alice stopped it.' });
    expect(by({ rolledBack: 'alice' })).toMatchObject({ state: 'rolled-back' });
    expect(by({ skipped: new Map([['canary', 900]]) }).waves[1]).toMatchObject({
      state: 'open',
      opensAt: 900,
    });
  });
});

const share = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('percent' as const), percent: fc.integer({ min: 1, max: 100 }) }),
);
const anyWave = fc.record({
  select: fc.oneof(fc.constant({}), fc.record({ topics: fc.constantFrom(['a'], ['b'], ['a', 'c']) })),
  size: fc.option(share, { nil: undefined }),
  pauseAfter: fc.integer({ min: 0, max: 3 }),
  published: share,
  healthy: fc.boolean(),
});
const waves = fc.array(anyWave, { minLength: 1, maxLength: 4 }).map((list) =>
  list.map(({ select, size, pauseAfter, published: least, healthy }, at) =>
    wave(`w${at}`, {
      select,
      pauseAfter,
      gate: { ...GATE, published: least, statuses: healthy ? ['*'] : [] },
      ...(size !== undefined && { size }),
    }),
  ),
);
const downs = fc
  .array(
    fc.record({
      group: fc.constantFrom('a', 'b', 'c', 'd'),
      standing: fc.constantFrom('waiting', 'published', 'refused', 'out'),
      publishedAt: fc.integer({ min: 0, max: 5_000 }),
      health: fc.option(fc.constantFrom('success', 'pending'), { nil: undefined }),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ health, ...one }, at): Down => {
      const told = health && { health: { state: health, at: one.publishedAt + 100, what: '' } as const };
      return down(`d${at}`, { ...one, ...told });
    }),
  );

describe('always', () => {
  test('every downstream is in exactly one wave, in whatever order they come', () => {
    fc.assert(
      fc.property(waves, downs, fc.integer(), (list, all, seed) => {
        const assigned = assignWaves({ waves: list }, all, selects);
        const ids = assigned.flatMap(({ members }) => members.map(({ id }) => id));
        expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        expect(assigned.map(({ name }) => name).filter((name) => name === REST).length).toBeLessThan(2);
        const other = all.toSorted((a, b) => ((a.id.length * 7 + seed) % 3) - ((b.id.length * 5 + seed) % 3));
        expect(assignWaves({ waves: list }, other.toReversed(), selects)).toEqual(assigned);
      }),
    );
  });

  test('what may open stays so as time goes by and downstreams follow', () => {
    fc.assert(
      fc.property(waves, downs, fc.nat(8_000), fc.nat(8_000), fc.nat(), (list, all, now, later, which) => {
        const before = planRollout(input(list, all, { now }));
        const moved = all.map((one, at) =>
          at === which % Math.max(1, all.length) && one.standing === 'waiting'
            ? { ...one, standing: 'published' as const, publishedAt: now, health: one.health ?? GOOD(now) }
            : one,
        );
        const after = planRollout(input(list, moved, { now: now + later }));
        for (const { id } of all) {
          if (verdictOn(before, id) === 'may-open') expect(verdictOn(after, id)).toBe('may-open');
        }
      }),
    );
  });

  test('nothing opens before its gate', () => {
    fc.assert(
      fc.property(waves, downs, fc.nat(20_000), (list, all, now) => {
        const plan = planRollout(input(list, all, { now }));
        for (const [at, { state }] of plan.waves.entries()) {
          if (state === 'waiting') continue;
          for (const earlier of plan.waves.slice(0, at)) {
            const gate = (list.find(({ name }) => name === earlier.name) ?? list.at(-1)!).gate;
            const counts = earlier.members.filter(({ standing }) => /waiting|published/.test(standing));
            const through = counts.filter(
              ({ standing, health }) =>
                standing === 'published' && (gate.statuses.length === 0 || health?.state === 'success'),
            );
            const { published: least } = gate;
            const needed =
              least.kind === 'count' ? least.count : Math.ceil((least.percent * counts.length) / 100);
            expect(through.length).toBeGreaterThanOrEqual(Math.min(needed, counts.length));
            expect(earlier.passesAt).toBeLessThanOrEqual(now);
          }
        }
      }),
    );
  });
});

const GOOD = (at: number): NonNullable<Down['health']> => ({ state: 'success', at, what: '' });

function approved(at: number): RolloutOrders {
  return { ...NO_ORDERS, approved: new Map([['one', at]]) };
}

function healthIs(state: 'success' | 'failure'): Pick<Down, 'health'> {
  return { health: { state, at: 600, what: 'status flux' } };
}

describe('a manual gate', () => {
  const gate = { ...GATE, manual: true, timeout: 1 } as const;
  const waves = [wave('one', { select: { topics: ['c'] }, gate }), wave('all')];
  const downs = [published('x', { group: 'c' }), down('y')];
  test('waits for somebody once the rest of it holds, however long that takes', () => {
    const waiting = input(waves, downs, { now: 1_000_000 });
    expect(states(waiting)).toEqual(['one open', 'all waiting']);
    expect(planRollout(waiting).waves[0]?.why).toBe('It waits for an approval.');
    expect(states(input(waves, downs, { now: 1_000_000, orders: approved(900_000) }))).toEqual([
      'one passed',
      'all open',
    ]);
  });

  test('is not held by an approval alone', () => {
    const early = [down('x', { group: 'c' }), down('y')];
    expect(states(input(waves, early, { now: 900, orders: approved(800) }))).toEqual([
      'one open',
      'all waiting',
    ]);
  });

  test('lets its pause begin when it was approved', () => {
    const paused = [wave('one', { select: { topics: ['c'] }, gate, pauseAfter: 10 }), wave('all')];
    const plan = planRollout(input(paused, downs, { now: 5_000, orders: approved(4_000) }));
    expect(plan.waves.map(({ state }) => state)).toEqual(['pausing', 'waiting']);
    expect(plan.next).toBe(14_000);
  });
});

describe('a budget of failures', () => {
  const gate = { ...GATE, statuses: ['flux'], published: { kind: 'percent', percent: 50 } } as const;
  const downs = [
    published('a', healthIs('failure')),
    published('b', healthIs('success')),
    published('c', healthIs('success')),
    published('d', healthIs('success')),
  ];
  const two = { kind: 'count', count: 2 } as const;

  test('is one, where nothing else is said', () => {
    expect(planRollout(input([wave('one', { gate })], downs))).toMatchObject({ state: 'stopped' });
  });

  test('lets a wave pass with fewer, and fails it with as many', () => {
    const waves = [wave('one', { gate: { ...gate, stopAt: two } })];
    expect(planRollout(input(waves, downs))).toMatchObject({ state: 'done' });
    const more = [published('e', healthIs('failure')), ...downs];
    const plan = planRollout(input(waves, more));
    expect(plan).toMatchObject({ state: 'stopped' });
    expect(plan.why).toContain('2 of 5 are not.');
    const percent = { ...gate, stopAt: { kind: 'percent', percent: 50 } } as const;
    expect(planRollout(input([wave('one', { gate: percent })], more))).toMatchObject({ state: 'done' });
  });
});

describe('a rollout that is recorded as done', () => {
  const health = { state: 'failure', at: 900, what: 'flux' } as const;
  const gate: WaveGate = { ...GATE, statuses: ['flux'], timeout: 1 };
  const half: Share = { kind: 'percent', percent: 50 };
  const waves = [
    wave('one', { select: { topics: ['c'] }, gate }),
    wave('two', { gate: { ...gate, published: half } }),
  ];
  const orders: RolloutOrders = { ...NO_ORDERS, done: true, doneAt: 5_000 };
  const of = (downs: Down[], more: Partial<RolloutOrders> = {}) =>
    planRollout(input(waves, downs, { orders: { ...orders, ...more }, now: 9_000 }));
  const one = published('x', { group: 'c', health });
  const old = (name: string, more: Partial<Down> = {}): Down => down(name, { lockedAt: 4_000, ...more });

  test('is running if some had the package then and still lack the revision, and fails by nothing that is past', () => {
    const plan = of([one, published('a', { health }), old('b'), old('c')]);
    expect(plan).toMatchObject({
      state: 'running',
      why: 'It was recorded as done, but b and 1 more have not published the revision.',
      waves: [{ state: 'open' }, { state: 'waiting' }],
    });
    expect(verdictOn(plan, 'b')).toBe('wave-waiting');
    expect(plan.next).toBeUndefined();
  });

  test.each([
    ['whoever joined later', [one, published('a'), down('b', { lockedAt: 6_000 }), down('c')]],
    ['whoever a gate does not ask for', [one, published('a'), old('b')]],
    [
      'whoever said no',
      [one, published('a'), old('b', { standing: 'refused' }), old('c', { standing: 'out' })],
    ],
  ])('stays done in spite of %s', (_who, downs) => {
    expect(of(downs)).toMatchObject({ state: 'done', why: '' });
  });

  test('stays done where a wave was skipped', () => {
    const skipped = new Map([['two', 4_500]]);
    expect(of([one, old('a'), old('b')], { skipped })).toMatchObject({ state: 'done' });
  });
});

const ofAll = (...downs: Down[]) => planRollout(input([wave('all')], downs));

test('a rollout none of whose downstreams can be updated is not done, and says so', () => {
  const lost = down('1', { standing: 'out', isUnresolved: true });
  expect(ofAll(lost, down('2', { standing: 'out' }))).toMatchObject({
    state: 'running',
    why: expect.stringContaining('None of its downstreams can be updated') as string,
  });
  // Who follows another revision, or none, wants it so.
  expect(ofAll(lost, down('2', { standing: 'out', isUnresolved: false }))).toMatchObject({ state: 'done' });
  expect(ofAll(lost, published('2'))).toMatchObject({ state: 'done' });
  expect(ofAll()).toMatchObject({ state: 'done' });
});

test('a wave that is paused opens no more updates, does not end, and does not come too late', () => {
  const gate = { ...GATE, timeout: 1 } as const;
  const waves = [wave('one', { select: { topics: ['c'] }, gate }), wave('all')];
  const orders: RolloutOrders = { ...NO_ORDERS, paused: new Map([['one', 'alice']]) };
  const open = planRollout(input(waves, [down('x', { group: 'c' }), down('y')], { orders, now: 9_000 }));
  expect(open.waves.map(({ state, why }) => [state, why])).toEqual([
    ['paused', 'alice paused it.'],
    ['waiting', 'Earlier waves are not complete.'],
  ]);
  expect(verdictOn(open, 'x')).toBe('wave-waiting');
  const through = [published('x', { group: 'c' }), down('y')];
  expect(states(input(waves, through, { orders }))).toEqual(['one paused', 'all waiting']);
  expect(states(input(waves, through))).toEqual(['one passed', 'all open']);
});

test('addresses of a gate are asked when the rest of it holds, and their answer opens the next wave', () => {
  const gate = { ...GATE, urls: ['https://gate.example.com/'], timeout: 1 } as const;
  const waves = [wave('one', { select: { topics: ['c'] }, gate }), wave('all')];
  const before = planRollout(input(waves, [down('x', { group: 'c' }), down('y')], { now: 900 }));
  expect(before.waves[0]).toMatchObject({ state: 'open' });
  expect(before.waves[0]?.asks).toBeUndefined();
  const downs = [published('x', { group: 'c' }), down('y')];
  const asking = planRollout(input(waves, downs, { now: 900 }));
  expect(asking.waves.map(({ state }) => state)).toEqual(['open', 'waiting']);
  expect(asking.waves[0]?.asks).toEqual(['https://gate.example.com/']);
  const orders: RolloutOrders = { ...NO_ORDERS, answered: new Map([[gateKey('one', gate.urls), 950]]) };
  expect(states(input(waves, downs, { orders }))).toEqual(['one passed', 'all open']);
  // Other addresses have said nothing yet.
  const edited = [
    wave('one', { select: { topics: ['c'] }, gate: { ...gate, urls: ['https://other.example.com/'] } }),
    wave('all'),
  ];
  expect(states(input(edited, downs, { now: 900, orders }))).toEqual(['one open', 'all waiting']);
  // What does not hold in time has failed.
  expect(planRollout(input(waves, downs, { now: 2_000 }))).toMatchObject({ state: 'stopped' });
});
