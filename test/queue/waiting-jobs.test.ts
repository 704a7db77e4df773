import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Database } from '../../src/queue/database.ts';
import { openEmbedded } from '../../src/queue/embedded.ts';
import type { Job, Queue } from '../../src/queue/job.ts';
import { startQueue } from '../../src/queue/queue.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-waiting-'));
const ran: Job[] = [];
let transactions = 0;
let database: Database;
let queue: Queue;

beforeAll(async () => {
  const engine = await openEmbedded(directory);
  database = {
    ...engine,
    transaction: (work) => {
      transactions += 1;
      return engine.transaction(work);
    },
  };
  queue = await startQueue({
    database,
    log: pino({ level: 'silent' }),
    lanes: [{ name: 'lane', kinds: ['look'], concurrency: 1 }],
    handlers: { look: async (job) => void ran.push(job) },
  });
});

afterAll(async () => {
  await queue.stop(0);
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const look = (startAfterSeconds: number, data: unknown = null, priority = 0) => ({
  kind: 'look',
  key: 'one',
  data: data as null,
  startAfterSeconds,
  priority,
});

async function writes(work: () => Promise<void>): Promise<number> {
  const before = transactions;
  await work();
  return transactions - before;
}

test('a job that waits already is not stored again, unless it comes earlier, is more urgent or says more', async () => {
  expect(await writes(() => queue.enqueue(look(600)))).toBe(1);
  expect(await writes(() => queue.enqueue(look(600)))).toBe(0);
  expect(await writes(() => queue.enqueue(look(700)))).toBe(0);
  expect(await writes(() => queue.enqueue(look(600, null, 1)))).toBe(1);
  expect(await writes(() => queue.enqueue(look(600, 'more')))).toBe(1);
  expect(await writes(() => queue.enqueue([look(600, 'more'), { ...look(600), key: 'other' }]))).toBe(1);
  expect(await writes(() => queue.enqueue(look(0, 'more')))).toBe(1);
  await queue.idle(0);
  expect(ran.map(({ key, data }) => [key, data])).toEqual([['one', 'more']]);
});

test('once it was claimed, the next one is stored and runs', async () => {
  ran.length = 0;
  for (const round of [1, 2, 3]) {
    expect(await writes(() => queue.enqueue(look(0)))).toBe(1);
    await queue.idle(0);
    expect(ran.length).toBe(round);
  }
});
