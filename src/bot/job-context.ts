/** What surrounds every job: how old its view may be, and the trace that it belongs to. */
import type { Git } from '../reconcile/git-port.ts';
import { traitsOf } from '../reconcile/job.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Freshness, Moment } from './freshness.ts';
import type { ReceivedJob, RunJob } from './received-job.ts';

/** A job knows how old what it reads may be. */
export function withFreshness(run: RunJob, freshness: Freshness): RunJob {
  return (job, signal) => freshness.during(momentOf(job), () => run(job, signal));
}

/** A job belongs to the trace of the delivery that asked for it. */
export function withTraces(run: RunJob, tracing: Tracing): RunJob {
  return (job, signal) => {
    const attributes = { 'portico.key': job.key, 'portico.attempt': job.attempt };
    return tracing.span(`job ${job.kind}`, attributes, () => run(job, signal), job.origin.trace);
  };
}

/** A job sees what every process has read so far, and what it reads is there for the others. */
export function withIndex(run: RunJob, index: { refresh(): Promise<void>; flush(): Promise<void> }): RunJob {
  return async (job, signal) => {
    await index.refresh();
    await run(job, signal);
    await index.flush();
  };
}

/** The same git, whose talk with the forge is seen in traces. */
export function traced(tracing: Tracing, git: Git): Git {
  return {
    ...git,
    fetch: (options, signal) => tracing.span('git fetch', {}, () => git.fetch(options, signal)),
    push: (updates, signal) =>
      tracing.span('git push', { 'portico.refs': updates.length }, () => git.push(updates, signal)),
  };
}

/** A command is decided on what is there now, and what failed once is read anew. */
function momentOf({ kind, origin: { at }, attempt }: ReceivedJob): Moment | null {
  if (kind === 'comment' || kind === 'fix' || attempt > 1 || at === undefined) return null;
  return { since: at, passOn: traitsOf(kind).onlyReads === true };
}
