/** What is known of jobs for a person who asks why nothing happens: those that wait or run, that were given up, or that ended lately. */
import { DEAD_LETTERS } from './boss.ts';
import type { Database } from './database.ts';
import type { Job, JobsAbout, JobTrace } from './job.ts';

/** A job that ended and had come from a webhook. */
export interface EndedJob extends Pick<Job, 'kind' | 'key' | 'data' | 'attempt'> {
  readonly delivery: string;
  readonly repository: number | undefined;
  /** Why there was nothing to do; absent where something was done. */
  readonly reason?: string | undefined;
}

export interface EndedJobs {
  put(jobs: readonly EndedJob[]): Promise<void>;
  /** Forgets what ended long ago. */
  prune(): Promise<void>;
}

/** As long as the inbox knows a delivery. */
const KEPT_DAYS = 4;
/** Jobs of each sort in one answer. */
const MAX_TRACES = 100;

/** A job that another process takes over after a crash ends twice: the later end counts. */
export function createEndedJobs(database: Pick<Database, 'query'>): EndedJobs {
  return {
    async put(jobs) {
      const one = [...new Map(jobs.map((job) => [JSON.stringify([job.delivery, job.key]), job])).values()];
      // In one order for all, so that two processes never wait for each other.
      const sorted = one.toSorted((a, b) => (a.delivery + a.key < b.delivery + b.key ? -1 : 1));
      await database.query(
        `INSERT INTO portico.job_end (delivery, key, repository, content)
         SELECT delivery, key, repository, content FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
           AS ended (delivery, key, repository, content)
         ON CONFLICT (delivery, key) DO UPDATE SET content = excluded.content, ended_at = now()`,
        [
          sorted.map(({ delivery }) => delivery),
          sorted.map(({ key }) => key),
          sorted.map(({ repository }) => repository ?? null),
          sorted.map(({ kind, data, attempt, reason }) => JSON.stringify({ kind, data, attempt, reason })),
        ],
      );
    },
    async prune() {
      await database.query('DELETE FROM portico.job_end WHERE ended_at < now() - make_interval(days => $1)', [
        KEPT_DAYS,
      ]);
    },
  };
}

interface QueuedRow {
  readonly name: string;
  readonly state: string;
  readonly job: Job & { readonly code?: string; readonly attempts?: number };
  readonly waits: boolean;
  readonly at: Date;
}

type EndedContent = Pick<Job, 'kind' | 'data' | 'attempt'> & { readonly reason?: string };

/** Oldest first within each sort: ended, given up, queued. */
export async function jobsAbout(
  database: Pick<Database, 'query'>,
  laneNames: readonly string[],
  what: JobsAbout,
): Promise<readonly JobTrace[]> {
  const [delivery, repository] = 'delivery' in what ? [what.delivery, null] : [null, what.repository];
  const ended = await database.query<{ key: string; content: string; at: Date }>(
    `SELECT key, content, ended_at AS at FROM portico.job_end WHERE delivery = $1 OR repository = $2::bigint
     ORDER BY ended_at DESC LIMIT $3`,
    [delivery, repository, MAX_TRACES],
  );
  const queued = await database.query<QueuedRow>(
    `SELECT name, state::text AS state, data AS job, start_after > now() AS waits,
       CASE WHEN state = 'active' THEN started_on WHEN start_after > now() THEN start_after ELSE created_on END AS at
     FROM pgboss.job WHERE name = ANY($1) AND state <= 'active'
       AND (data->'data'->>'delivery' = $2 OR data->'data'->'repository'->>'id' = $3)
       AND (name <> $4 OR created_on > now() - make_interval(days => $5))
     ORDER BY created_on DESC LIMIT $6`,
    [
      [DEAD_LETTERS, ...laneNames],
      delivery,
      repository === null ? null : String(repository),
      DEAD_LETTERS,
      KEPT_DAYS,
      2 * MAX_TRACES,
    ],
  );
  const done = ended.map(({ key, content, at }): JobTrace => {
    const { kind, data, attempt, reason } = JSON.parse(content) as EndedContent;
    return { kind, key, data, attempt, state: 'done', at, ...(reason !== undefined && { reason }) };
  });
  const open = queued.map(({ name, state, job: { kind, key, data, code, ...job }, waits, at }): JobTrace => {
    const isDead = name === DEAD_LETTERS;
    const now = state === 'active' ? 'running' : waits ? 'waiting' : 'ready';
    const attempt = isDead ? (job.attempts ?? 1) : job.attempt;
    return {
      kind,
      key,
      data,
      attempt,
      state: isDead ? 'given-up' : now,
      at,
      ...(code !== undefined && { code }),
    };
  });
  return [...done, ...open].toReversed().toSorted((a, b) => orderOf(a) - orderOf(b));
}

function orderOf({ state }: JobTrace): number {
  return state === 'done' ? 0 : state === 'given-up' ? 1 : 2;
}

/** A webhook in the inbox. */
export interface DeliveryTrace {
  readonly event: string;
  readonly state: string;
  readonly receivedAt: Date;
  readonly attempt: number;
  readonly code?: string;
  readonly jobs: readonly Pick<Job, 'kind' | 'key' | 'data'>[];
}

/** Null where it is not there. */
export async function findDelivery(
  database: Pick<Database, 'query'>,
  id: string,
): Promise<DeliveryTrace | null> {
  const [row] = await database.query<
    Omit<DeliveryTrace, 'code' | 'jobs'> & Record<'code' | 'payload', string | null>
  >(
    `SELECT event, state, received_at AS "receivedAt", attempt, code, payload FROM portico.delivery WHERE id = $1`,
    [id],
  );
  if (row === undefined) return null;
  const { code, payload, ...known } = row;
  return { ...known, ...(code !== null && { code }), jobs: storedJobs(payload) };
}

/** What an earlier version stored holds no jobs. */
function storedJobs(payload: string | null): DeliveryTrace['jobs'] {
  try {
    const { jobs } = JSON.parse(payload ?? '{}') as { readonly jobs?: unknown };
    return Array.isArray(jobs) ? (jobs as DeliveryTrace['jobs']) : [];
  } catch {
    return [];
  }
}
