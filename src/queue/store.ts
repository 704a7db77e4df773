import type { PgBoss } from 'pg-boss';

import { DEAD_LETTERS, bossDatabase, settledIds } from './boss.ts';
import type { Database, Queryable } from './database.ts';
import type { DeadJob, Json, LaneDepth } from './job.ts';

/** A job as it lies in pg-boss. */
interface StoredJob {
  readonly kind: string;
  readonly key: string;
  readonly data: Json;
  readonly attempt: number;
  readonly priority: number;
  /** Its start was set by the forge's `retry-after`: a newer event may replace the data but not bring the start forward. */
  readonly held: boolean;
  /** '' for nobody's. Absent in jobs that an earlier version stored. */
  readonly tenant?: string;
  /** Of the error for which it runs again. */
  readonly code?: string;
}

/** A job that this process runs, and which run of it: what another process has taken over since cannot be settled. */
export interface Claim {
  readonly lane: string;
  readonly id: string;
  readonly retryCount: number;
  readonly job: StoredJob;
}

export interface Arrival {
  readonly lane: string;
  readonly job: StoredJob;
  readonly delaySeconds: number;
}

interface Waiting {
  readonly id: string;
  readonly lane: string;
  readonly seconds: number;
  readonly job: StoredJob;
}

interface Repetition {
  readonly attempt: number;
  readonly held: boolean;
  readonly delaySeconds: number;
  readonly code?: string;
}

export interface JobStore {
  enqueue(arrivals: readonly Arrival[]): Promise<void>;
  /** The next jobs; none of the tenants that are passed over. */
  fetch(lane: string, limit: number, passedOver: readonly string[]): Promise<readonly Claim[]>;
  /** Each of the three ends a claim; false when the claim was no longer ours, and then nothing is changed. */
  finish(claim: Claim): Promise<boolean>;
  repeat(claim: Claim, next: Repetition): Promise<boolean>;
  markDead(claim: Claim, reason: { code: string; message: string }): Promise<boolean>;
  /** Keeps the claims alive; returns those that are no longer ours. */
  heartbeat(lane: string, claims: readonly Claim[]): Promise<readonly Claim[]>;
  /** Jobs that are active or start within so many seconds. */
  busy(lanes: readonly string[], withinSeconds: number): Promise<number>;
  depth(): Promise<readonly LaneDepth[]>;
  dead(limit: number): Promise<readonly DeadJob[]>;
}

/** The channel on which other processes are told that a lane has work. */
export const WAKE_CHANNEL = 'portico_queue';

/**
 * The queue's statements: pg-boss's for what moves a job, our own for the rule that at most one job waits per key,
 * which pg-boss does not have. That rule is kept by a lock on the key for every writer (enqueue, repeat), within whose
 * transaction the waiting job is looked up and then changed or made. A fetch takes no such lock: if it claims the
 * waiting job in between, the change finds it active, changes nothing, and a new one is made, so no event is lost.
 */
export function createJobStore(database: Database, boss: PgBoss, laneNames: readonly string[]): JobStore {
  const shared = database.engine === 'postgres';

  async function put(
    tx: Queryable,
    arrivals: readonly Arrival[],
    waiting: readonly Waiting[],
  ): Promise<void> {
    const db = bossDatabase(tx);
    const found = new Map(waiting.map((entry) => [identity(entry), entry]));
    for (const [lane, group] of Map.groupBy(arrivals, (arrival) => arrival.lane)) {
      const fresh: Arrival[] = [];
      for (const arrival of group) {
        const old = found.get(identity(arrival));
        const merged = old === undefined ? undefined : merge(arrival, old);
        if (old === undefined || merged === undefined) {
          fresh.push(arrival);
          continue;
        }
        const change = { id: old.id, startAfter: merged.delaySeconds, priority: merged.job.priority, db };
        const { updated } = await boss.update(lane, merged.job, change);
        if (updated === 0) fresh.push(arrival);
      }
      const jobs = fresh.map(({ job, delaySeconds }) => ({
        data: job,
        singletonKey: job.key,
        startAfter: delaySeconds,
        priority: job.priority,
        group: { id: groupOf(job.tenant) },
      }));
      if (jobs.length > 0) await boss.insert(lane, jobs, { db });
      if (shared) await tx.query('SELECT pg_notify($1, $2)', [WAKE_CHANNEL, lane]);
    }
  }

  /** Ends a claim, and does `then` in the same transaction if it still was ours. */
  function settle(
    claim: Claim,
    then: (tx: Queryable, waiting: readonly Waiting[]) => Promise<unknown>,
  ): Promise<boolean> {
    return database.transaction(async (tx) => {
      const waiting = await lockKeys(tx, [{ lane: claim.lane, job: claim.job }], shared);
      const ended = await boss.deleteJob(claim.lane, attemptOf(claim), { db: bossDatabase(tx) });
      if (settledIds(ended).length === 0) return false;
      await then(tx, waiting);
      return true;
    });
  }

  return {
    enqueue: (arrivals) =>
      database.transaction(async (tx) => {
        const wanted = oneForEachKey(arrivals);
        await put(tx, wanted, await lockKeys(tx, wanted, shared));
      }),
    async fetch(lane, limit, passedOver) {
      const ignoreGroups = passedOver.map(groupOf);
      const jobs = await boss.fetch<StoredJob>(lane, { batchSize: limit, ignoreGroups });
      return jobs.map(({ id, retryCount, data }) => ({ lane, id, retryCount, job: data }));
    },
    finish: async (claim) => settledIds(await boss.deleteJob(claim.lane, attemptOf(claim))).length > 0,
    repeat: (claim, { delaySeconds, ...next }) =>
      settle(claim, async (tx, waiting) => {
        const { held } = next;
        const again = { ...claim.job, ...next };
        const newer = waiting[0];
        if (newer === undefined) return put(tx, [{ lane: claim.lane, job: again, delaySeconds }], []);
        // What waits is newer and takes the place of the repetition; only the forge's word delays it.
        if (!held) return undefined;
        const later = {
          id: newer.id,
          startAfter: Math.max(newer.seconds, delaySeconds),
          db: bossDatabase(tx),
        };
        return boss.update(claim.lane, { ...newer.job, held }, later);
      }),
    markDead: (claim, { code, message }) =>
      settle(claim, (tx) => {
        const { kind, key, data, attempt } = claim.job;
        const letter = { kind, key, data, code, message, attempts: attempt };
        return boss.send(DEAD_LETTERS, letter, { db: bossDatabase(tx) });
      }),
    async heartbeat(lane, claims) {
      const alive = settledIds(await boss.touch(lane, claims.map(attemptOf)));
      return claims.filter(({ id }) => !alive.includes(id));
    },
    async busy(lanes, withinSeconds) {
      const rows = await database.query<{ jobs: number }>(
        `SELECT count(*)::int AS jobs FROM pgboss.job WHERE name = ANY($1) AND (state = 'active'
           OR (state < 'active' AND start_after <= now() + make_interval(secs => $2)))`,
        [lanes, withinSeconds],
      );
      return rows[0]?.jobs ?? 0;
    },
    depth: () => depth(database, laneNames),
    dead: (limit) => dead(database, limit),
  };
}

