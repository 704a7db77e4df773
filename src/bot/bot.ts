/**
 * The bot without its door: queue, forge, mirrors and reconcilers, wired. An event goes in, and the state of the forge
 * follows.
 */

import { availableParallelism } from 'node:os';

import { createApi, type Api } from '../api/api.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { createSharedCatalog } from '../catalog/shared-catalog.ts';
import { GITHUB_LIMITS } from '../forge/call-gate.ts';
import { askReadable } from '../forge/readable.ts';
import { grouped } from '../intake/grouped.ts';
import { createContentWork, type ContentWork } from '../isolation/content.ts';
import { openQuarantine } from '../isolation/quarantine.ts';
import { createEndedJobs, findDelivery, type EndedJob } from '../queue/job-traces.ts';
import type { Json, NewJob, Queue } from '../queue/job.ts';
import { startQueue } from '../queue/queue.ts';
import { createVerdicts } from '../queue/verdicts.ts';
import { whyDelivery, whyPull, whyRepository } from '../reconcile/command/why.ts';
import { fleetFigures } from '../reconcile/dashboard/fleet-figures.ts';
import { expandElsewhere } from '../reconcile/downstream/variant-expansion.ts';
import { JOB_KINDS, type Job } from '../reconcile/job.ts';
import { isProposalJob, repositorySweepJob, sweepJob } from '../reconcile/jobs.ts';
import type { RepositoryRef } from '../reconcile/ports.ts';
import { newestLooks } from '../reconcile/rollout/rollouts.ts';
import { createCatchUp } from '../reconcile/sweep/catch-up.ts';
import { watchLocks } from '../replica/lock-waits.ts';
import { startSharedIndex, type SharedIndex } from '../replica/shared-index.ts';
import { createSharedLock } from '../replica/shared-lock.ts';
import { workFields } from '../telemetry/log.ts';
import { VERSION } from '../version.ts';
import type { BotOptions } from './bot-options.ts';
import { connect } from './connections.ts';
import type { EventPorts } from './deliveries.ts';
import { createFreshness } from './freshness.ts';
import { createHandlers } from './handlers.ts';
import { inTime, LANES, tenantOf } from './lanes.ts';
import { createPorts } from './ports.ts';
import { createReaders } from './readers.ts';
import { createRepositoryAccess } from './repository-access.ts';
import { createRunning } from './running.ts';
import { createTurns, type Turns } from './turns.ts';

export interface Bot extends AsyncDisposable {
  readonly queue: Queue;
  /** For `acceptEvent`: events that come in become jobs here. */
  readonly events: EventPorts;
  /** Answers whoever may read repositories about them. */
  readonly api: Api;
  /** Looks at everything in these repositories. */
  look(repositories: readonly RepositoryRef[]): Promise<void>;
  /** Reads again what packages there are, in all repositories. */
  index(): Promise<void>;
  /** All that the bot may look at. */
  repositories(signal?: AbortSignal): Promise<readonly RepositoryRef[]>;
  /** Looks at everything, as at the start and every `sweepMinutes`. */
  sweep(): Promise<void>;
  /** Starts nothing more, gives running jobs that long, then lets them go back to the queue. */
  stop(graceMs: number): Promise<void>;
}

/** Processes on one PostgreSQL: their clocks are kept by NTP, but not to the millisecond. */
const CLOCKS_APART_MS = 10_000;
/** How often is asked for what the index lacks, in milliseconds. */
const CATCH_UP_MS = 60_000;
/** How old a mirror may be that the API's rollouts are read from: one that is polled does not fetch each time. */
const API_READS_MS = 30_000;

