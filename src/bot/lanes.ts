/** Which jobs wait for which: the lanes of the queue, and what each job may use of the processes for foreign content. */
import type { Share } from '../isolation/content.ts';
import type { JobHandler, Json, Lane } from '../queue/job.ts';
import { LONG_STRANGER, LONG_PROPOSAL, STRANGER } from '../reconcile/jobs.ts';

/**
 * Commands answer people, so they do not wait behind renders; fan-out waits behind both. What strangers propose has a
 * lane of its own, so that nobody of the repository waits for it. What takes long goes on in another lane than what is
 * short, among strangers and among others.
 */
export const LANES: readonly Lane[] = [
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
  { name: 'dashboards', kinds: ['dashboard', 'downstream', 'overdue'], concurrency: 1, gathers: true },
];

/** Whose job it is: installations are served in turn. */
export function tenantOf({ data }: { readonly data: object }): { readonly tenant?: string } {
  const { repository } = data as { readonly repository?: { readonly installationId?: number } };
  const id = repository?.installationId;
  return id === undefined ? {} : { tenant: String(id) };
}

/** Processor time that a proposal gets before it goes to where long ones wait. */
const SLICE_MS = 3_000;
/** A small package takes 30 ms in a process that has just been started. */
const STRANGERS_SLICE_MS = 300;

/** What a job may use. */
function shareOf(kind: string, data: Json): Share {
  const { repository, again } = data as {
    readonly repository?: { readonly id: number };
    readonly again?: object;
  };
  const common = {
    ...(repository !== undefined && { affinity: String(repository.id) }),
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
const WITHOUT_VARIANTS: readonly string[] = [
  'proposal',
  LONG_PROPOSAL,
  STRANGER,
  LONG_STRANGER,
  'merge-group',
  'sweep',
  'sweep-repository',
  'commit',
];

/** Jobs that look at variants find them worked out. */
export function withVariants(
  handlers: Readonly<Record<string, JobHandler>>,
  prepare: () => Promise<void>,
): Readonly<Record<string, JobHandler>> {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => [
      kind,
      WITHOUT_VARIANTS.includes(kind)
        ? handle
        : async (job, signal) => {
            await prepare();
            await handle(job, signal);
          },
    ]),
  );
}

/** Each job does its work on foreign content within its share. */
export function withShares(
  handlers: Readonly<Record<string, JobHandler>>,
  within: (share: Share, work: () => Promise<void>) => Promise<void>,
): Readonly<Record<string, JobHandler>> {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => [
      kind,
      (job, signal) => within(shareOf(kind, job.data), () => handle(job, signal)),
    ]),
  );
}
