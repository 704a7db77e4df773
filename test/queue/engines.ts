import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDatabase, type Database, type DatabaseOptions } from '../../src/queue/database.ts';
import { startPostgres } from './postgres.ts';

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

/** The engines that this machine has: the embedded one always, PostgreSQL where its binaries are; says so where they are not. */
export async function startEngines(): Promise<{ pglite: Engine; postgres: Engine | null }> {
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
  return { pglite: { name: 'pglite', place: placeEmbedded, async [Symbol.asyncDispose]() {} }, postgres };
}

/** A data directory copied from a template, because PGlite takes seconds to make a new one. */
export async function placeEmbedded(): Promise<Place> {
  const template = await embeddedTemplate();
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-data-'));
  cpSync(template, dataDir, { recursive: true });
  const options = { dataDir };
  return {
    options,
    open: () => openDatabase(options),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Made once for a checkout and kept below node_modules, which `npm ci` empties; named for the version that wrote it. */
async function embeddedTemplate(): Promise<string> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/portico');
  const { default: lock } = (await import('../../package.json', { with: { type: 'json' } })) as {
    default: { dependencies: Record<string, string> };
  };
  const template = join(cache, `pglite-${lock.dependencies['@electric-sql/pglite']}`);
  if (existsSync(template)) return template;
  const half = await mkdtemp(join(tmpdir(), 'portico-template-'));
  const { PGlite } = await import('@electric-sql/pglite');
  await (await PGlite.create(join(half, 'database'))).close();
  const { mkdir } = await import('node:fs/promises');
  await mkdir(cache, { recursive: true });
  cpSync(half, `${template}.${process.pid}`, { recursive: true });
  await rm(half, { recursive: true });
  await rename(`${template}.${process.pid}`, template).catch(() =>
    rm(`${template}.${process.pid}`, { recursive: true }),
  );
  return template;
}
