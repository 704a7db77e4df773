import { setTimeout as sleep } from 'node:timers/promises';

import type { CallWindows } from './call-windows.ts';
import type { Database } from './database.ts';
import { createOwnCalls } from './own-calls.ts';
import { createSharedCalls } from './shared-calls.ts';

/** The content-creating calls (comments, pull requests, reviews, …) that an installation may make, in GitHub's two windows. */
export interface Budget {
  /** Waits for this installation's turn, first come first served, and spends one call. Rejects only by `signal`. */
  take(installationId: number, signal?: AbortSignal): Promise<void>;
  /** Seconds until a call asked for now would go ahead, behind all that wait already; 0 when at once. */
  eta(installationId: number): Promise<number>;
  /** Installation → how many calls it could make at once, in all processes together; those that made none in the last hour are left out. */
  left(): Promise<ReadonlyMap<number, number>>;
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
}

/**
 * The durable budget of every installation, shared by all processes on one database.
 *
 * Each call gets its time when it is asked for: the earliest at which neither window, looking back from there, holds too
 * many, and not before the call asked for last. So the order is kept, a restart goes on where it was, and no minute or
 * hour, wherever it begins, ever holds more than its number (a bucket that refills would let through twice as much).
 * The time is a row, which is there before the call goes ahead.
 */
export function createBudget(options: BudgetOptions): Budget {
  const { database } = options;
  const minute = options.minuteSeconds ?? 60;
  const windows: CallWindows = {
    perMinute: options.perMinute,
    perHour: options.perHour,
    minute: BigInt(Math.round(minute * 1_000_000)),
  };
  const calls =
    database.engine === 'pglite' ? createOwnCalls(database, windows) : createSharedCalls(database, windows);

  return {
    async take(installationId, signal) {
      signal?.throwIfAborted();
      const slot = await calls.reserve(installationId);
      if (slot.milliseconds === 0) return;
      try {
        await sleep(Math.ceil(slot.milliseconds), undefined, signal && { signal });
      } catch (error) {
        // Who waits behind keeps the time it was given; the next one to ask gets the one that is free again.
        await calls.release(installationId, slot);
        throw error;
      }
    },
    eta: (installationId) => calls.eta(installationId),
    async left() {
      const rows = await database.query<{ id: number; minute: number; hour: number }>(
        `SELECT installation::float8 AS id, count(*)::float8 AS hour,
           count(*) FILTER (WHERE starts_at > clock_timestamp() - make_interval(secs => $1))::float8 AS minute
         FROM portico.content_call WHERE starts_at > clock_timestamp() - make_interval(secs => $2)
         GROUP BY installation`,
        [minute, minute * 60],
      );
      return new Map(
        rows.map((row) => [
          row.id,
          Math.max(0, Math.min(options.perMinute - row.minute, options.perHour - row.hour)),
        ]),
      );
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
