import type { JobHandler, Json } from '../queue/job.ts';
import type { Git } from '../reconcile/git-port.ts';
import type { Tracing } from '../telemetry/tracing.ts';
/** What surrounds every job: how old its view may be, and the trace that it belongs to. */
import type { Freshness, Moment } from './freshness.ts';

type Handlers = Readonly<Record<string, JobHandler>>;

/** These only look, and ask others to look at the same. */
const ONLY_LOOKING: readonly string[] = [
  'branch',
  'commit',
  'repository',
  'rollout',
  'sweep',
  'sweep-repository',
];

/** A job knows how old what it reads may be. */
export function withFreshness(handlers: Handlers, freshness: Freshness): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => [
      kind,
      (job, signal) => freshness.during(momentOf(kind, job.data, job.attempt), () => handle(job, signal)),
    ]),
  );
}

/** A job belongs to the trace of the delivery that asked for it. */
export function withTraces(handlers: Handlers, tracing: Tracing): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => [
      kind,
      (job, signal) => {
        const { trace } = job.data as { readonly trace?: string };
        const attributes = { 'portico.key': job.key, 'portico.attempt': job.attempt };
        return tracing.span(`job ${kind}`, attributes, () => handle(job, signal), trace);
      },
    ]),
  );
}

/** A job sees what every process has read so far, and what it reads is there for the others. */
export function withIndex(
  handlers: Handlers,
  index: { refresh(): Promise<void>; flush(): Promise<void> },
): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => [
      kind,
      async (job, signal) => {
        await index.refresh();
        await handle(job, signal);
        await index.flush();
      },
    ]),
  );
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
function momentOf(kind: string, data: Json, attempt: number): Moment | null {
  const { at } = data as { readonly at?: number };
  if (kind === 'comment' || kind === 'fix' || attempt > 1 || at === undefined) return null;
  return { since: at, passOn: ONLY_LOOKING.includes(kind) };
}
