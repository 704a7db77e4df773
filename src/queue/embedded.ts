import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { PGlite } from '@electric-sql/pglite';

import { PorticoError } from '../error.ts';
import type { Database, Queryable } from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import { openEngine } from './pglite.ts';

const STORE = 'database';

/**
 * Opens PGlite (PostgreSQL in this process) below `dataDir`, which it creates and locks. Committed work survives the
 * death of the process; PGlite does not sync to disk, so the newest may be lost when the machine itself dies.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const directory = resolve(dataDir);
  // What repositories hold is for nobody else on the machine.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory);
  try {
    const store = join(directory, STORE);
    for (const half of globSync(`${STORE}.new-*`, { cwd: directory }))
      rmSync(join(directory, half), { recursive: true });
    if (!existsSync(store)) await createStore(directory, store);
    return embeddedDatabase(await openEngine(store), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Made beside and renamed, so that a crash in the middle leaves nothing that looks like a store.
 * @throws PorticoError DATABASE_NOT_MADE, with what the program said
 */
async function createStore(directory: string, store: string): Promise<void> {
  const half = await mkdtemp(join(directory, `${STORE}.new-`));
  const program = fileURLToPath(new URL('./create-store.ts', import.meta.url));
  const child = spawn(process.execPath, [program, half], { stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0)
    throw new PorticoError(
      'DATABASE_NOT_MADE',
      `the embedded database could not be created: ${stderr.slice(-500)}`,
      {
        blame: 'user',
        hint: 'Make room in the data directory (PORTICO_DATA), or use PostgreSQL (DATABASE_URL).',
      },
    );
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
