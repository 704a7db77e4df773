import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createRunning } from '../../src/bot/running.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startEngines, type Engines, type Place } from '../queue/engines.ts';

let engines: Engines;
const jobsOf = (key: string): readonly string[] => [`proposal:${key}`];

beforeAll(async () => {
  engines = await startEngines();
});

afterAll(async () => {
  await engines?.[Symbol.asyncDispose]();
});

const untilEnded = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('a cancel', () => {
  test('ends what this process does, or says that there is nothing', async () => {
    await using place = await engines.pglite.place();
    await using database = await place.open();
    await using running = await createRunning(database, jobsOf);
    expect(await running.cancel('5#7')).toBe(false);
    const work = running.run('5#7', untilEnded, new AbortController().signal);
    expect(await running.cancel('5#7')).toBe(true);
    await work;
    expect(await running.cancel('5#7')).toBe(false);
  });

  test('reaches another process on the same PostgreSQL', { tags: ['postgresql'] }, async () => {
    await using place: Place = await engines.postgres.place();
    await using database = await place.open();
    await using other = await place.open();
    await using working = await createRunning(database, jobsOf);
    const started = Promise.withResolvers<void>();
    await using queue = await startQueue({
      database,
      lanes: [{ name: 'proposals', kinds: ['proposal'], concurrency: 1 }],
      log: createLog({ level: 'silent', secrets: [] }),
      handlers: {
        proposal: (_job, signal) => {
          const work = working.run('5#7', untilEnded, signal);
          started.resolve();
          return work;
        },
      },
    });
    await using asking = await createRunning(other, jobsOf);
    expect(await asking.cancel('5#7')).toBe(false);
    await queue.enqueue({ kind: 'proposal', key: 'proposal:5#7', data: {} });
    await started.promise;
    expect(await asking.cancel('5#8')).toBe(false);
    expect(await asking.cancel('5#7')).toBe(true);
    await queue.idle();
    expect(await queue.dead()).toEqual([]);
  });
});
