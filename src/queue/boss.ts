import { PgBoss, type CommandResponse, type Db } from 'pg-boss';
import type { Logger } from 'pino';

import { PorticoError } from '../error.ts';
import { UNBOUNDED, type Database, type Queryable } from './database.ts';
import type { Lane } from './job.ts';

/** The queue of jobs that were given up. No lane may have its name. */
export const DEAD_LETTERS = 'dead-letters';
const DEAD_LETTER_SECONDS = 30 * 86_400;

/** How long a process may be silent before its jobs are given to another; pg-boss allows no less. */
export const HEARTBEAT_SECONDS = 10;

/**
 * Starts pg-boss on our database, with a queue for every lane.
 *
 * Lanes have pg-boss's policy `key_strict_fifo`, the one whose exclusion by key is a unique index over what is active:
 * two processes cannot run one key, whatever their timing, and a busy key does not hold back the others. (`singleton`
 * and `stately` have such an index too, but fetch by a list of busy keys that is up to a minute old; a group limit has
 * no index.) Under that policy a *failed* job blocks its key, so no job is ever left failed: what ends is deleted, what
 * is repeated is stored anew, and retryLimit is out of reach so that only a dead process makes pg-boss itself retry.
 *
 * On PostgreSQL a dead process is noticed by its heartbeats (10 s, looked for every 2 s). The embedded engine has one
 * process, so there whatever is active at the start is an orphan.
 */
export async function startBoss(database: Database, lanes: readonly Lane[], log: Logger): Promise<PgBoss> {
  const shared = database.engine === 'postgres';
  const boss = new PgBoss({
    db: bossDatabase(database),
    backend: database.engine,
    schedule: false,
    superviseIntervalSeconds: shared ? 2 : 60,
    monitorIntervalSeconds: shared ? 2 : 60,
    maintenanceIntervalSeconds: 3600,
    // The embedded engine works on the thread that serves: a long statement would be felt. `queue.ts` vacuums it.
    reindex: shared,
    monitorVacuum: shared,
  });
  boss.on('error', (err) => log.error({ err }, 'queue: pg-boss reports an error'));
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'queue: pg-boss warns'));
  await withInstallLock(database, () => install(boss, lanes, shared));
  // pg-boss reads a queue's settings when it first needs them, on the database itself. Inside a transaction on the
  // embedded engine's one connection it would wait for ever, so it reads them now.
  for (const name of [DEAD_LETTERS, ...lanes.map((lane) => lane.name)])
    await boss.findJobs(name, { key: '' });
  if (!shared) await freeOrphans(database, boss);
  return boss;
}

async function install(boss: PgBoss, lanes: readonly Lane[], shared: boolean): Promise<void> {
  await boss.start();
  await boss.createQueue(DEAD_LETTERS, { policy: 'standard', retentionSeconds: DEAD_LETTER_SECONDS });
  for (const { name } of lanes) {
    await boss.createQueue(name, { policy: 'key_strict_fifo' });
    await boss.updateQueue(name, {
      retryLimit: 1_000_000,
      retryDelay: 0,
      expireInSeconds: 86_399,
      retentionSeconds: DEAD_LETTER_SECONDS,
      ...(shared && { heartbeatSeconds: HEARTBEAT_SECONDS }),
    });
  }
}

/** Of several processes that start at once on an empty server, pg-boss's own installation lets all but one fail. */
async function withInstallLock(database: Database, work: () => Promise<void>): Promise<void> {
  if (database.engine === 'pglite') return work();
  await database.transaction(async (tx) => {
    for (const statement of UNBOUNDED) await tx.query(statement);
    await tx.query('SELECT pg_advisory_xact_lock(7076847385)');
    await work();
  });
}

/** The database, or a transaction on it, as pg-boss wants it. */
export function bossDatabase(source: Queryable | Database): Db {
  return {
    async executeSql(text, values) {
      if (values !== undefined && values.length > 0) return { rows: await source.query(text, values) };
      return { rows: 'exec' in source ? await source.exec(text) : await source.query(text) };
    },
  };
}

/** The ids that a command of pg-boss changed: in its answer, though not in its types. */
export function settledIds(response: CommandResponse): readonly string[] {
  const { settled } = response as { settled?: unknown };
  if (Array.isArray(settled)) return settled as string[];
  throw new PorticoError('QUEUE_PGBOSS', 'pg-boss does not say which jobs it changed', {
    hint: 'Use the version of pg-boss that package-lock.json names.',
    blame: 'bug',
  });
}

async function freeOrphans(database: Database, boss: PgBoss): Promise<void> {
  const active = await database.query<{ name: string; id: string }>(
    `SELECT name, id FROM pgboss.job WHERE state = 'active'`,
  );
  for (const { name, id } of active)
    await boss.fail(name, id, { message: 'the process ended while the job ran' });
}
