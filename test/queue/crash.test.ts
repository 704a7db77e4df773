// @module-tag story
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';

import type { JobHandler } from '../../src/queue/job.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { onEach, startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

const log = pino({ level: 'silent' });
const lanes = [{ name: 'work', kinds: ['work'], concurrency: 3 }];

const never: JobHandler = async () => {
  throw new Error('must not run');
};

onEach(engines, (engine) => {
  test('killed in the middle of a job: nothing that was stored is lost, and what ran runs again', async () => {
    await using place = await engine.place();
    const folder = await mkdtemp(join(tmpdir(), 'portico-crash-'));
    const file = join(folder, 'steps');
    const worker = new URL('crash-worker.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [worker, JSON.stringify(place.options), file], {
      stdio: 'inherit',
    });
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL');

    const steps = (await readFile(file, 'utf8')).trim().split('\n');
    await rm(folder, { recursive: true });
    const of = (what: string) =>
      steps.filter((step) => step.startsWith(`${what} `)).map((step) => step.split(' ')[1]!);
    const unfinished = of('start').filter((key) => !of('end').includes(key));
    expect(unfinished.length).toBeGreaterThan(0);

    await using database = await place.open();
    if (engine.name === 'postgres') {
      // What ten seconds without a heartbeat do.
      await database.query(
        `UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'`,
      );
    }
    const ran: string[] = [];
    const running = new Set<string>();
    await using queue = await startQueue({
      database,
      log,
      lanes,
      handlers: {
        work: async ({ key }) => {
          expect(running).not.toContain(key);
          running.add(key);
          await new Promise(setImmediate);
          running.delete(key);
          ran.push(key);
        },
      },
    });
    await queue.idle();
    const owed = of('stored').filter((key) => !of('end').includes(key));
    expect(ran).toEqual(expect.arrayContaining([...owed, ...unfinished]));
    expect(new Set(ran).size).toBe(ran.length);
    expect(await queue.dead()).toEqual([]);
  });

  test('a job under which the process dies again and again is given up', async () => {
    await using place = await engine.place();
    await using database = await place.open();
    const first = await startQueue({ database, log, lanes, handlers: { work: never } });
    await first.stop(0);
    await database.query(
      `INSERT INTO pgboss.job (name, data, singleton_key, policy, state, started_on, retry_count, retry_limit)
       VALUES ('work', $1::text::jsonb, 'k', 'key_strict_fifo', 'retry', now(), 3, 1000)`,
      [JSON.stringify({ kind: 'work', key: 'k', data: 1, attempt: 1, priority: 0, held: false })],
    );
    await using second = await startQueue({ database, log, lanes, handlers: { work: never } });
    await second.idle();
    expect(await second.dead()).toMatchObject([
      { key: 'k', message: expect.stringContaining('ended 4 times') },
    ]);
  });
});