/**
 * Locks the keys until the end of the transaction, in one order for all so that two never wait for each other. Where the
 * database is not shared there is one transaction at a time, which is lock enough.
 */
async function lockKeys(
  tx: Queryable,
  jobs: readonly Pick<Arrival, 'lane' | 'job'>[],
  shared: boolean,
): Promise<Waiting[]> {
  const lanes = jobs.map(({ lane }) => lane);
  const keys = jobs.map(({ job }) => job.key);
  if (shared) {
    await tx.query(
      `SELECT pg_advisory_xact_lock(lock) FROM (SELECT DISTINCT hashtextextended('portico job ' || lane || ' ' || key, 0) AS lock
         FROM unnest($1::text[], $2::text[]) AS wanted(lane, key) ORDER BY 1 OFFSET 0) AS ordered`,
      [lanes, keys],
    );
  }
  // A statement of its own: its snapshot must be taken when the locks are held.
  return tx.query<Waiting>(
    `SELECT DISTINCT ON (j.name, j.singleton_key) j.id, j.name AS lane, j.data AS job,
       greatest(0, extract(epoch FROM j.start_after - clock_timestamp()))::float8 AS seconds
     FROM unnest($1::text[], $2::text[]) AS wanted(lane, key)
     JOIN pgboss.job j ON j.name = wanted.lane AND j.singleton_key = wanted.key
       AND j.state < 'active' AND NOT j.blocked AND j.policy = 'key_strict_fifo'
     ORDER BY j.name, j.singleton_key, j.created_on DESC`,
    [lanes, keys],
  );
}

function merge(arrival: Arrival, waiting: Waiting): Arrival {
  const { held } = waiting.job;
  return {
    lane: arrival.lane,
    job: { ...arrival.job, held, priority: Math.max(waiting.job.priority, arrival.job.priority) },
    delaySeconds: held ? waiting.seconds : Math.min(waiting.seconds, arrival.delaySeconds),
  };
}

/** Of several for one key the newest counts, as soon and as urgent as any of them. */
function oneForEachKey(arrivals: readonly Arrival[]): Arrival[] {
  const wanted = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    const before = wanted.get(identity(arrival));
    const priority = Math.max(arrival.job.priority, before?.job.priority ?? -Infinity);
    const delaySeconds = Math.min(arrival.delaySeconds, before?.delaySeconds ?? Infinity);
    wanted.set(identity(arrival), { ...arrival, job: { ...arrival.job, priority }, delaySeconds });
  }
  return [...wanted.values()];
}

/** A lane and a key: of those at most one job waits. */
export function identity({ lane, job }: { lane: string; job: Pick<StoredJob, 'key'> }): string {
  return JSON.stringify([lane, job.key]);
}

/** pg-boss passes over no job without a group, and takes no empty name for one. */
function groupOf(tenant = ''): string {
  return `tenant ${tenant}`;
}

function attemptOf({ id, retryCount }: Claim): { id: string; retryCount: number } {
  return { id, retryCount };
}

async function depth(database: Database, laneNames: readonly string[]): Promise<LaneDepth[]> {
  return database.query<LaneDepth>(
    `SELECT lane, count(*) FILTER (WHERE j.state < 'active' AND j.start_after <= now())::int AS ready,
       count(*) FILTER (WHERE j.state < 'active' AND j.start_after > now())::int AS deferred,
       count(*) FILTER (WHERE j.state = 'active')::int AS active,
       coalesce(max(extract(epoch FROM now() - greatest(j.created_on, j.start_after)))
         FILTER (WHERE j.state < 'active' AND j.start_after <= now()), 0)::float8 AS "ageSeconds"
     FROM unnest($1::text[]) AS wanted(lane) LEFT JOIN pgboss.job j ON j.name = lane AND j.state <= 'active'
     GROUP BY lane ORDER BY lane`,
    [laneNames],
  );
}

async function dead(database: Database, limit: number): Promise<DeadJob[]> {
  const rows = await database.query<{ id: string; at: Date; data: Omit<DeadJob, 'id' | 'at'> }>(
    `SELECT id, created_on AS at, data FROM pgboss.job WHERE name = $1 ORDER BY created_on DESC LIMIT $2`,
    [DEAD_LETTERS, limit],
  );
  return rows.map(({ id, at, data }) => ({ ...data, id, at }));
}
