import { expect, test } from 'vitest';

import { rolloutPart } from '../../../src/reconcile/rollout/body.ts';
import { planText } from '../../../src/reconcile/rollout/plan-text.ts';
import type { RolloutLook } from '../../../src/reconcile/rollout/rollouts.ts';

/** Whoever may report a status names it. */
const WHY = 'acme/shop:web is not healthy: status ci/@acme/all <img src=x> ![p](https://e.example) failed.';

const LOOK = {
  governed: {
    rollout: { name: 'web', upstreams: [], waves: [] },
    upstream: { ref: { id: 1, installationId: 1, owner: 'acme', name: 'up' } },
    directory: 'web',
    path: 'web',
  },
  revision: 'v4',
  orders: { skipped: new Map(), done: false },
  plan: {
    state: 'stopped',
    why: `Wave one failed: ${WHY}`,
    waves: [{ name: 'one', members: [], state: 'failed', counted: 1, through: 0, why: WHY }],
    waveOf: new Map(),
  },
} as never as RolloutLook;

test.each([
  ['the dashboard', rolloutPart([LOOK])],
  ['the answer to a command', planText('web', [LOOK], new Date(0))],
])('the name of a status that stops a rollout does nothing on %s', (_where, text) => {
  expect(text.match(/is not healthy/g)).toHaveLength(2);
  expect(text).not.toMatch(/(?<![\\`])@acme\/all|<img|!\[p\]\(/);
});
