import { expect, test } from 'vitest';

import type { CatalogRepository } from '../../../src/catalog/catalog.ts';
import type { RolloutStanding, Standing } from '../../../src/catalog/last-looks.ts';
import type { RolloutMember } from '../../../src/reconcile/rollout/facts.ts';
import { jobsOfTurned } from '../../../src/reconcile/rollout/held-pulls.ts';

const member = (id: number, position: Partial<Standing> | undefined): RolloutMember => {
  const ref = { installationId: 1, id, owner: 'acme', name: `edge-${id}` };
  return { id: `${id}:web`, repository: { ref } as CatalogRepository, position } as RolloutMember;
};

const WAVES = [
  { members: [member(1, { pull: 11, to: 'v2' }), member(2, undefined), member(3, { pull: 13, to: 'v1' })] },
  { members: [member(4, { reason: 'paused', pull: 14 }), member(5, { pull: 15, to: 'v2' })] },
];
const plan = { waves: WAVES } as unknown as Parameters<typeof jobsOfTurned>[0];
const at = (state: string, waves: readonly string[], cause = ''): RolloutStanding => ({
  revision: 'v2',
  state,
  waves,
  cause,
});

test.each([
  ['stops', at('running', ['open', 'open']), at('stopped', ['failed', 'open'], 'alice'), [11, 14, 15]],
  ['continues', at('stopped', ['open', 'open'], 'alice'), at('running', ['open', 'open']), [11, 14, 15]],
  ['opens a wave', at('running', ['open', 'waiting']), at('running', ['passed', 'open']), [14, 15]],
  ['pauses a wave', at('running', ['open', 'waiting']), at('running', ['paused', 'waiting']), [11]],
  [
    'is stopped by another',
    at('stopped', ['open', 'open'], 'a'),
    at('stopped', ['open', 'open'], 'b'),
    [11, 14, 15],
  ],
  ['passes a wave', at('running', ['open', 'waiting']), at('running', ['pausing', 'waiting']), []],
  ['says the same again', at('stopped', ['failed'], 'a'), at('stopped', ['failed'], 'a'), []],
] as const)(
  'a rollout that %s has the open updates of its revision checked whose verdict changed, and no others',
  (_what, before, now, pulls) => {
    const jobs = jobsOfTurned(plan, before, now);
    expect(jobs.map(({ data }) => 'number' in data && data.number)).toEqual(pulls);
  },
);
