import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import type { Database } from '../../src/queue/database.ts';
import type { Job, JobHandler, Lane, NewJob, Queue } from '../../src/queue/job.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { sharedDatabase, onEach, startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

const log = pino({ level: 'silent' });
const LANES: Lane[] = [
  { name: 'quick', kinds: ['quick'], concurrency: 2 },
  { name: 'slow', kinds: ['slow', 'slower'], concurrency: 1 },
];

const nothing: JobHandler = async () => {};

function start(
  database: Database,
  handlers: Partial<Record<string, JobHandler>>,
  lanes = LANES,
): Promise<Queue> {
  const all = { quick: nothing, slow: nothing, slower: nothing, ...handlers } as Record<string, JobHandler>;
  return startQueue({ database, log, lanes, handlers: all });
}

function of(tenant: string, name: string, priority = 0): NewJob {
  return { kind: 'slow', key: `${tenant} ${name}`, data: null, tenant, priority };
}

/** A handler that waits at a gate, and tells who has come. */
function gate() {
  const arrived: Job[] = [];
  let knock = Promise.withResolvers<void>();
  let open = Promise.withResolvers<void>();
  return {
    arrived,
    handler: (async (job) => {
      arrived.push(job);
      knock.resolve();
      await open.promise;
    }) satisfies JobHandler,
    /** Resolves when so many have come in all. */
    async until(count: number) {
      while (arrived.length < count) {
        knock = Promise.withResolvers();
        await knock.promise;
      }
    },
    open() {
      open.resolve();
      open = Promise.withResolvers();
    },
    openForGood: () => open.resolve(),
  };
}

