import { setTimeout as sleep } from 'node:timers/promises';

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
  const windows = [options.perMinute, minute, options.perHour, minute * 60] as const;

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
        `INSERT INTO portico.content_call (installation, starts_at) VALUES ($1, $2::timestamptz)
         RETURNING id, greatest(0, extract(epoch FROM starts_at - clock_timestamp()) * 1000)::float8 AS milliseconds`,
        [installationId, at],
      );
      metrics?.budgetLeft(installationId, await left(tx, installationId));
      return slot ?? { id: '', milliseconds: 0 };
    });
  }

  /** The time of the next call, as text: a Date would lose the microseconds that order depends on. */
  async function earliest(source: Queryable, installationId: number): Promise<string> {
    const [row] = await source.query<{ at: string }>(
      `WITH calls AS (
         SELECT starts_at, row_number() OVER (ORDER BY starts_at DESC) AS nth
         FROM (SELECT starts_at FROM portico.content_call WHERE installation = $1
               ORDER BY starts_at DESC LIMIT greatest($2::int, $4::int)) AS newest)
       SELECT greatest(clock_timestamp(),
         (SELECT starts_at FROM calls WHERE nth = 1),
         (SELECT starts_at + make_interval(secs => $3) FROM calls WHERE nth = $2::int),
         (SELECT starts_at + make_interval(secs => $5) FROM calls WHERE nth = $4::int))::text AS at`,
      [installationId, ...windows],
    );
    return row?.at ?? 'now';
  }

  async function left(source: Queryable, installationId: number): Promise<number> {
    const [row] = await source.query<{ left: number }>(
      `SELECT greatest(0, least(
         $2::int - count(*) FILTER (WHERE starts_at > clock_timestamp() - make_interval(secs => $3)),
         $4::int - count(*)))::int AS left
       FROM portico.content_call WHERE installation = $1 AND starts_at > clock_timestamp() - make_interval(secs => $5)`,
      [installationId, ...windows],
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
        'SELECT greatest(0, extract(epoch FROM $1::timestamptz - clock_timestamp()))::float8 AS seconds',
        [await earliest(database, installationId)],
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

interface Slot {
  readonly id: string;
  readonly milliseconds: number;
}
