import { PorticoError } from '../error.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { migrate } from './migrations.ts';
import { openPostgres } from './postgres.ts';

export interface DatabaseOptions {
  /** `postgres://…`; when absent, an embedded database lives in `dataDir`. */
  readonly url?: string;
  /** A directory that belongs to this process alone while it runs. */
  readonly dataDir?: string;
}

/**
 * Opens the database and brings its tables up to date (safe for several processes at once).
 * @throws PorticoError DATABASE_LOCKED when another process has the data directory, DATABASE_UNREACHABLE when the
 * server does not answer, CONFIG_DATABASE when neither place is given.
 */
export async function openDatabase(options: DatabaseOptions, signal?: AbortSignal): Promise<Database> {
  signal?.throwIfAborted();
  const database = await openEngine(options, signal);
  try {
    await migrate(database);
    signal?.throwIfAborted();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function openEngine(options: DatabaseOptions, signal?: AbortSignal): Promise<Database> {
  if (options.url !== undefined) return openPostgres(options.url, signal);
  if (options.dataDir !== undefined) return openEmbedded(options.dataDir);
  throw new PorticoError('CONFIG_DATABASE', 'no location for the database is configured', {
    blame: 'user',
    hint: 'Set DATABASE_URL for a PostgreSQL server, or PORTICO_DATA for a directory of its own.',
  });
}