describe('two processes on one PostgreSQL', { tags: ['postgresql'] }, () => {
  test('may start at once on an empty database', async () => {
    await using place = await engines.postgres.place();
    const all = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const database = await place.open();
        const queue = await startQueue({ database, log, lanes, handlers: { work: async () => {} } });
        await queue.enqueue({ kind: 'work', key: 'k', data: null });
        return { database, queue };
      }),
    );
    await all[0]!.queue.idle();
    for (const { database, queue } of all) {
      await queue.stop(0);
      await database.close();
    }
  });

  test('of two versions: what the older does not know is done by the newer', async () => {
    await using place = await engines.postgres.place();
    await using one = await place.open();
    await using two = await place.open();
    const older = await startQueue({ database: one, log, lanes, handlers: { work: async () => {} } });
    const both = [{ ...lanes[0]!, kinds: ['work', 'new'] }];
    const done = Promise.withResolvers<unknown>();
    const handlers = { work: never, new: async ({ data }: Parameters<JobHandler>[0]) => done.resolve(data) };
    // The older one has it first.
    await one.query(
      `INSERT INTO pgboss.job (name, data, singleton_key, policy, state, retry_limit)
       VALUES ('work', $1::text::jsonb, 'k', 'key_strict_fifo', 'created', 1000)`,
      [JSON.stringify({ kind: 'new', key: 'k', data: 7, attempt: 1, priority: 0, held: false })],
    );
    await older.enqueue({ kind: 'work', key: 'other', data: null });
    const tried = async (): Promise<boolean> => {
      const rows = await one.query(
        `SELECT 1 FROM pgboss.job WHERE singleton_key = 'k' AND (data->>'attempt')::int > 1`,
      );
      return rows.length > 0 || (await older.dead()).length > 0;
    };
    while (!(await tried())) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await older.dead()).toEqual([]);
    await older.stop(0);
    await using newer = await startQueue({ database: two, log, lanes: both, handlers });
    expect(await done.promise).toBe(7);
    expect(await newer.dead()).toEqual([]);
  });

  test('never run one key together, share the keys, and miss nothing', async () => {
    await using place = await engines.postgres.place();
    await using one = await place.open();
    await using two = await place.open();
    const running = new Set<string>();
    const seen = new Map<string, unknown>();
    const workers = new Set<number>();
    let overlaps = 0;
    const handler =
      (worker: number): JobHandler =>
      async ({ key, data }) => {
        if (running.has(key)) overlaps += 1;
        running.add(key);
        workers.add(worker);
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.set(key, data);
        running.delete(key);
      };
    await using a = await startQueue({ database: one, log, lanes, handlers: { work: handler(1) } });
    await using b = await startQueue({ database: two, log, lanes, handlers: { work: handler(2) } });
    const keys = Array.from({ length: 8 }, (_, index) => `k${index}`);
    for (let round = 0; round <= 15; round += 1) {
      const both = keys.map((key, index) =>
        (index % 2 === round % 2 ? a : b).enqueue({ kind: 'work', key, data: round }),
      );
      await Promise.all(both);
    }
    await a.idle();
    await b.idle();
    expect(overlaps).toBe(0);
    expect([...workers].sort((x, y) => x - y)).toEqual([1, 2]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(keys.map((key) => [key, 15])));
  });

  test('a job that was taken over is aborted where it ran first, and its end there counts for nothing', async () => {
    await using place = await engines.postgres.place();
    await using one = await place.open();
    await using two = await place.open();
    const began = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    await using a = await startQueue({
      database: one,
      log,
      // No room to take the job back itself.
      lanes: [{ ...lanes[0]!, concurrency: 1 }],
      handlers: {
        work: async (_job, signal) => {
          began.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          told.resolve();
        },
      },
    });
    await a.enqueue({ kind: 'work', key: 'k', data: 1 });
    await began.promise;
    let runs = 0;
    await using b = await startQueue({
      database: two,
      log,
      lanes,
      handlers: { work: async () => void (runs += 1) },
    });
    await one.query(`UPDATE pgboss.job SET state = 'retry', start_after = now()`);
    await told.promise;
    await a.idle();
    await b.idle();
    expect(runs).toBe(1);
    expect(await one.query('SELECT state FROM pgboss.job')).toEqual([]);
  });

  test('a process that lost a job and gets it back itself ends the first run before the second', async () => {
    await using place = await engines.postgres.place();
    await using database = await place.open();
    const began = Promise.withResolvers<void>();
    const steps: string[] = [];
    await using queue = await startQueue({
      database,
      log,
      lanes,
      handlers: {
        work: async (_job, signal) => {
          const run = steps.push('begin');
          began.resolve();
          if (run === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
          await new Promise(setImmediate);
          steps.push('end');
        },
      },
    });
    await queue.enqueue({ kind: 'work', key: 'k', data: 1 });
    await began.promise;
    await database.query(`UPDATE pgboss.job SET state = 'retry', start_after = now()`);
    while (steps.length < 4) await new Promise(setImmediate);
    await queue.idle();
    expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
  });

  test('a job enqueued in one process wakes the other without waiting for its poll', async () => {
    await using place = await engines.postgres.place();
    await using one = await place.open();
    await using two = await place.open();
    // This one takes the job's kind, but has no room for it.
    const blocked = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    const single = [{ name: 'work', kinds: ['work'], concurrency: 1 }];
    const first: JobHandler = async () => {
      busy.resolve();
      await blocked.promise;
    };
    await using a = await startQueue({ database: one, log, lanes: single, handlers: { work: first } });
    await a.enqueue({ kind: 'work', key: 'first', data: null });
    await busy.promise;
    const other = Promise.withResolvers<string>();
    const second: JobHandler = async ({ key }) => other.resolve(key);
    await using b = await startQueue({ database: two, log, lanes: single, handlers: { work: second } });
    await a.enqueue({ kind: 'work', key: 'second', data: null });
    expect(await other.promise).toBe('second');
    blocked.resolve();
    await b.idle();
  });
});
