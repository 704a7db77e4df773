import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe } from 'vitest';

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
  /** The parts that its tests need. */
  readonly tags: string[];
  /** A new, empty database. */
  place(): Promise<Place>;
}

export interface Engines extends AsyncDisposable {
  readonly pglite: Engine;
  readonly postgres: Engine;
  readonly all: readonly Engine[];
}

/** Runs tests on each engine, under its name. */
export function onEach(engines: Engines, tests: (engine: Engine) => void): void {
  for (const engine of engines.all) describe(engine.name, { tags: engine.tags }, () => tests(engine));
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
       WHERE schemaname = 'portico' AND tablename NOT IN ('migration', 'expansion') OR schemaname = 'pgboss' AND tablename LIKE 'job%'`,
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

/** Starts the engines: the embedded one, and PostgreSQL where its binaries are. Its tests are skipped by their tag elsewhere. */
export async function startEngines(): Promise<Engines> {
  const server = await startPostgres();
  const postgres: Engine = {
    name: 'postgres',
    tags: ['postgresql'],
    async place() {
      if (server === null) throw new Error('PostgreSQL is not on this machine');
      const options = { url: await server.createDatabase() };
      return { options, open: () => openDatabase(options), async [Symbol.asyncDispose]() {} };
    },
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
    },
  };
  const pglite: Engine = { name: 'pglite', tags: [], place: placeEmbedded, async [Symbol.asyncDispose]() {} };
  return {
    pglite,
    postgres,
    all: [pglite, postgres],
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
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
