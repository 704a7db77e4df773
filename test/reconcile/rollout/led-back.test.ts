import { expect, test } from 'vitest';

import { wayBackFrom } from '../../../src/reconcile/rollout/led-back.ts';

const available = ['v1', 'v2', 'v3', 'v4', 'v5'];

test.each([
  ['what it was at just before', ['v4', 'v2', 'v1'], [], 'v2'],
  ['not a revision that it never had, though that is the number before', ['v4', 'v1'], [], 'v1'],
  ['past one that is withdrawn, too', ['v4', 'v3', 'v2'], ['v3'], 'v2'],
  ['past one whose tag is gone', ['v4', 'v0', 'v1'], [], 'v1'],
  ['never forward', ['v4', 'v5', 'v2'], [], 'v2'],
  ['nowhere where it was at nothing else', ['v4'], [], undefined],
])('a downstream of a withdrawn v4 goes back to %s', (_what, history, withdrawn, wanted) => {
  const isWithdrawn = (name: string): boolean => withdrawn.includes(name as never);
  expect(wayBackFrom('v4', history, { available, isWithdrawn })).toBe(wanted);
});