onEach(engines, (engine) => {
  const shared = sharedDatabase(engine);

  test('a job runs once with its data, and nothing is left', async () => {
    const { database } = shared;
    const ran: Job[] = [];
    await using queue = await start(database, { quick: async (job) => void ran.push(job) });
    await queue.enqueue({ kind: 'quick', key: 'a/b#1', data: { nested: [1, 'ü', null] } });
    await queue.idle();
    expect(ran).toEqual([{ kind: 'quick', key: 'a/b#1', data: { nested: [1, 'ü', null] }, attempt: 1 }]);
    expect(await database.query('SELECT id FROM pgboss.job')).toEqual([]);
  });

  test('while a job runs, one more of its key waits, with the newest data; other keys go on', async () => {
    const { database } = shared;
    const door = gate();
    await using queue = await start(database, { quick: door.handler });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 0 });
    await door.until(1);
    for (const data of [1, 2, 3]) await queue.enqueue({ kind: 'quick', key: 'k', data });
    await queue.enqueue({ kind: 'quick', key: 'other', data: 'o' });
    await door.until(2);
    expect(door.arrived.map(({ data }) => data)).toEqual([0, 'o']);
    expect(await queue.depth()).toEqual([
      { lane: 'quick', ready: 1, deferred: 0, active: 2, ageSeconds: expect.any(Number) },
      { lane: 'slow', ready: 0, deferred: 0, active: 0, ageSeconds: 0 },
    ]);
    door.openForGood();
    await queue.idle();
    expect(door.arrived.map(({ data }) => data)).toEqual([0, 'o', 3]);
  });

  test('many enqueues of few keys at once: never two of a key together, and the last data of each is seen', async () => {
    const { database } = shared;
    const running = new Set<string>();
    const last = new Map<string, unknown>();
    let overlaps = 0;
    await using queue = await start(database, {
      quick: async ({ key, data }) => {
        if (running.has(key)) overlaps += 1;
        running.add(key);
        await new Promise(setImmediate);
        last.set(key, data);
        running.delete(key);
      },
    });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(['a', 'b', 'c'].map((key) => queue.enqueue({ kind: 'quick', key, data: round })));
    }
    await queue.enqueue(['a', 'b', 'c', 'a'].map((key) => ({ kind: 'quick', key, data: 'end' })));
    await queue.idle();
    expect(overlaps).toBe(0);
    expect(Object.fromEntries(last)).toEqual({ a: 'end', b: 'end', c: 'end' });
  });

  test('kinds of one lane share its keys, lanes do not', async () => {
    const { database } = shared;
    const door = gate();
    await using queue = await start(database, {
      slow: door.handler,
      slower: door.handler,
      quick: door.handler,
    });
    await queue.enqueue({ kind: 'slow', key: 'k', data: 1 });
    await door.until(1);
    await queue.enqueue({ kind: 'slower', key: 'k', data: 2 });
    await queue.enqueue({ kind: 'slow', key: 'k', data: 3 });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 4 });
    await door.until(2);
    door.openForGood();
    await queue.idle();
    expect(door.arrived.map(({ kind, data }) => [kind, data])).toEqual([
      ['slow', 1],
      ['quick', 4],
      ['slow', 3],
    ]);
  });

  test('the higher priority runs first, and a waiting job keeps the higher one', async () => {
    const { database } = shared;
    const door = gate();
    await using queue = await start(database, { slow: door.handler });
    await queue.enqueue({ kind: 'slow', key: 'first', data: null });
    await door.until(1);
    await queue.enqueue({ kind: 'slow', key: 'low', data: null });
    await queue.enqueue({ kind: 'slow', key: 'high', data: null, priority: 5 });
    await queue.enqueue({ kind: 'slow', key: 'high', data: null });
    door.openForGood();
    await queue.idle();
    expect(door.arrived.map(({ key }) => key)).toEqual(['first', 'high', 'low']);
  });

  test('tenants are served in turn, each in its own order', async () => {
    const { database } = shared;
    const door = gate();
    await using queue = await start(database, { slow: door.handler });
    await queue.enqueue(['1', '2', '3', '4', '5'].map((name) => of('many', name, 10)));
    await door.until(1);
    await queue.enqueue([of('few', 'late'), of('few', 'urgent', 5)]);
    await queue.enqueue({ kind: 'slow', key: 'of nobody', data: null });
    door.openForGood();
    await queue.idle();
    const served = door.arrived.map(({ key }) => key.replace(/\d/, 'one'));
    expect(served.join(', ')).toBe(
      'many one, few urgent, of nobody, many one, few late, many one, many one, many one',
    );
  });

  test('a deferred job waits, and an enqueue without delay brings it forward', async () => {
    const { database } = shared;
    const door = gate();
    door.openForGood();
    await using queue = await start(database, { quick: door.handler });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'later', startAfterSeconds: 3600 });
    await queue.idle();
    expect(door.arrived).toEqual([]);
    expect((await queue.depth())[0]).toMatchObject({ ready: 0, deferred: 1 });
    // Together, so that the first cannot have started when the second comes.
    await queue.enqueue([
      { kind: 'quick', key: 'k', data: 'sooner', startAfterSeconds: 0.05 },
      { kind: 'quick', key: 'k', data: 'newest', startAfterSeconds: 3600 },
    ]);
    await queue.idle();
    expect(door.arrived.map(({ data }) => data)).toEqual(['newest']);
  });

  test("the user's fault is not repeated, and is kept with its reason, scrubbed", async () => {
    const { database } = shared;
    let runs = 0;
    const outcomes: string[] = [];
    await using queue = await startQueue({
      database,
      log,
      lanes: [LANES[0]!],
      metrics: { jobEnded: (kind, outcome) => void outcomes.push(`${kind} ${outcome}`) },
      scrub: (text) => text.replaceAll('hunter22', '***'),
      handlers: {
        quick: async () => {
          runs += 1;
          throw new PorticoError('CONFIG_INVALID', 'no hunter22 here', { blame: 'user' });
        },
      },
    });
    await queue.enqueue({ kind: 'quick', key: 'k', data: { a: 1 } });
    await queue.idle();
    expect(runs).toBe(1);
    expect(outcomes).toEqual(['quick refused']);
    expect(await queue.dead()).toMatchObject([
      {
        kind: 'quick',
        key: 'k',
        data: { a: 1 },
        code: 'CONFIG_INVALID',
        message: 'no *** here',
        attempts: 1,
      },
    ]);
  });

  test('the line of a job that failed names its repository, which its key does by a number alone', async () => {
    const { database } = shared;
    const lines: string[] = [];
    await using queue = await startQueue({
      database,
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
      lanes: [LANES[0]!],
      handlers: {
        quick: async ({ attempt }) => {
          if (attempt > 1) throw new PorticoError('CONFIG_INVALID', 'refused', { blame: 'user' });
          throw new PorticoError('RATE_LIMITED', 'wait', { blame: 'forge', retryAfter: 0.01 });
        },
      },
    });
    const repository = { installationId: 1, id: 7, owner: 'acme', name: 'web' };
    await queue.enqueue({ kind: 'quick', key: 'proposal:7#1', data: { repository } });
    await queue.idle();
    const told = lines.map((line) => JSON.parse(line) as { msg: string; repository?: string });
    expect(told).toMatchObject([
      { msg: 'queue: a job failed and will run again', repository: 'acme/web' },
      { msg: 'queue: a job was refused', repository: 'acme/web' },
    ]);
  });

  test('a bug gets three runs and is then given up loudly; the next enqueue starts anew', async () => {
    const { database } = shared;
    const lines: string[] = [];
    const attempts: number[] = [];
    await using queue = await startQueue({
      database,
      log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
      lanes: [LANES[0]!],
      handlers: {
        quick: async ({ attempt, data }) => {
          attempts.push(attempt);
          if (data === 'bad') throw new TypeError('undefined is not a function');
        },
      },
    });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'bad' });
    await queue.idle();
    expect(attempts).toEqual([1, 2, 3]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('queue.test.ts');
    expect(await queue.dead()).toMatchObject([{ code: 'TypeError', attempts: 3 }]);
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'good' });
    await queue.idle();
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('retry-after is kept: a newer event replaces the data, but does not start the job earlier', async () => {
    const { database } = shared;
    const attempts: unknown[] = [];
    const limited = new PorticoError('RATE_LIMITED', 'slow down', { blame: 'forge', retryAfter: 3600 });
    await using queue = await start(database, {
      quick: async ({ data, attempt }) => {
        attempts.push([data, attempt]);
        if (data === 'limited') throw limited;
      },
    });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'limited' });
    await queue.idle();
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'newer' });
    await queue.idle();
    expect(attempts).toEqual([['limited', 1]]);
    const [waiting] = await database.query<{ seconds: number; data: unknown }>(
      `SELECT extract(epoch FROM start_after - now())::float8 AS seconds, data FROM pgboss.job`,
    );
    expect(waiting).toMatchObject({ data: { data: 'newer' } });
    expect(waiting!.seconds).toBeGreaterThan(3500);
    await database.query('UPDATE pgboss.job SET start_after = now()');
    await queue.idle();
    expect(attempts).toEqual([
      ['limited', 1],
      ['newer', 1],
    ]);
  });

  test('an event that came while a job ran into a limit waits for the limit, too', async () => {
    const { database } = shared;
    const seen: unknown[] = [];
    const queue: Queue = await start(database, {
      quick: async ({ data }) => {
        seen.push(data);
        if (data !== 'limited') return;
        await queue.enqueue({ kind: 'quick', key: 'k', data: 'newer' });
        throw new PorticoError('RATE_LIMITED', 'slow down', { blame: 'forge', retryAfter: 1800 });
      },
    });
    await queue.enqueue({ kind: 'quick', key: 'k', data: 'limited' });
    await queue.idle();
    expect(seen).toEqual(['limited']);
    expect((await queue.depth())[0]).toMatchObject({ deferred: 1 });
    await queue.stop(0);
  });

  test('stop lets a running job end; past the grace it is aborted, and runs again at the next start', async () => {
    const { database } = shared;
    const started = Promise.withResolvers<void>();
    const patient = Promise.withResolvers<void>();
    const first = await start(database, {
      quick: async ({ key }, signal) => {
        started.resolve();
        if (key === 'ends') return patient.promise;
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    await first.enqueue([
      { kind: 'quick', key: 'ends', data: 1 },
      { kind: 'quick', key: 'hangs', data: 2 },
    ]);
    await started.promise;
    await first.enqueue({ kind: 'slow', key: 's', data: 3, startAfterSeconds: 3600 });
    patient.resolve();
    await first.stop(50);
    const ran: Job[] = [];
    await using second = await start(database, { quick: async (job) => void ran.push(job) });
    await second.idle();
    expect(ran).toEqual([{ kind: 'quick', key: 'hangs', data: 2, attempt: 1 }]);
  });

  test('a job that takes too long is aborted and repeated', async () => {
    const { database } = shared;
    const attempts: number[] = [];
    await using queue = await start(
      database,
      {
        quick: async ({ attempt }, signal) => {
          attempts.push(attempt);
          if (attempt === 1)
            await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
        },
      },
      [{ name: 'quick', kinds: ['quick'], concurrency: 1, maxSeconds: 0.05 }],
    );
    await queue.enqueue({ kind: 'quick', key: 'k', data: null });
    await queue.idle();
    expect(attempts).toEqual([1, 2]);
  });

  test('wrong lanes and jobs are refused', async () => {
    const { database } = shared;
    const lanes = [...LANES, { name: 'more', kinds: ['quick'], concurrency: 1 }];
    await expect(start(database, {}, lanes)).rejects.toMatchObject({ code: 'QUEUE_LANES' });
    await using queue = await start(database, {});
    await expect(queue.enqueue({ kind: 'nope', key: 'k', data: null })).rejects.toMatchObject({
      code: 'QUEUE_JOB',
    });
    const long = { kind: 'quick', key: 'k'.repeat(601), data: null };
    await expect(queue.enqueue(long)).rejects.toMatchObject({ code: 'QUEUE_JOB' });
  });
});