export async function startBot(options: BotOptions): Promise<Bot> {
  const { environment, database, log, metrics, tracing, once } = options;
  const connections = await connect(options);
  const shared = environment.databaseUrl === undefined ? undefined : createSharedCatalog();
  const catalog = shared?.catalog ?? createCatalog();
  expandElsewhere(catalog);
  const index = shared && (await startSharedIndex(database, shared));
  const freshness = createFreshness(() => Date.now(), shared === undefined ? 0 : CLOCKS_APART_MS);
  const running = await createRunning(database, (key) => [`proposal:${key}`, `proposal:${key}:again:%`]);
  const waits = watchLocks(database, {
    log,
    job: () => jobOf(workFields()),
    count: (kind) => metrics.lockAwaited(kind),
  });
  metrics.observeLockWaits(() => waits.now());
  const lock = createSharedLock(database, waits);
  const turns = createTurns(() => Date.now());
  const work = await startContentWork(options);
  const isSigned = environment.signingKey !== undefined;
  // Events of a burst mostly ask for the same jobs, and share a transaction.
  const store = grouped(async (lists: readonly (readonly NewJob[])[]) => {
    await storeAll(queue, lists.flat());
    return lists.map(() => undefined);
  }, 50);
  const endedJobs = createEndedJobs(database);
  const ended = grouped(async (jobs: readonly EndedJob[]) => {
    await endedJobs.put(jobs);
    return jobs.map(() => undefined);
  }, 50);
  const ports = createPorts(options, connections, {
    catalog,
    traces: { delivery: (id) => findDelivery(database, id), jobs: (about) => queue.about(about) },
    exchange: async () => index?.refresh(),
    running,
    content: work.content,
    open: createRepositoryAccess({
      connections,
      content: work.content,
      freshness,
      tracing,
      isSigned,
      onPush: once?.onWrite,
    }),
    runExclusive: (key, task) => lock.run(key, task),
    askedAt: () => freshness.askedAt(),
    async enqueue(jobs) {
      // Whoever runs them is to see what they are asked for about.
      await index?.flush();
      const trace = tracing.carry();
      const { delivery } = workFields();
      const about = {
        at: freshness.stamp(),
        ...(trace !== undefined && { trace }),
        ...(delivery !== undefined && { delivery }),
      };
      return store([jobs].flat().map((job) => asStored(inTime(inTurn(turns, job), about), about)));
    },
  });
  const readers = createReaders({
    ports,
    pointsPerMinute: environment.pointsPerMinute ?? GITHUB_LIMITS.perMinute,
    now: () => Date.now(),
  });
  const handlers = createHandlers({
    ports,
    running,
    lock,
    turns,
    readers,
    ended,
    tracing,
    freshness,
    index,
    within: (share, task) => work.within(share, task),
  });
  const queue = await startQueue({ database, log, metrics, handlers, lanes: LANES, scrub: options.scrub });
  metrics.observeDepth(() => queue.depth());
  metrics.observeBudget(() => connections.budget.left());
  metrics.observeFleet(async () => {
    // All processes tell the same: one that has nothing to do has not read lately what the others found.
    await index?.refresh().catch(() => undefined);
    return fleetFigures(ports);
  });
  metrics.expect({ kinds: JOB_KINDS });
  const sweep = (): Promise<void> => ports.enqueue(sweepJob());
  const again = (): void => {
    sweep().catch((error: unknown) => log.error({ err: error }, 'the sweep could not be queued'));
    for (const rows of [connections.budget, endedJobs])
      rows.prune().catch((error: unknown) => log.warn({ err: error }, 'old rows could not be deleted'));
  };
  const timer = once === undefined ? setInterval(again, environment.sweepMinutes * 60_000) : undefined;
  timer?.unref();
  const upkeep = index && once === undefined ? keepUp(index) : undefined;
  if (once === undefined) await sweep();

  const api = createApi({
    catalog,
    looks: (control, signal) =>
      freshness.during({ since: Date.now() - API_READS_MS, passOn: true }, () =>
        newestLooks(ports, control, signal),
      ),
    why: {
      delivery: (id) => whyDelivery(ports, id),
      async repository(home, part, signal) {
        const why = await whyRepository(ports, home, part);
        const { number } = part;
        if (number === undefined) return why;
        // It costs calls of the App: whoever can read a repository may ask as often as by comments.
        const { installationId } = home.ref;
        const askAgain = readers.secondsToWait(installationId);
        if (askAgain > 0) return { ...why, pull: { number, state: 'open', needs: [], askAgain } };
        const pull = await readers.spend(installationId, () =>
          freshness.during({ since: Date.now() - API_READS_MS, passOn: true }, () =>
            whyPull(ports, home.ref, number, signal),
          ),
        );
        return { ...why, pull };
      },
    },
    askReadable: (token, names, signal) => askReadable({ apiUrl: environment.apiUrl, token }, names, signal),
    refresh: async () => index?.refresh(),
    version: VERSION,
    now: () => ports.now(),
    log,
    count: (collection, status) => metrics.apiRequest(collection, status),
  });

  function keepUp(own: SharedIndex): NodeJS.Timeout {
    const catchUp = createCatchUp(ports, async () => {
      await own.refresh();
      return own.readElsewhere();
    });
    const every = setInterval(() => {
      catchUp().catch((error: unknown) => log.warn({ err: error }, 'the index could not be completed'));
    }, CATCH_UP_MS);
    return every.unref();
  }

  async function stop(graceMs: number): Promise<void> {
    clearInterval(timer);
    clearInterval(upkeep);
    await queue.stop(graceMs);
    await waits[Symbol.asyncDispose]();
    await running[Symbol.asyncDispose]();
    await connections.mirrors.close();
    work[Symbol.dispose]();
  }

  return {
    queue,
    events: { ports, metrics, ...(once && { areLate: true }) },
    api,
    sweep,
    stop,
    look: (repositories) => ports.enqueue(repositories.map((one) => repositorySweepJob(one))),
    index: () => ports.enqueue(sweepJob({ indexOnly: true })),
    repositories: (signal) => ports.repositories(signal),
    [Symbol.asyncDispose]: () => stop(5_000),
  };
}

async function startContentWork({ database, metrics, contentPools }: BotOptions): Promise<ContentWork> {
  const work = await createContentWork({
    version: `portico ${VERSION}`,
    processes: Math.max(2, Math.min(4, availableParallelism())),
    ...(contentPools && { pools: contentPools }),
    quarantine: await openQuarantine(createVerdicts(database)),
    ended: (share, outcome, cpuSeconds) => metrics.contentWork(share, outcome, cpuSeconds),
  });
  void work.warm();
  return work;
}

/** The key of the job whose work logs these fields. */
function jobOf({ key }: { readonly key?: string | number }): string | undefined {
  return typeof key === 'string' ? key : undefined;
}

/** Proposals and comments of one author are served in turn with those of others. */
function inTurn(turns: Turns, job: Job): Job {
  if (job.kind === 'comment' || job.kind === 'reader-comment') {
    const author = job.data.author ?? job.data.form?.author;
    if (author === undefined) return job;
    const { priority } = turns.next(`comments of ${author}`);
    return { ...job, priority: (job.priority ?? 0) + priority };
  }
  if (!isProposalJob(job) || job.data.author === undefined) return job;
  const { priority, waits } = turns.next(job.data.author);
  return { ...job, priority, data: { ...job.data, ...(waits && { waits }) } };
}

function asStored(job: Job, about: object): NewJob {
  return { ...job, ...tenantOf(job), data: { ...job.data, ...about } as Json };
}

/** Jobs that are stored in one transaction at most. */
const BATCH_SIZE = 500;

async function storeAll(queue: Queue, jobs: readonly NewJob[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) await queue.enqueue(jobs.slice(at, at + BATCH_SIZE));
}
