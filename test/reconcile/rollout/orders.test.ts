import { describe, expect, test } from 'vitest';

import type { RolloutMember } from '../../../src/reconcile/rollout/facts.ts';
import { keptOrders, ordersFor, type RolloutOrder } from '../../../src/reconcile/rollout/orders.ts';
import { selects } from '../../../src/reconcile/rollout/selectors.ts';

const order = (action: RolloutOrder['action'], more: Partial<RolloutOrder> = {}): RolloutOrder => ({
  action,
  subject: '1:web@v3',
  by: 'alice',
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const AT = Date.parse('2026-01-01T00:00:00.000Z');

const about = (...orders: RolloutOrder[]) => ordersFor(orders, '1:web@v3');

test('the newest order counts, for its revision alone', () => {
  expect(about()).toEqual({ skipped: new Map(), done: false });
  expect(about(order('stop'))).toMatchObject({ stopped: 'alice' });
  expect(about(order('stop', { subject: '1:web@v2' }))).toEqual(about());
  expect(about(order('stop'), order('rollback', { by: 'bob' }))).toEqual({ ...about(), rolledBack: 'bob' });
  expect(about(order('rollback'), order('resume'))).toEqual({ ...about(), resumedAt: AT });
  expect(about(order('skip', { wave: 'canary' }), order('done'))).toEqual({
    skipped: new Map([['canary', AT]]),
    done: true,
    doneAt: AT,
  });
});

test('a restart takes back the end, the skips and the approvals of a rollout, and no paused wave', () => {
  const wave = { wave: 'canary' };
  const before = [
    order('stop'),
    order('skip', wave),
    order('approve', wave),
    order('hold', wave),
    order('done'),
  ];
  expect(about(...before, order('restart'))).toEqual({
    ...about(),
    paused: new Map([['canary', 'alice']]),
    resumedAt: AT,
  });
  expect(about(...before, order('restart'), order('done')).done).toBe(true);
});

test('orders about one wave leave the others alone', () => {
  const wave = (action: RolloutOrder['action'], name: string) => order(action, { wave: name });
  expect(about(wave('approve', 'canary')).approved).toEqual(new Map([['canary', AT]]));
  expect(about(wave('hold', 'a'), wave('hold', 'b'), wave('release', 'a')).paused).toEqual(
    new Map([['b', 'alice']]),
  );
  // To resume the whole rollout does not resume a wave that somebody holds.
  expect(about(wave('hold', 'a'), order('stop'), order('resume'))).toMatchObject({
    paused: new Map([['a', 'alice']]),
    resumedAt: AT,
  });
});

test('what people ordered outlives any number of notes about others (71)', () => {
  const notes = Array.from({ length: 2_000 }, (_, at) =>
    order(at % 2 === 0 ? 'told' : 'done', { subject: `1:other-${at}@v1`, wave: 'rollout.stopped-0' }),
  );
  const kept = keptOrders([order('rollback', { by: 'bob' }), order('hold', { wave: 'a' }), ...notes]);
  expect(about(...kept)).toMatchObject({ rolledBack: 'bob', paused: new Map([['a', 'alice']]) });
  expect(kept.slice(2)).toEqual(notes.slice(-500));
  // Nor are notes lost where there is no room for orders: what is not noted is done again and again.
  const many = Array.from({ length: 600 }, (_, at) => order('stop', { subject: `1:other-${at}@v1` }));
  expect(keptOrders([order('answered'), ...many])).toEqual([order('answered'), ...many.slice(100)]);
});

describe('a wave selects', () => {
  const described: RolloutMember['described'] = {
    labels: { tier: 'prod' },
    objects: [{ kind: 'Cluster', metadata: { name: 'shop-1', labels: { region: 'eu' }, annotations: {} } }],
  };
  const repository = { ref: { owner: 'acme', name: 'shop-1' }, labels: { team: 'a' } };
  const one = { repository, path: 'web', hidden: false, described } as unknown as RolloutMember;
  test.each([
    [{ labels: { tier: 'prod' } }, true],
    [{ labels: { tier: 'test' } }, false],
    [{ labels: { team: 'a' } }, false],
    [{ properties: { team: 'a' } }, true],
    [{ inventory: { kind: 'Cluster', labels: { region: 'eu' } } }, true],
    [{ inventory: { kind: 'Cluster', labels: { region: 'us' } } }, false],
    [{ inventory: { kind: 'Zone', labels: {} } }, false],
    [{ labels: { tier: 'prod' }, inventory: { kind: 'Cluster', labels: {} } }, true],
  ])('%j: %s', (selector, wanted) => {
    expect(selects(selector, one)).toBe(wanted);
    expect(selects(selector, { ...one, hidden: true })).toBe(false);
  });
});

test.each([
  ['acme/shop-1', true],
  ['shop-1', true],
  ['shop-*', true],
  ['*', true],
  ['acme/*', true],
  ['other/*', false],
  ['shop', false],
  ['acme', false],
])('a wave that selects the repository %j has acme/shop-1: %s', (glob, wanted) => {
  const repository = { ref: { owner: 'acme', name: 'shop-1' }, labels: {} };
  const one = { repository, path: 'web' } as unknown as RolloutMember;
  expect(selects({ repositories: ['nobody', glob] }, one)).toBe(wanted);
});
