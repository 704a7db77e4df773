/**
 * Work with the same key is done one after the other, in all processes that share a database. Locks belong to one
 * connection of this process: where that breaks, the server lets go of all of them, and the work under them may write no
 * more (`queue/fence.ts`).
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { PROCESS_NAME, type Database, type Session } from '../queue/database.ts';
import { underLease, type Lease } from '../queue/fence.ts';
import { createKeyedLock, type KeyedLock } from './keyed-lock.ts';
import { UNWATCHED, type LockWaits } from './lock-waits.ts';

/** Another process is asked again after so long, and less and less often. */
const FIRST_MS = 10;
/** Milliseconds between two attempts. */
const MAX_MS = 250;

/** Who has an advisory lock of one 64-bit key. */
const HOLDER = `
  SELECT pid AS backend, application_name AS holder FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = $1::bigint
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** The jobs that run somewhere and are about the same as a lock, whose key ends in the number that theirs holds. */
const JOBS = `SELECT singleton_key AS key FROM pgboss.job WHERE state = 'active' AND singleton_key ~ ('(^|\\D)' || $1 || '(\\D|$)')`;

/** In this process alone, where it has the database to itself. */
export function createSharedLock(database: Database, waits: LockWaits = UNWATCHED): KeyedLock {
  const local = createKeyedLock();
  /** The jobs of this process by the lock that they hold. */
  const jobs = new Map<string, string | undefined>();
  const open = database.session;
  let current: Promise<Session> | undefined;

  /** The one that is open, or a new one; whoever comes while it is being opened gets the same. */
  const session = async (start: () => Promise<Session>): Promise<Session> => {
    for (;;) {
      const opening = (current ??= start());
      const forget = (): void => void (current = current === opening ? undefined : current);
      const found = await opening.catch((error: unknown) => {
        forget();
        throw error;
      });
      if (!found.broken()) return found;
      forget();
    }
  };

  async function take(start: () => Promise<Session>, id: string): Promise<Session> {
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MAX_MS)) {
      const on = await session(start);
      const [row] = await on.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1::bigint) AS got', [id]);
      if (row?.got === true) return on;
      await pause(wait);
    }
  }

  async function find(key: string, id: string, waiter: string | undefined) {
    if (jobs.has(key)) return { holder: PROCESS_NAME, jobs: [jobs.get(key) ?? []].flat() };
    if (open === undefined) return undefined;
    const on = await session(open);
    const [other] = await on.query<{ backend: number; holder: string }>(HOLDER, [id]);
    if (other === undefined) return undefined;
    const active = await on.query<{ key: string }>(JOBS, [key.split(' ').at(-1)]);
    return { ...other, jobs: active.map((job) => job.key).filter((job) => job !== waiter) };
  }

  async function hold<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    jobs.set(key, waits.job());
    try {
      return await work();
    } finally {
      jobs.delete(key);
    }
  }

  return {
    async run(key, work) {
      const id = createHash('sha256').update(`portico ${key}`).digest().readBigInt64BE().toString();
      const job = waits.job();
      using wait = waits.begin(key, () => find(key, id, job));
      return await local.run(key, async () => {
        const on = open && (await take(open, id));
        wait[Symbol.dispose]();
        try {
          return await hold(key, on === undefined ? work : () => underLease(leaseOn(key, on), work));
        } finally {
          // A broken connection holds nothing any more.
          await on?.query('SELECT pg_advisory_unlock($1::bigint)', [id]).catch(() => undefined);
        }
      });
    },
  };
}

function leaseOn(key: string, on: Session): Lease {
  return { name: `the lock ${key}`, isHeld: () => on.isAlive() };
}
