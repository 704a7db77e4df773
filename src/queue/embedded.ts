import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { PGlite } from '@electric-sql/pglite';

import type { Database, Queryable } from './database.ts';
import { lockDirectory } from './directory-lock.ts';

const STORE = 'database';

/**
 * Opens PGlite (PostgreSQL in this process) below `dataDir`, which it creates and locks. Committed work survives the
 * death of the process; PGlite does not sync to disk, so the newest may be lost when the machine itself dies.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const directory = resolve(dataDir);
  mkdirSync(directory, { recursive: true });
  const lock = lockDirectory(directory);
  try {
    const store = join(directory, STORE);
    for (const half of globSync(`${STORE}.new-*`, { cwd: directory }))
      rmSync(join(directory, half), { recursive: true });
    if (!existsSync(store)) await createStore(directory, store);
    return embeddedDatabase(await PGlite.create(store, SETTINGS), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * A queue is small: the engine's default of 128 MB of buffers would be most of the server's memory, and every process
 * that is started (git, above all) takes longer the more memory its parent holds.
 */
const SETTINGS = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'] };

/** Made beside and renamed, so that a crash in the middle leaves nothing that looks like a store. */
async function createStore(directory: string, store: string): Promise<void> {
  const half = await mkdtemp(join(directory, `${STORE}.new-`));
  await (await PGlite.create(half, SETTINGS)).close();
  renameSync(half, store);
}

function embeddedDatabase(engine: PGlite, release: () => void): Database {
  const close = async (): Promise<void> => {
    if (engine.closed) return;
    await engine.close();
    release();
  };
  return {
    engine: 'pglite',
    ...queryable(engine),
    async exec<Row extends object>(sql: string) {
      try {
        const results = await engine.exec(sql);
        return results.flatMap((result) => result.rows as Row[]);
      } catch (error) {
        // The one connection would stay in the failed transaction that the text itself opened.
        await engine.exec('ROLLBACK').catch(() => {});
        throw error;
      }
    },
    transaction: (work) => engine.transaction((tx) => work(queryable(tx))),
    listen: (channel, onNotify) => engine.listen(channel, onNotify),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function queryable(source: Pick<PGlite, 'query'>): Queryable {
  return {
    query: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
      (await source.query<Row>(sql, values === undefined ? undefined : [...values])).rows,
  };
}
