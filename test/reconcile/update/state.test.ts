import { expect, test } from 'vitest';

import { stateParts, type ShownConflict } from '../../../src/reconcile/update/state.ts';

function conflict(taken: ShownConflict['taken']): ShownConflict {
  return {
    id: '0a1b2c3d4e5f',
    number: 1,
    file: 'web.yaml',
    resource: null,
    path: 'spec.replicas',
    base: 1,
    upstream: 2,
    local: 3,
    taken,
  };
}

function firstOf(...open: ShownConflict[]): string {
  const conflicts = { open, listed: open.length };
  return stateParts({ kind: 'open', publishes: [], conflicts, paused: [] }).first;
}

test("an update says that the branch has upstream's values only where it has", () => {
  expect(firstOf(conflict('upstream'))).toContain("The branch has upstream's value. Settle");
  const mixed = firstOf(conflict('upstream'), conflict('local'));
  expect(mixed).not.toContain("The branch has upstream's value");
  expect(mixed).toContain('The column "taken" names the side that the branch has. Settle');
});
