import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach } from 'vitest';

import { type Database } from '../../src/queue/database.ts';
import { openDatabase, type DatabaseOptions } from '../../src/queue/open-database.ts';
import { startPostgres } from './postgres.ts';
import { copyTemplate } from './store-templates.ts';

/** Where a test's database is, in a form that a child process can be given. */
export interface Place extends AsyncDisposable {
  readonly options: DatabaseOptions;
  open(): Promise<Database>;
}

export interface Engine extends AsyncDisposable {
  readonly name: 'postgres' | 'pglite';
  /** A new, empty database. */
  place(): Promise<Place>;
}

/** `all` holds those of the two that are there. */
export interface Engines extends AsyncDisposable {
  readonly pglite: Engine;
  readonly postgres: Engine | null;
  readonly all: readonly Engine[];
}

/** One database for all tests of the surrounding describe, emptied before each; opening a new one for each costs more than the tests. */
export function sharedDatabase(engine: Engine): { readonly database: Database } {
  let place: Place | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    place = await engine.place();
    database = await place.open();
  });
  beforeEach(async () => {
    const tables = await database!.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname = 'portico' AND tablename <> 'migration' OR schemaname = 'pgboss' AND tablename LIKE 'job%'`,
    );
    await database!.exec(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
  });
  afterAll(async () => {
    await database?.close();
    await place?.[Symbol.asyncDispose]();
  });
  return {
    get database() {
      return database!;
    },
  };
}

/** The engines that this machine has: the embedded one always, PostgreSQL where its binaries are; says so where they are not. */
export async function startEngines(): Promise<Engines> {
  const server = await startPostgres();
  if (server === null)
    console.warn('SKIPPED: no PostgreSQL binaries in /usr/lib/postgresql: tested with PGlite only');
  const postgres: Engine | null = server && {
    name: 'postgres',
    async place() {
      const options = { url: await server.createDatabase() };
      return { options, open: () => openDatabase(options), async [Symbol.asyncDispose]() {} };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  const pglite: Engine = { name: 'pglite', place: placeEmbedded, async [Symbol.asyncDispose]() {} };
  return {
    pglite,
    postgres,
    all: postgres === null ? [pglite] : [pglite, postgres],
    [Symbol.asyncDispose]: async () => postgres?.[Symbol.asyncDispose](),
  };
}

/** A data directory copied from a template, because PGlite takes seconds to make a new one. */
export async function placeEmbedded(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-data-'));
  await copyTemplate(dataDir);
  const options = { dataDir };
  return {
    options,
    open: () => openDatabase(options),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
}
