/** Which jobs wait for which: the lanes of the queue, and what each job may use of the processes for foreign content. */
import type { Share } from '../isolation/share.ts';
import type { Lane } from '../queue/job.ts';
import { JOB_KINDS, traitsOf, type Job, type LaneName } from '../reconcile/job.ts';
import { LONG_STRANGER, STRANGER } from '../reconcile/jobs.ts';
import type { ReceivedJob } from './received-job.ts';

/**
 * Commands answer people, so they do not wait behind renders; fan-out waits behind both. What strangers propose has a
 * lane of its own, so that nobody of the repository waits for it. What takes long goes on in another lane than what is
 * short, among strangers and among others.
 */
const SETTINGS: Readonly<Record<LaneName, Omit<Lane, 'name' | 'kinds'>>> = {
  commands: { concurrency: 4 },
  // For people without write access: other commands never wait for theirs.
  readers: { concurrency: 2 },
  proposals: { concurrency: 4 },
  'long-proposals': { concurrency: 2 },
  strangers: { concurrency: 2 },
  'long-strangers': { concurrency: 1 },
  publications: { concurrency: 2 },
  index: { concurrency: 2 },
  variants: { concurrency: 4 },
  // Hosts of others, which may be slow.
  registries: { concurrency: 2 },
  dashboards: { concurrency: 1, gathers: true },
};

export const LANES: readonly Lane[] = Object.entries(SETTINGS).map(([name, settings]) => ({
  name,
  kinds: JOB_KINDS.filter((kind) => traitsOf(kind).lane === name),
  ...settings,
}));

/** Whose job it is: installations are served in turn. */
export function tenantOf({ data }: Pick<Job, 'data'>): { readonly tenant?: string } {
  return 'repository' in data ? { tenant: String(data.repository.installationId) } : {};
}

/** Lower than any difference of priorities within a lane. */
const PAST = -10_000;

/**
 * The job with its priority: what a sweep looks for waits for what a delivery asked for, and for what comes of that. Somebody did it just
 * now, and a server that starts with nothing has hours of looking around before it.
 */
export function inTime(job: Job, { delivery }: { readonly delivery?: unknown }): Job {
  return delivery === undefined ? { ...job, priority: (job.priority ?? 0) + PAST } : job;
}

/** Whether a person waits for the job: a command, or the checks of what was just pushed. */
export function isWaitedFor({ kind, origin }: Pick<ReceivedJob, 'kind' | 'origin'>): boolean {
  const { lane } = traitsOf(kind);
  return lane === 'commands' || lane === 'readers' || (lane === 'proposals' && origin.delivery !== undefined);
}

/** Processor time that a proposal gets before it goes to where long ones wait. */
const SLICE_MS = 3_000;
/** A small package takes 30 ms in a process that has just been started. */
const STRANGERS_SLICE_MS = 300;

/** What a job may use of the processes for foreign content. */
export function shareOf({ kind, data }: ReceivedJob): Share {
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
