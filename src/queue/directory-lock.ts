import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { PorticoError } from '../error.ts';

/** What the holder tells about itself; for the message only, it decides nothing. */
const OWNER = 'database.owner';
const LOCK = 'database.lock';

/**
 * Takes the data directory for this process, until `release` or the end of the process, however it ends.
 *
 * PGlite takes no lock, and two openers destroy the data. A file that holds a process id goes stale on `kill -9`, lies
 * when ids are used again or in another container, and cannot be taken over without a race. So this is a lock of the
 * kernel, which dies with its holder: the one that SQLite takes on an empty database, as Node has no `flock` itself.
 * @throws PorticoError DATABASE_LOCKED when another process, or another opener in this one, has it.
 */
export function lockDirectory(directory: string): { release(): void } {
  const lock = new DatabaseSync(join(directory, LOCK), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    lock.close();
    if (!/locked|busy/i.test(String(error))) throw error;
    throw new PorticoError(
      'DATABASE_LOCKED',
      `the data directory ${directory} is in use${describeOwner(directory)}`,
      {
        blame: 'user',
        hint: 'Stop that process, or give this one a data directory of its own (PORTICO_DATA), or use PostgreSQL (DATABASE_URL) for several.',
        cause: error,
      },
    );
  }
  const owner = join(directory, OWNER);
  writeFileSync(owner, `process ${process.pid} since ${new Date().toISOString()}\n`);
  return {
    release() {
      rmSync(owner, { force: true });
      lock.close();
    },
  };
}

function describeOwner(directory: string): string {
  try {
    return ` by ${readFileSync(join(directory, OWNER), 'utf8').trim()}`;
  } catch {
    return ' by another process';
  }
}
