/** Pure: the order in which repositories get their updates. */
import type { Job } from '../job.ts';

/** From there on, the later jobs of a repository are alike. */
const MAX_COUNT = 100;

/**
 * Repositories take turns: the first job of each comes before the second of any, so that one with a thousand packages
 * does not keep one with a single package waiting when calls are scarce. The priority says the same between jobs that
 * were asked for at different times. What is asked for twice is done once. Jobs that are about no repository come first.
 */
export function inTurns<Some extends Job>(jobs: readonly Some[]): Some[] {
  const counts = new Map<number, number>();
  const first = new Map(jobs.toReversed().map((job) => [`${job.kind} ${job.key}`, job]));
  return jobs
    .filter((job) => first.get(`${job.kind} ${job.key}`) === job)
    .map((job) => {
      if (!('repository' in job.data)) return { job, turn: 0 };
      const { id } = job.data.repository;
      const turn = counts.get(id) ?? 0;
      counts.set(id, turn + 1);
      return { job: { ...job, priority: (job.priority ?? 0) - Math.min(turn, MAX_COUNT) }, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ job }) => job);
}
