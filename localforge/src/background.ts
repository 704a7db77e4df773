import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import type { ForgeContext } from './context.ts';

/** So that a thousand pull requests looked at together do not start thousands of git processes together. */
const MAX_CONCURRENT = 4;

/** Runs something outside of the request that starts it, so that it does not inherit its locks. */
const outside = AsyncLocalStorage.snapshot();

interface Jobs {
  /** Waiting and running ones. */
  readonly open: Set<Promise<void>>;
  readonly waiting: (() => void)[];
  /** Ends the pauses that have begun. */
  hurry: AbortController;
  running: number;
}

const jobsOf = new WeakMap<ForgeContext, Jobs>();

/** Starts work that nobody waits for, as GitHub's jobs, a few at a time. An error is logged. */
export function runInBackground(context: ForgeContext, what: string, work: () => Promise<void>): void {
  runLater(context, 0, what, work);
}

/** The same after so many milliseconds, in which it keeps no other from its turn. */
export function runLater(context: ForgeContext, ms: number, what: string, work: () => Promise<void>): void {
  const jobs = jobsFor(context);
  const job = outside(async () => {
    if (ms > 0) await pause(ms, undefined, { signal: jobs.hurry.signal }).catch(() => {});
    try {
      // Also lets `job` be assigned before it is used below.
      await turn(jobs);
      await work();
    } catch (error) {
      context.log(`${what} failed`, { error: String(error) });
    } finally {
      jobs.running -= 1;
      jobs.waiting.shift()?.();
      jobs.open.delete(job);
    }
  });
  jobs.open.add(job);
}

/** What waits for its time is done now. */
export function hurryBackground(context: ForgeContext): void {
  const jobs = jobsFor(context);
  jobs.hurry.abort();
  jobs.hurry = new AbortController();
}

function jobsFor(context: ForgeContext): Jobs {
  const jobs = jobsOf.get(context) ?? {
    open: new Set(),
    waiting: [],
    running: 0,
    hurry: new AbortController(),
  };
  jobsOf.set(context, jobs);
  return jobs;
}

/** Resolves when no such work is under way. */
export async function backgroundSettled(context: ForgeContext): Promise<void> {
  // What ends may have started more.
  for (let open = openJobs(context); open.length > 0; open = openJobs(context)) await Promise.all(open);
}

const openJobs = (context: ForgeContext): readonly Promise<void>[] => [...(jobsOf.get(context)?.open ?? [])];

async function turn(jobs: Jobs): Promise<void> {
  if (jobs.running >= MAX_CONCURRENT) {
    const { promise, resolve } = Promise.withResolvers<void>();
    jobs.waiting.push(resolve);
    await promise;
  }
  jobs.running += 1;
}
