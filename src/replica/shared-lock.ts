/**
 * Work with the same key is done one after the other, in all processes that share a database. Locks belong to one
 * connection of this process: where that breaks, the server lets go of all of them, and what is written still names
 * what it was decided on.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { Database, Session } from '../queue/database.ts';
import { createKeyedLock, type KeyedLock } from './keyed-lock.ts';

/** Another process is asked again after so long, and less and less often. */
const FIRST_MS = 10;
/** Milliseconds between two attempts. */
const MAX_MS = 250;

/** In this process alone, where it has the database to itself. */
export function createSharedLock(database: Database): KeyedLock {
  const local = createKeyedLock();
  const open = database.session;
  if (open === undefined) return local;
  let current: Promise<Session> | undefined;

  /** The one that is open, or a new one; whoever comes while it is being opened gets the same. */
  const session = async (): Promise<Session> => {
    for (;;) {
      const opening = (current ??= open());
      const forget = (): void => void (current = current === opening ? undefined : current);
      const found = await opening.catch((error: unknown) => {
        forget();
        throw error;
      });
      if (!found.broken()) return found;
      forget();
    }
  };

  async function take(id: string): Promise<Session> {
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MAX_MS)) {
      const on = await session();
      const [row] = await on.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1::bigint) AS got', [id]);
      if (row?.got === true) return on;
      await pause(wait);
    }
  }

  return {
    run: (key, work) =>
      local.run(key, async () => {
        const id = createHash('sha256').update(`portico ${key}`).digest().readBigInt64BE().toString();
        const on = await take(id);
        try {
          return await work();
        } finally {
          // A broken connection holds nothing any more.
          await on.query('SELECT pg_advisory_unlock($1::bigint)', [id]).catch(() => undefined);
        }
      }),
  };
}
