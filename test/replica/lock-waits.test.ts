import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';

import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';

import { PROCESS_NAME } from '../../src/queue/database.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { watchLocks, type LockWaits } from '../../src/replica/lock-waits.ts';
import { createSharedLock } from '../../src/replica/shared-lock.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { eventually } from '../e2e/eventually.ts';
import { startEngines, type Place } from '../queue/engines.ts';

/** Long waits are logged and measured with the process to end. Waits of more than 100 ms are long here. */

const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

interface Watched {
  readonly waits: LockWaits;
  readonly lines: Record<string, unknown>[];
  scrape(): Promise<string>;
}

function watched(database: Parameters<typeof watchLocks>[0], job?: string): Watched {
  const lines: Record<string, unknown>[] = [];
  const metrics = createMetrics();
  const waits = watchLocks(database, {
    log: createLog({ stream: { write: (line) => void lines.push(JSON.parse(line) as never) } }),
    job: () => job,
    count: (lock) => metrics.lockAwaited(lock),
    longMilliseconds: 100,
  });
  metrics.observeLockWaits(() => waits.now());
  return { waits, lines, scrape: () => metrics.registry.metrics() };
}

async function seen({ lines }: Watched): Promise<Record<string, unknown>> {
  await eventually('a line', async () => lines.length > 0);
  return lines[0]!;
}

test('in one process, a long wait names the job that holds the lock', async () => {
  await using place = await engines.pglite.place();
  await using database = await place.open();
  const first = watched(database, 'proposal:7#3');
  const lock = createSharedLock(database, first.waits);
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = lock.run('7#3', async () => {
    held.resolve();
    await end.promise;
  });
  await held.promise;
  const waiting = lock.run('7#3', async () => {});
  expect(await seen(first)).toMatchObject({
    level: 'warn',
    lock: '7#3',
    holder: PROCESS_NAME,
    jobs: ['proposal:7#3'],
  });
  expect(await first.scrape()).toMatch(
    new RegExp(`^portico_lock_wait_seconds\\{lock="key",holder="${PROCESS_NAME}"\\} 0\\.\\d+$`, 'm'),
  );
  end.resolve();
  await Promise.all([running, waiting]);
  const after = await first.scrape();
  expect(after).not.toMatch(/^portico_lock_wait_seconds\{/m);
  expect(after).toContain('portico_lock_waits_total{lock="key"} 1');
});

test('a long wait for another process names it, and the job there', { tags: ['postgresql'] }, async () => {
  await using place = await engines.postgres.place();
  await using database = await place.open();
  const end = Promise.withResolvers<void>();
  await using queue = await startQueue({
    database,
    log: createLog({ level: 'silent' }),
    lanes: [{ name: 'proposals', kinds: ['proposal'], concurrency: 3 }],
    handlers: { proposal: () => end.promise },
  });
  for (const key of ['proposal:7#3', 'proposal:17#3'])
    await queue.enqueue({ kind: 'proposal', key, data: {} });
  const active = (): Promise<unknown[]> => database.query(`SELECT 1 FROM pgboss.job WHERE state = 'active'`);
  await eventually('both run', async () => (await active()).length === 2);
  await using other = await holdElsewhere(place, '7#3');
  await using one = { ...watched(database, 'comment:7#3:1'), [Symbol.asyncDispose]: async () => {} };
  const waiting = createSharedLock(database, one.waits).run('7#3', async () => {});
  expect(await seen(one)).toMatchObject({
    lock: '7#3',
    holder: `portico ${hostname()}/${other.pid}`,
    backend: expect.any(Number),
    jobs: ['proposal:7#3'],
  });
  await other[Symbol.asyncDispose]();
  await waiting;
  await one.waits[Symbol.asyncDispose]();
  end.resolve();
});

test(
  'a statement that PostgreSQL lets wait names the connection to end',
  { tags: ['postgresql'] },
  async () => {
    await using place = await engines.postgres.place();
    await using database = await place.open();
    const client = new Client({ connectionString: place.options.url, application_name: 'portico other/7' });
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN; LOCK TABLE portico.delivery');
    const one = watched(database);
    const counted = Promise.all(
      Array.from({ length: 10 }, () => database.query('SELECT count(*) FROM portico.delivery')),
    );
    const line = await seen(one);
    expect(line).toMatchObject({ lock: 'database', holder: 'portico other/7' });
    expect(await one.scrape()).toMatch(
      /^portico_lock_wait_seconds\{lock="database",holder="portico other\/7"\} 0\.\d+$/m,
    );
    // The runbook's command, from a connection that is not of the pool.
    const session = await database.session!();
    await session.query('SELECT pg_terminate_backend($1)', [line['backend']]);
    await counted;
    await eventually('nobody waits', async () => one.waits.now().length === 0);
    await one.waits[Symbol.asyncDispose]();
    await client.end().catch(() => {});
  },
);

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

async function holdElsewhere(place: Place, key: string): Promise<AsyncDisposable & { readonly pid: number }> {
  const script = `
    const { openDatabase } = await import(${source('queue/open-database.ts')});
    const { createSharedLock } = await import(${source('replica/shared-lock.ts')});
    const database = await openDatabase(${JSON.stringify(place.options)});
    await createSharedLock(database).run(${JSON.stringify(key)}, async () => {
      console.log('holds it');
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
  await once(child.stdout, 'data');
  return {
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      if (!child.kill('SIGKILL')) return;
      await once(child, 'exit');
    },
  };
}
