import type { Logger } from 'pino';
import { z } from 'zod';

import { NEWER_VERSION, PorticoError } from '../error.ts';
import { HEARTBEAT_SECONDS } from './boss.ts';
import { createRenewal, momentNow, underLease, type Moment, type Renewal } from './fence.ts';
import type { JobHandler, JobOutcome, Lane, QueueMetrics } from './job.ts';
import { classifyFailure } from './retry.ts';
import { createRounds } from './rounds.ts';
import type { Claim, JobStore } from './store.ts';

/** What a lane needs of the queue that it belongs to. */
export interface LaneContext {
  readonly store: JobStore;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly log: Logger;
  readonly metrics: QueueMetrics | undefined;
  readonly scrub: (text: string) => string;
  /** The time after which a lane looks without being told: for jobs that another process put off, or this one before it died. */
  readonly pollMs: number;
  /** Other processes take over the jobs of one that is silent. */
  readonly shared: boolean;
  /** Called whenever a job ended. */
  onSettled(): void;
}

export interface RunningLane {
  /** Work may have come, of these tenants or of anybody: look now, or after so many seconds. */
  wake(afterSeconds?: number, tenants?: readonly string[]): void;
  running(): number;
  /** Keeps this process's claims alive, and aborts the jobs whose claim was lost. */
  heartbeat(): Promise<void>;
  /** Starts nothing more; resolves when all running jobs have ended. */
  drain(): Promise<void>;
  /** Tells the running jobs to end; they go back to wait. */
  abort(): void;
}

interface Run {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly renewal: Renewal;
  ended: Promise<void>;
}

/** A job whose process died under it so often is taken to be the cause, and given up. */
const CRASHES = 4;
/** So long a lane that is mostly busy waits for more to end: what looks for one job costs as much as for several. */
const GATHER_MS = 50;
const SETTLE_TRIES = 5;
/** So old a heartbeat may be that a write relies on it: half of what another process waits for it. */
const YOUNG_MS = (HEARTBEAT_SECONDS * 1000) / 2;
const CLAIM_LOST = 'the claim on this job was lost';

