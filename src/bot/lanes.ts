/** Which jobs wait for which: the lanes of the queue, and what each job may use of the processes for foreign content. */
import type { Share } from '../isolation/share.ts';
import type { Lane } from '../queue/job.ts';
import type { Job, JobKind } from '../reconcile/job.ts';
import { LONG_STRANGER, LONG_PROPOSAL, STRANGER } from '../reconcile/jobs.ts';
import type { ReceivedJob, RunJob } from './received-job.ts';

/**
 * Commands answer people, so they do not wait behind renders; fan-out waits behind both. What strangers propose has a
 * lane of its own, so that nobody of the repository waits for it. What takes long goes on in another lane than what is
 * short, among strangers and among others.
 */
export const LANES: readonly (Lane & { readonly kinds: readonly JobKind[] })[] = [
  { name: 'commands', kinds: ['comment', 'fix'], concurrency: 4 },
  { name: 'proposals', kinds: ['proposal', 'merge-group'], concurrency: 4 },
  { name: 'long-proposals', kinds: [LONG_PROPOSAL], concurrency: 2 },
  { name: 'strangers', kinds: [STRANGER], concurrency: 2 },
  { name: 'long-strangers', kinds: [LONG_STRANGER], concurrency: 1 },
  { name: 'publications', kinds: ['publication', 'branch'], concurrency: 2 },
  {
    name: 'index',
    kinds: ['repository', 'rollout', 'poll', 'commit', 'sweep', 'sweep-repository'],
    concurrency: 2,
  },
  { name: 'variants', kinds: ['variant'], concurrency: 4 },
  // Hosts of others, which may be slow.
  { name: 'registries', kinds: ['registry'], concurrency: 2 },
  { name: 'dashboards', kinds: ['dashboard', 'downstream', 'overdue'], concurrency: 1, gathers: true },
];

/** Whose job it is: installations are served in turn. */
export function tenantOf({ data }: Pick<Job, 'data'>): { readonly tenant?: string } {
  return 'repository' in data ? { tenant: String(data.repository.installationId) } : {};
}

/** Processor time that a proposal gets before it goes to where long ones wait. */
const SLICE_MS = 3_000;
/** A small package takes 30 ms in a process that has just been started. */
const STRANGERS_SLICE_MS = 300;

/** What a job may use. */
function shareOf({ kind, data }: ReceivedJob): Share {
  const again = 'again' in data ? data.again : undefined;
  const common = {
    ...('repository' in data && { affinity: String(data.repository.id) }),
    ...(again !== undefined && { anew: true }),
  };
  switch (kind) {
    case 'proposal':
      return { class: 'own', sliceCpuMs: SLICE_MS, ...common };
    case STRANGER:
      return { class: again ? 'asked-strangers' : 'strangers', sliceCpuMs: STRANGERS_SLICE_MS, ...common };
    case LONG_STRANGER:
      return { class: again ? 'asked-strangers' : 'long-strangers', ...common };
    default:
      return { class: 'own', ...common };
  }
}

/** These have nothing to do with variants, and do not wait for what sets generate. */
const WITHOUT_VARIANTS: readonly JobKind[] = [
  'proposal',
  LONG_PROPOSAL,
  STRANGER,
  LONG_STRANGER,
  'merge-group',
  'sweep',
  'sweep-repository',
  'commit',
  'registry',
];

/** Jobs that look at variants find them worked out. */
export function withVariants(run: RunJob, prepare: () => Promise<void>): RunJob {
  return async (job, signal) => {
    if (!WITHOUT_VARIANTS.includes(job.kind)) await prepare();
    await run(job, signal);
  };
}

/** Each job does its work on foreign content within its share. */
export function withShares(
  run: RunJob,
  within: (share: Share, work: () => Promise<void>) => Promise<void>,
): RunJob {
  return (job, signal) => within(shareOf(job), () => run(job, signal));
}
