import { createHash } from 'node:crypto';
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';

import { LANES } from '../../src/bot/lanes.ts';
import { startBoss } from '../../src/queue/boss.ts';
import { openDatabase } from '../../src/queue/open-database.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Below node_modules, which `npm ci` empties. */
const CACHE = join(ROOT, 'node_modules/.cache/portico');

/** Fills the directory of a database that a test is about to open, with one that holds nothing. */
export async function copyTemplate(dataDir: string): Promise<void> {
  copyStore(await emptyTemplate(), dataDir);
}

/** The same with the tables of a server that was started once, which takes half a second. */
export async function copyStarted(dataDir: string): Promise<void> {
  copyStore(await startedTemplate(), dataDir);
}

/** PostgreSQL's own templates, two thirds of the files, which are never written: one copy does for all. */
const NEVER_WRITTEN = ['database/base/1', 'database/base/4'] as const;

function copyStore(from: string, to: string): void {
  const shared = new Set(NEVER_WRITTEN.map((path) => join(from, path)));
  cpSync(from, to, { recursive: true, filter: (path) => !shared.has(path) });
  for (const path of NEVER_WRITTEN) shareFiles(join(from, path), join(to, path));
}

function shareFiles(from: string, to: string): void {
  mkdirSync(to);
  try {
    for (const name of readdirSync(from)) linkSync(join(from, name), join(to, name));
  } catch {
    // Of another file system, or one without links.
    cpSync(from, to, { recursive: true });
  }
}

async function emptyTemplate(): Promise<string> {
  return madeOnce(`pglite-${versionOf('@electric-sql/pglite')}`, async (half) => {
    const { PGlite } = await import('@electric-sql/pglite');
    await (await PGlite.create(join(half, 'database'))).close();
  });
}

async function startedTemplate(): Promise<string> {
  const tables = readFileSync(join(ROOT, 'src/queue/migrations.ts'));
  const stands = createHash('sha256')
    .update(JSON.stringify([versionOf('@electric-sql/pglite'), versionOf('pg-boss'), LANES]))
    .update(tables)
    .digest('hex');
  return madeOnce(`started-${stands.slice(0, 16)}`, async (half) => {
    copyStore(await emptyTemplate(), half);
    const database = await openDatabase({ dataDir: half });
    const boss = await startBoss(database, LANES, pino({ level: 'silent' }));
    await boss.stop({ graceful: false, close: false });
    await database.close();
  });
}

/** Made once for a checkout; of two who make it at once, one is taken. */
async function madeOnce(name: string, make: (half: string) => Promise<void>): Promise<string> {
  const template = join(CACHE, name);
  if (existsSync(template)) return template;
  const half = await mkdtemp(join(tmpdir(), 'portico-template-'));
  await make(half);
  mkdirSync(CACHE, { recursive: true });
  const beside = `${template}.${process.pid}`;
  cpSync(half, beside, { recursive: true });
  await rm(half, { recursive: true });
  await rename(beside, template).catch(() => rm(beside, { recursive: true }));
  return template;
}

function versionOf(dependency: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies[dependency]!;
}
