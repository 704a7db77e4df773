import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { afterAll, expect, test } from 'vitest';

import { requireLeases, underLease } from '../../src/queue/fence.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { createSharedLock } from '../../src/replica/shared-lock.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../e2e/eventually.ts';
import { startEngines, type Place } from '../queue/engines.ts';

/**
 * One of two processes on one PostgreSQL is stopped while it holds a lock or runs a job; the other does the work; the stopped one
 * continues, and must not write. The table holds who wrote, in their order.
 */
const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

const LANES = [{ name: 'proposals', kinds: ['proposal'], concurrency: 1 }];

interface Other extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Resolves when it prints that line. */
  said(line: string): Promise<void>;
  /** Lets it go on to its write. */
  proceed(): void;
}

/** A process that begins the work, says so, waits to be told to go on, and writes if it may. */
function startOther(place: Place, begin: string): Other {
  const script = `
    const { openDatabase } = await import(${source('queue/open-database.ts')});
    const { createSharedLock } = await import(${source('replica/shared-lock.ts')});
    const { startQueue } = await import(${source('queue/queue.ts')});
    const { requireLeases } = await import(${source('queue/fence.ts')});
    const { createLog } = await import(${source('telemetry/log.ts')});
    const database = await openDatabase(${JSON.stringify(place.options)});
    const work = async () => {
      console.log('began');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      try {
        await requireLeases();
        await database.query("INSERT INTO written (by) VALUES ('other')");
        console.log('wrote');
      } catch (error) {
        console.log(error.code);
      }
    };
    ${begin}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  return {
    child,
    said: async (line) =>
      void (await eventually(`"${line}", after ${lines.join(', ')}`, async () => lines.includes(line), 60)),
    proceed: () => void child.stdin.write('go\n'),
    async [Symbol.asyncDispose]() {
      if (child.kill('SIGKILL')) await once(child, 'exit');
    },
  };
}

const UNDER_LOCK = `await createSharedLock(database).run('7#3', work);`;
const IN_A_JOB = `await startQueue({ database, log: createLog({ level: 'silent' }), lanes: ${JSON.stringify(LANES)}, handlers: { proposal: work } });`;

test('without a stop, the holder of a lock writes', { tags: ['postgresql'] }, async () => {
  await using place = await engines.postgres.place();
  await using database = await place.open();
  await database.exec('CREATE TABLE written (by text)');
  await using other = startOther(place, UNDER_LOCK);
  await other.said('began');
  other.proceed();
  await other.said('wrote');
});

test(
  'a process that was stopped under a keyed lock does not write after another process took the lock',
  { tags: ['postgresql'], timeout: 120_000 },
  async () => {
    await using place = await engines.postgres.place();
    await using database = await place.open();
    await database.exec('CREATE TABLE written (by text)');
    await using other = startOther(place, UNDER_LOCK);
    await other.said('began');
    other.child.kill('SIGSTOP');
    await createSharedLock(database).run('7#3', async () => {
      await requireLeases();
      await database.query("INSERT INTO written (by) VALUES ('this')");
    });
    other.child.kill('SIGCONT');
    other.proceed();
    await other.said('LEASE_LOST');
    expect(await database.query('SELECT by FROM written')).toEqual([{ by: 'this' }]);
  },
);

test(
  'a process that was stopped in a job does not write after another process took the job',
  { tags: ['postgresql'], timeout: 120_000 },
  async () => {
    await using place = await engines.postgres.place();
    await using database = await place.open();
    await database.exec('CREATE TABLE written (by text)');
    const log = createLog({ level: 'silent' });
    await using other = startOther(place, IN_A_JOB);
    await eventually('the queue', async () => {
      const rows = await database.query(
        `SELECT 1 FROM pg_tables WHERE schemaname = 'pgboss' AND tablename = 'queue'`,
      );
      return rows.length > 0;
    });
    const sent = Promise.withResolvers<void>();
    {
      await using queue = await startQueue({
        database,
        log,
        lanes: LANES,
        handlers: { proposal: async () => {} },
      });
      // Only the other process takes it: this one has drained.
      await queue.stop(0);
      await queue.enqueue({ kind: 'proposal', key: '7#3', data: {} });
    }
    await other.said('began');
    other.child.kill('SIGSTOP');
    await using queue = await startQueue({
      database,
      log,
      lanes: LANES,
      handlers: {
        async proposal() {
          await requireLeases();
          await database.query("INSERT INTO written (by) VALUES ('this')");
          sent.resolve();
        },
      },
    });
    await sent.promise;
    other.child.kill('SIGCONT');
    other.proceed();
    await other.said('LEASE_LOST');
    expect(await database.query('SELECT by FROM written')).toEqual([{ by: 'this' }]);
    await queue.idle();
  },
);

test('leases of outer and inner work are both required', async () => {
  const lost = { name: 'a', isHeld: async () => false };
  const held = { name: 'b', isHeld: async () => true };
  await underLease(held, requireLeases);
  await expect(underLease(lost, () => underLease(held, requireLeases))).rejects.toThrow('no longer holds a');
  await requireLeases();
});
