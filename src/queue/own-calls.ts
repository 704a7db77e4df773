import { randomUUID } from 'node:crypto';

import { earliestCall, type CallWindows } from './call-windows.ts';
import type { Database } from './database.ts';

/** A call that was given its time. */
export interface Slot {
  readonly id: string;
  /** Until then. */
  readonly milliseconds: number;
}

/** Who gives calls their times, one after the other. */
export interface CallTimes {
  /** Gives the next one its time, durably. */
  reserve(installationId: number): Promise<Slot>;
  /** Gives a time back that nothing was done with. */
  release(installationId: number, slot: Slot): Promise<void>;
  /** Seconds until a call asked for now would go ahead. */
  eta(installationId: number): Promise<number>;
}

/**
 * Times of calls where this process has the database to itself: they are read from it once and then known, so that a
 * call costs one statement, which is there for the next start.
 */
export function createOwnCalls(database: Pick<Database, 'query'>, windows: CallWindows): CallTimes {
  const known = new Map<number, Promise<Time[]>>();
  const hour = windows.minute * 60n;

  function timesOf(installationId: number): Promise<Time[]> {
    const present = known.get(installationId);
    if (present !== undefined) return present;
    const reading = read(installationId);
    known.set(installationId, reading);
    reading.catch(() => known.delete(installationId));
    return reading;
  }

  async function read(installationId: number): Promise<Time[]> {
    const rows = await database.query<{ id: string; at: string }>(
      `SELECT id, (extract(epoch FROM starts_at) * 1000000)::bigint::text AS at FROM portico.content_call
       WHERE installation = $1 AND starts_at > to_timestamp($2::float8 / 1000000) ORDER BY starts_at`,
      [installationId, String(now() - hour)],
    );
    return rows.map(({ id, at }) => ({ id, at: BigInt(at) }));
  }

  /** The earliest time for one more behind these; what no window counts any more is forgotten. */
  function earliest(times: Time[], at: bigint): bigint {
    const old = times.findIndex((time) => time.at > at - hour);
    times.splice(0, old === -1 ? times.length : old);
    const nthNewest = (count: number): bigint | null => times.at(-count)?.at ?? null;
    const before = {
      newest: nthNewest(1),
      minuteBefore: nthNewest(windows.perMinute),
      hourBefore: nthNewest(windows.perHour),
    };
    return earliestCall(at, before, windows);
  }

  function forget(times: Time[], id: string): void {
    const place = times.findIndex((time) => time.id === id);
    if (place !== -1) times.splice(place, 1);
  }

  return {
    async reserve(installationId) {
      const times = await timesOf(installationId);
      const id = randomUUID();
      const at = earliest(times, now());
      times.push({ id, at });
      try {
        await database.query(
          `INSERT INTO portico.content_call (installation, id, starts_at)
           VALUES ($1, $2, timestamptz 'epoch' + $3::bigint * interval '1 microsecond')`,
          [installationId, id, String(at)],
        );
      } catch (error) {
        forget(times, id);
        throw error;
      }
      return { id, milliseconds: Math.max(0, Number(at - now()) / 1000) };
    },
    async release(installationId, { id }) {
      await database.query('DELETE FROM portico.content_call WHERE installation = $1 AND id = $2', [
        installationId,
        id,
      ]);
      forget(await timesOf(installationId), id);
    },
    async eta(installationId) {
      const times = await timesOf(installationId);
      const present = now();
      return Number(earliest(times, present) - present) / 1_000_000;
    },
  };
}

interface Time {
  readonly id: string;
  /** In microseconds since 1970. */
  readonly at: bigint;
}

function now(): bigint {
  return BigInt(Date.now()) * 1000n;
}
