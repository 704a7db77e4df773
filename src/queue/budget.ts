import { setTimeout as sleep } from 'node:timers/promises';

import { earliestCall, type CallWindows } from './call-windows.ts';
import type { Database, Queryable } from './database.ts';

/** The content-creating calls (comments, pull requests, reviews, …) that an installation may make, in GitHub's two windows. */
export interface Budget {
  /** Waits for this installation's turn, first come first served, and spends one call. Rejects only by `signal`. */
  take(installationId: number, signal?: AbortSignal): Promise<void>;
  /** Seconds until a call asked for now would go ahead, behind all that wait already; 0 when at once. */
  eta(installationId: number): Promise<number>;
  /** Forgets calls that no window counts any more; returns how many. */
  prune(): Promise<number>;
}

export interface BudgetOptions {
  readonly database: Database;
  /** GitHub documents 80 a minute and 500 an hour: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
  readonly perMinute: number;
  readonly perHour: number;
  /** How long a minute is, in seconds; 60 when absent. Tests have no time for more. */
  readonly minuteSeconds?: number;
  readonly metrics?: { budgetLeft(installationId: number, left: number): void };
}

/**
 * The durable budget of every installation, shared by all processes on one database.
 *
 * Each call gets its time when it is asked for: the earliest at which neither window, looking back from there, holds too
 * many, and not before the call asked for last. So the order is kept, a restart goes on where it was, and no minute or
 * hour, wherever it begins, ever holds more than its number (a bucket that refills would let through twice as much).
 * The time is a row, written under a lock of the installation, by the database's clock.
 */
export function createBudget(options: BudgetOptions): Budget {
  const { database, metrics } = options;
  const minute = options.minuteSeconds ?? 60;
  const windows: CallWindows = {
    perMinute: options.perMinute,
    perHour: options.perHour,
    minute: BigInt(Math.round(minute * 1_000_000)),
  };

  const lines = new Map<number, Promise<unknown>>();

  /** One at a time for an installation: several connections would not keep the order of asking. */
  function reserve(installationId: number): Promise<Slot> {
    const turn = (lines.get(installationId) ?? Promise.resolve()).then(() => insertCall(installationId));
    const ended = turn.catch(() => {});
    lines.set(installationId, ended);
    void ended.then(() => lines.get(installationId) === ended && lines.delete(installationId));
    return turn;
  }

  async function insertCall(installationId: number): Promise<Slot> {
    return database.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('portico budget ' || $1, 0))`, [
        String(installationId),
      ]);
      const at = await earliest(tx, installationId);
      const [slot] = await tx.query<Slot>(
        `INSERT INTO portico.content_call (installation, starts_at) VALUES ($1, ${FROM_MICROSECONDS})
         RETURNING id, greatest(0, extract(epoch FROM starts_at - clock_timestamp()) * 1000)::float8 AS milliseconds`,
        [installationId, String(at)],
      );
      metrics?.budgetLeft(installationId, await left(tx, installationId));
      return slot ?? { id: '', milliseconds: 0 };
    });
  }

  /** The time of the next call in microseconds since 1970: a Date would lose those that order depends on. */
  async function earliest(source: Queryable, installationId: number): Promise<bigint> {
    const [row] = await source.query<
      Record<'now' | 'newest' | 'minute_before' | 'hour_before', string | null>
    >(
      `WITH calls AS (
         SELECT starts_at, row_number() OVER (ORDER BY starts_at DESC) AS nth
         FROM (SELECT starts_at FROM portico.content_call WHERE installation = $1
               ORDER BY starts_at DESC LIMIT greatest($2::int, $3::int)) AS newest)
       SELECT ${microseconds('clock_timestamp()')} AS now,
         (SELECT ${microseconds('starts_at')} FROM calls WHERE nth = 1) AS newest,
         (SELECT ${microseconds('starts_at')} FROM calls WHERE nth = $2::int) AS minute_before,
         (SELECT ${microseconds('starts_at')} FROM calls WHERE nth = $3::int) AS hour_before`,
      [installationId, windows.perMinute, windows.perHour],
    );
    return earliestCall(
      timeOf(row?.now) ?? 0n,
      {
        newest: timeOf(row?.newest),
        minuteBefore: timeOf(row?.minute_before),
        hourBefore: timeOf(row?.hour_before),
      },
      windows,
    );
  }

  async function left(source: Queryable, installationId: number): Promise<number> {
    const [row] = await source.query<{ left: number }>(
      `SELECT greatest(0, least(
         $2::int - count(*) FILTER (WHERE starts_at > clock_timestamp() - make_interval(secs => $3)),
         $4::int - count(*)))::int AS left
       FROM portico.content_call WHERE installation = $1 AND starts_at > clock_timestamp() - make_interval(secs => $5)`,
      [installationId, options.perMinute, minute, options.perHour, minute * 60],
    );
    return row?.left ?? 0;
  }

  return {
    async take(installationId, signal) {
      signal?.throwIfAborted();
      const slot = await reserve(installationId);
      if (slot.milliseconds === 0) return;
      try {
        await sleep(Math.ceil(slot.milliseconds), undefined, signal && { signal });
      } catch (error) {
        // Who waits behind keeps the time it was given; the next one to ask gets the one that is free again.
        await database.query('DELETE FROM portico.content_call WHERE installation = $1 AND id = $2', [
          installationId,
          slot.id,
        ]);
        throw error;
      }
    },
    async eta(installationId) {
      const [row] = await database.query<{ seconds: number }>(
        `SELECT greatest(0, $1::float8 / 1000000 - extract(epoch FROM clock_timestamp()))::float8 AS seconds`,
        [String(await earliest(database, installationId))],
      );
      return row?.seconds ?? 0;
    },
    async prune() {
      const gone = await database.query(
        'DELETE FROM portico.content_call WHERE starts_at < clock_timestamp() - make_interval(secs => $1) RETURNING id',
        [minute * 60],
      );
      return gone.length;
    },
  };
}

function timeOf(text: string | null | undefined): bigint | null {
  return text === null || text === undefined ? null : BigInt(text);
}

function microseconds(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000000)::bigint::text`;
}

/** The second parameter as a time, exactly. */
const FROM_MICROSECONDS = `timestamptz 'epoch' + $2::bigint * interval '1 microsecond'`;

interface Slot {
  readonly id: string;
  readonly milliseconds: number;
}
