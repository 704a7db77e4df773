import { earliestCall, type CallWindows } from './call-windows.ts';
import type { Database, Queryable } from './database.ts';
import type { CallTimes, Slot } from './own-calls.ts';

/**
 * Times of calls where several processes share a database: each is written under a lock of the installation, by the
 * database's clock.
 */
export function createSharedCalls(database: Database, windows: CallWindows): CallTimes {
  const lines = new Map<number, Promise<unknown>>();

  /** One at a time for an installation: several connections would not keep the order of asking. */
  function reserve(installationId: number): ReturnType<CallTimes['reserve']> {
    const turn = (lines.get(installationId) ?? Promise.resolve()).then(() => insertCall(installationId));
    const ended = turn.catch(() => {});
    lines.set(installationId, ended);
    void ended.then(() => lines.get(installationId) === ended && lines.delete(installationId));
    return turn;
  }

  async function insertCall(installationId: number): ReturnType<CallTimes['reserve']> {
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

  return {
    reserve,
    async release(installationId, { id }) {
      await database.query('DELETE FROM portico.content_call WHERE installation = $1 AND id = $2', [
        installationId,
        id,
      ]);
    },
    async eta(installationId) {
      const [row] = await database.query<{ seconds: number }>(
        `SELECT greatest(0, $1::float8 / 1000000 - extract(epoch FROM clock_timestamp()))::float8 AS seconds`,
        [String(await earliest(database, installationId))],
      );
      return row?.seconds ?? 0;
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
