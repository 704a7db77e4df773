import { AsyncLocalStorage } from 'node:async_hooks';

import type { ForgeContext } from './context.ts';

/** Runs something outside of the request that starts it, so that it does not inherit its locks. */
const outside = AsyncLocalStorage.snapshot();

const running = new WeakMap<ForgeContext, Set<Promise<void>>>();

/** Starts work that nobody waits for, as GitHub's jobs. An error is logged. */
export function runInBackground(context: ForgeContext, what: string, work: () => Promise<void>): void {
  const jobs = running.get(context) ?? new Set();
  running.set(context, jobs);
  const job = outside(work)
    .catch((error: unknown) => context.log(`${what} failed`, { error: String(error) }))
    .finally(() => jobs.delete(job));
  jobs.add(job);
}

/** Resolves when no such work is under way. */
export async function backgroundSettled(context: ForgeContext): Promise<void> {
  // What ends may have started more.
  while ((running.get(context)?.size ?? 0) > 0) await Promise.all(running.get(context) ?? []);
}
