import { isDeepStrictEqual } from 'node:util';

import { identity, type Arrival, type JobStore } from './store.ts';

interface WaitingJob {
  readonly job: Arrival['job'];
  /** By the clock of `performance.now()`, in milliseconds. */
  readonly startsAt: number;
}

/** More are not remembered; what is forgotten is stored once more, which changes nothing. */
const MAX_REMEMBERED = 10_000;

/**
 * A store to which a job that waits already is not written again: what hundreds of jobs ask for within seconds, such as
 * another look at a dashboard, costs one transaction. Only for a database that no other process claims from: what this
 * process stored and has not claimed waits. Work that begins after the call sees what the call was about.
 */
export function withoutRepeats(store: JobStore): JobStore {
  const waiting = new Map<string, WaitingJob>();
  /** For each call under way, what was claimed meanwhile. */
  const underWay = new Set<Set<string>>();
  const adds = ({ lane, job, delaySeconds }: Arrival): boolean => {
    const before = waiting.get(identity({ lane, job }));
    return (
      before === undefined ||
      performance.now() + delaySeconds * 1000 < before.startsAt ||
      job.priority > before.job.priority ||
      !isDeepStrictEqual({ ...job, priority: 0 }, { ...before.job, priority: 0 })
    );
  };
  return {
    ...store,
    async enqueue(arrivals) {
      const fresh = arrivals.filter(adds);
      if (fresh.length === 0) return;
      // What is claimed while it is written must not be remembered as waiting.
      const claimed = new Set<string>();
      underWay.add(claimed);
      try {
        await store.enqueue(fresh);
      } finally {
        underWay.delete(claimed);
      }
      for (const { lane, job, delaySeconds } of fresh) {
        const key = identity({ lane, job });
        waiting.delete(key);
        if (claimed.has(key)) continue;
        if (waiting.size >= MAX_REMEMBERED) waiting.clear();
        waiting.set(key, { job, startsAt: performance.now() + delaySeconds * 1000 });
      }
    },
    async fetch(...wanted) {
      const claims = await store.fetch(...wanted);
      for (const claim of claims) {
        const key = identity(claim);
        waiting.delete(key);
        for (const claimed of underWay) claimed.add(key);
      }
      return claims;
    },
  };
}
