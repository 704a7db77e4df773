import type { Logger } from 'pino';

import { PorticoError } from '../error.ts';
import { startBoss } from './boss.ts';
import type { Database } from './database.ts';
import { jobsAbout } from './job-traces.ts';
import type { JobHandler, Lane, NewJob, Queue, QueueMetrics } from './job.ts';
import { runLane, type RunningLane } from './lane.ts';
import { WAKE_CHANNEL, createJobStore, type Arrival } from './store.ts';
import { withoutRepeats } from './waiting-jobs.ts';

export interface QueueOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics?: QueueMetrics;
  /** By job kind. Every kind of every lane needs one. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly lanes: readonly Lane[];
  /** Passes over every error message that is stored; `createScrubber` of `src/telemetry/log.ts` fits. */
  readonly scrub?: (text: string) => string;
}

const HEARTBEAT_MS = 3_000;
const POLL_SHARED_MS = 1_000;
/** Whoever has the database to himself knows of every job that he stores. */
const POLL_OWN_MS = 5_000;
const VACUUM_MS = 3_600_000;
/** What a handler that ignores its signal is given after the abort, before the queue stops without it. */
const LAST_MS = 2_000;
/** PostgreSQL cannot index a longer text than about 2,700 bytes. */
const MAX_KEY_LENGTH = 600;

/**
 * Starts the workers of all lanes. Jobs of an earlier process that died go on.
 * @throws PorticoError QUEUE_LANES when a kind has no handler or travels in two lanes.
 */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const { database, log, lanes } = options;
  const laneOf = checkLanes(options);
  const boss = await startBoss(database, lanes, log);
  const names = lanes.map(({ name }) => name);
  const stored = createJobStore(database, boss, names);
  const store = database.engine === 'pglite' ? withoutRepeats(stored) : stored;
  let changed = Promise.withResolvers<void>();
  const context = {
    store,
    handlers: options.handlers,
    log,
    metrics: options.metrics,
    scrub: options.scrub ?? ((text: string) => text),
    pollMs: database.engine === 'pglite' ? POLL_OWN_MS : POLL_SHARED_MS,
    shared: database.engine === 'postgres',
    onSettled: () => changed.resolve(),
  };
  const running = new Map(lanes.map((lane) => [lane.name, runLane(lane, context)]));
  const stopUpkeep = await startUpkeep(database, running, log);
  let stopped: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    const drained = Promise.all([...running.values()].map((lane) => lane.drain()));
    await within(drained, graceMs);
    for (const lane of running.values()) lane.abort();
    await within(drained, LAST_MS);
    // A handler that still runs keeps its claim: on PostgreSQL another process has it when the heartbeats end.
    await stopUpkeep();
    await boss.stop({ graceful: false, close: false });
    changed.resolve();
  }

  const gathering = lanes.flatMap(({ name, gathers }) => (gathers === true ? [name] : []));
  const others = names.filter((name) => !gathering.includes(name));
  const isIdle = async (withinSeconds: number): Promise<boolean> =>
    (await store.busy(others, withinSeconds)) + (await store.busy(gathering, 0)) === 0;

  const queue: Queue = {
    async enqueue(jobs) {
      const list = Array.isArray(jobs) ? (jobs as readonly NewJob[]) : [jobs as NewJob];
      if (list.length === 0) return;
      const arrivals = list.map((job) => arrivalOf(job, laneOf));
      await store.enqueue(arrivals);
      for (const { lane, delaySeconds, job } of arrivals) {
        running.get(lane)?.wake(delaySeconds, [job.tenant ?? '']);
      }
    },
    async idle(withinSeconds = 60, signal) {
      for (;;) {
        signal?.throwIfAborted();
        changed = Promise.withResolvers();
        const active = [...running.values()].some((lane) => lane.running() > 0);
        if (!active && (stopped !== undefined || (await isIdle(withinSeconds)))) return;
        await within(changed.promise, 100);
      }
    },
    stop: (graceMs) => (stopped ??= stop(graceMs)),
    depth: () => store.depth(),
    dead: (limit = 100) => store.dead(limit),
    about: (what) => jobsAbout(database, names, what),
    [Symbol.asyncDispose]: () => queue.stop(0),
  };
  return queue;
}

function checkLanes({ lanes, handlers }: QueueOptions): Map<string, string> {
  const laneOf = new Map<string, string>();
  for (const lane of lanes) {
    for (const kind of lane.kinds) {
      const fault = laneOf.has(kind)
        ? 'travels in two lanes'
        : handlers[kind] === undefined
          ? 'has no handler'
          : undefined;
      if (fault !== undefined)
        throw new PorticoError('QUEUE_LANES', `job kind ${kind} ${fault}`, { blame: 'bug' });
      laneOf.set(kind, lane.name);
    }
  }
  return laneOf;
}

function arrivalOf(job: NewJob, laneOf: ReadonlyMap<string, string>): Arrival {
  const { kind, key, data, priority = 0, tenant = '' } = job;
  const lane = laneOf.get(kind);
  if (lane === undefined || key.length > MAX_KEY_LENGTH) {
    const fault =
      lane === undefined ? `no lane takes jobs of kind ${kind}` : `the key of a ${kind} job is too long`;
    throw new PorticoError('QUEUE_JOB', fault, { blame: 'bug' });
  }
  const stored = { kind, key, data, attempt: 1, priority, held: false, tenant };
  return { lane, job: stored, delaySeconds: Math.max(0, job.startAfterSeconds ?? 0) };
}

/** What goes on beside the lanes: on a shared server heartbeats and calls from other processes, on the embedded one vacuum. */
async function startUpkeep(database: Database, lanes: ReadonlyMap<string, RunningLane>, log: Logger) {
  if (database.engine === 'pglite') {
    // PGlite has no autovacuum, and every job leaves dead rows in tables and indexes.
    const vacuum = setInterval(() => {
      database.exec('VACUUM').catch((err: unknown) => log.warn({ err }, 'queue: could not vacuum'));
    }, VACUUM_MS);
    vacuum.unref();
    return async () => clearInterval(vacuum);
  }
  const unlisten = await database.listen(WAKE_CHANNEL, (name) => {
    // An empty name: the connection was lost for a while, and calls with it.
    for (const [lane, worker] of lanes) if (name === lane || name === '') worker.wake();
  });
  const heartbeat = setInterval(() => {
    for (const lane of lanes.values()) {
      lane.heartbeat().catch((err: unknown) => log.warn({ err }, 'queue: a heartbeat failed'));
    }
  }, HEARTBEAT_MS);
  return async () => {
    clearInterval(heartbeat);
    await unlisten();
  };
}

async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, milliseconds);
  await Promise.race([work, timer.promise]);
  clearTimeout(timeout);
}
