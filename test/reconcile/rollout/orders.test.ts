import { expect, test } from 'vitest';

import { selects, type RolloutMember } from '../../../src/reconcile/rollout/facts.ts';
import { ordersFor, type RolloutOrder } from '../../../src/reconcile/rollout/orders.ts';

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
