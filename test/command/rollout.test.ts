import { expect, test } from 'vitest';

import { say } from './command-state.ts';

const place = { kind: 'issue', number: 9, state: 'open', locked: false } as const;

const step = (more: object): object => ({
  kind: 'do',
  steps: [{ do: 'roll-back', rollout: 'apps', login: 'bob', isConfirmed: false, ...more }],
});

test.each([
  ['rollback apps', step({})],
  ['rollback apps confirm', step({ isConfirmed: true })],
  ['rollback apps web', step({ package: 'web' })],
  ['rollback apps apps/web@v8', step({ package: 'apps/web', revision: 'v8' })],
  ['rollback apps apps/web@8 confirm', step({ package: 'apps/web', revision: 'v8', isConfirmed: true })],
  ['rollback apps confirm@v2', step({ package: 'confirm', revision: 'v2' })],
  ['rollback apps web api', { code: 'unexpected-argument' }],
  ['rollback apps web api confirm', { code: 'unexpected-argument' }],
  ['rollback apps web@latest', { code: 'bad-argument' }],
  ['rollback', { code: 'which-rollout' }],
  ['plan apps', { steps: [{ do: 'plan-rollout', rollout: 'apps' }] }],
  ['plan', { code: 'which-rollout' }],
  ['pause apps canary', { steps: [{ do: 'order-rollout', action: 'hold', wave: 'canary' }] }],
  ['pause apps', { code: 'which-wave' }],
  ['resume apps canary', { steps: [{ action: 'release', wave: 'canary' }] }],
  ['resume apps', { steps: [{ action: 'resume' }] }],
  ['approve apps canary', { steps: [{ action: 'approve', wave: 'canary' }] }],
  ['approve apps', { code: 'which-wave' }],
  ['stop apps web', { code: 'which-wave' }],
  ['restart apps', { steps: [{ do: 'order-rollout', action: 'restart', rollout: 'apps' }] }],
  ['restart apps canary', { code: 'which-wave' }],
  ['skip apps canary more', { code: 'bad-argument' }],
  ['pause apps canary web@v2', { code: 'unexpected-argument' }],
  ['approve apps canary web@v2 more', { code: 'unexpected-argument' }],
  [
    'approve apps canary apps/web@2',
    { steps: [{ action: 'approve', wave: 'canary', package: 'apps/web', revision: 'v2' }] },
  ],
  ['skip apps canary', { kind: 'do', steps: [{ do: 'order-rollout', action: 'skip', wave: 'canary' }] }],
])('/portico rollout %s', (line, expected) => {
  expect(say(`/portico rollout ${line}`, { place })).toMatchObject(expected);
});