/** Runs the jobs of one lane: as many at a time as it allows, never two of one key (the fetch sees to that). */
export function runLane(lane: Lane, context: LaneContext): RunningLane {
  const { store, log } = context;
  const runs = new Set<Run>();
  const timers = new Set<NodeJS.Timeout>();
  const stopping = new AbortController();
  const rounds = createRounds(context.pollMs, () => performance.now());
  let awake = Promise.withResolvers<void>();
  const loop = work();

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await gather();
      awake = Promise.withResolvers();
      const free = lane.concurrency - runs.size;
      const asked = momentNow();
      const claims = free > 0 ? await fetch(free) : [];
      for (const claim of claims) start(claim, asked);
      if (free > 0 && claims.length === free) continue;
      await called(context.pollMs);
    }
  }

  async function gather(): Promise<void> {
    const until = performance.now() + GATHER_MS;
    for (let left = GATHER_MS; isNearlyFull() && left > 0; left = until - performance.now()) {
      awake = Promise.withResolvers();
      await called(left);
    }
  }

  function isNearlyFull(): boolean {
    return runs.size * 2 > lane.concurrency && runs.size < lane.concurrency;
  }

  /** Resolves when the lane is woken, or after so long. */
  async function called(milliseconds: number): Promise<void> {
    const timer = setTimeout(awake.resolve, milliseconds);
    await awake.promise;
    clearTimeout(timer);
  }

  async function fetch(limit: number): Promise<readonly Claim[]> {
    const passedOver = rounds.passedOver();
    const inTurn = await take(limit, passedOver);
    if (inTurn === null || inTurn.length === limit || passedOver.length === 0) return inTurn ?? [];
    rounds.over();
    return [...inTurn, ...((await take(limit - inTurn.length, [])) ?? [])];
  }

  async function take(limit: number, passedOver: readonly string[]): Promise<readonly Claim[] | null> {
    try {
      const claims = await store.fetch(lane.name, limit, passedOver);
      rounds.served(claims.map(({ job }) => job.tenant ?? ''));
      return claims;
    } catch (err) {
      log.error({ err, lane: lane.name }, 'queue: could not look for jobs');
      return null;
    }
  }

  function start(claim: Claim, asked: Moment): void {
    const renewal = createRenewal(YOUNG_MS, asked);
    const run: Run = { claim, abort: new AbortController(), renewal, ended: Promise.resolve() };
    // The fetch gives a key that runs here only when that claim was lost; its run has to end first.
    const before = [...runs].filter((other) => other.claim.job.key === claim.job.key);
    for (const other of before) other.abort.abort(new Error(CLAIM_LOST));
    runs.add(run);
    run.ended = Promise.all(before.map(({ ended }) => ended))
      .then(() => execute(run))
      .finally(() => {
        runs.delete(run);
        awake.resolve();
        context.onSettled();
      });
  }

  async function execute(run: Run): Promise<void> {
    const { kind, key, data, attempt } = run.claim.job;
    const started = performance.now();
    const limit = setTimeout(() => run.abort.abort(tooLong(lane)), (lane.maxSeconds ?? 900) * 1000);
    let failure: { error: unknown } | undefined;
    try {
      const handler = context.handlers[kind];
      if (handler === undefined) throw ofNewerVersion(run.claim);
      if (run.claim.retryCount >= CRASHES)
        throw new Error(`the process ended ${CRASHES} times while this job ran`);
      const job = { kind, key, data, attempt };
      const work = (): Promise<void> => handler(job, run.abort.signal);
      await (context.shared
        ? underLease({ name: `the job ${key}`, isHeld: () => isHeld(run) }, work)
        : work());
    } catch (error) {
      failure = { error };
    }
    clearTimeout(limit);
    const seconds = (performance.now() - started) / 1000;
    const outcome = await settle(run, failure);
    context.metrics?.jobEnded(kind, outcome, seconds);
  }

  async function isHeld({ abort, renewal }: Run): Promise<boolean> {
    if (!renewal.isYoung()) await heartbeat();
    return !abort.signal.aborted && renewal.isYoung();
  }

  async function heartbeat(): Promise<void> {
    const mine = [...runs];
    if (mine.length === 0) return;
    const sent = momentNow();
    const lost = new Set(
      await store.heartbeat(
        lane.name,
        mine.map(({ claim }) => claim),
      ),
    );
    for (const run of mine) {
      if (!lost.has(run.claim)) run.renewal.renewed(sent);
      // A run that ended while the question was under way is no longer ours either, and is not lost.
      if (!lost.has(run.claim) || !runs.has(run)) continue;
      log.error(about(run.claim), 'queue: another process has taken over a job that still runs here');
      run.abort.abort(new Error(CLAIM_LOST));
    }
  }

  /** Writes down how a run ended; tried several times, since an outcome that is not written means that the job runs again. */
  async function settle(run: Run, failure: { error: unknown } | undefined): Promise<JobOutcome> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await (failure === undefined ? finish(run) : fail(run, failure.error));
      } catch (err) {
        log.error({ err, ...about(run.claim), tries }, 'queue: could not store the end of a job');
        if (tries >= SETTLE_TRIES) return 'lost';
        await new Promise((resolve) => setTimeout(resolve, 100 * 4 ** tries));
      }
    }
  }

  async function finish({ claim }: Run): Promise<JobOutcome> {
    if (await store.finish(claim)) return 'done';
    log.warn(about(claim), 'queue: a job ended after another process had taken it over');
    return 'lost';
  }

  async function fail({ claim, abort }: Run, error: unknown): Promise<JobOutcome> {
    const { job } = claim;
    if (stopping.signal.aborted && abort.signal.aborted) {
      return (await store.repeat(claim, { attempt: job.attempt, held: false, delaySeconds: 0 }))
        ? 'released'
        : 'lost';
    }
    const cause = abort.signal.aborted ? abort.signal.reason : error;
    const crashed = claim.retryCount >= CRASHES;
    const verdict = classifyFailure(cause, crashed ? Infinity : job.attempt, Math.random());
    if (verdict.what === 'retry') {
      const delaySeconds = verdict.delayMs / 1000;
      const next = { attempt: job.attempt + 1, held: verdict.hold, delaySeconds, code: verdict.code };
      if (!(await store.repeat(claim, next))) return 'lost';
      // The index is read after each start: to wait for it is no failure.
      const level = verdict.code === 'INDEX_INCOMPLETE' ? 'info' : 'warn';
      log[level]({ err: cause, ...about(claim), delaySeconds }, 'queue: a job failed and will run again');
      wake(delaySeconds, [job.tenant ?? '']);
      return 'retried';
    }
    const message = context.scrub(cause instanceof Error ? cause.message : String(cause));
    if (!(await store.markDead(claim, { code: verdict.code, message }))) return 'lost';
    if (verdict.outcome === 'dead')
      log.error({ err: cause, ...about(claim) }, 'queue: a job failed for good');
    else log.info({ err: cause, ...about(claim) }, 'queue: a job was refused');
    return verdict.outcome;
  }

  function wake(afterSeconds = 0, tenants?: readonly string[]): void {
    if (afterSeconds <= 0) {
      rounds.came(tenants);
      return awake.resolve();
    }
    // Longer ones are found by the poll; a timer for each would pile up.
    if (afterSeconds > 60) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        rounds.came(tenants);
        awake.resolve();
      },
      afterSeconds * 1000 + 1,
    );
    timers.add(timer);
  }

  return {
    wake,
    running: () => runs.size,
    heartbeat,
    async drain() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      awake.resolve();
      await loop;
      await Promise.all([...runs].map(({ ended }) => ended));
    },
    abort() {
      for (const run of runs) run.abort.abort(new Error('the process is stopping'));
    },
  };
}

/** Keys hold the number of a repository, which says nothing to a person who reads the log: the data has its name. */
function about({
  lane,
  job: { kind, key, data, attempt },
}: Claim): Readonly<Record<string, string | number>> {
  const { repository, ...rest } = subject.parse(data);
  const name = repository && { repository: `${repository.owner}/${repository.name}` };
  return { lane, kind, key, attempt, ...name, ...rest };
}

/** What the data of jobs says for the log; a job of a newer version may hold anything. */
const subject = z
  .object({
    repository: z.object({ owner: z.string(), name: z.string() }).optional().catch(undefined),
    number: z.number().exactOptional(),
    delivery: z.string().exactOptional(),
  })
  .catch({});

/** During an upgrade, processes of both versions take from the same lanes: it waits for one that knows its kind. */
function ofNewerVersion({ job: { key, kind } }: Claim): PorticoError {
  return new PorticoError(
    'JOB_UNREADABLE',
    `the job ${key} cannot be read: nothing is known of jobs of kind ${kind}`,
    { blame: 'forge', hint: NEWER_VERSION },
  );
}

function tooLong(lane: Lane): Error {
  return new Error(`the job ran longer than the ${lane.maxSeconds ?? 900} s that lane ${lane.name} allows`);
}
