import { afterAll, describe, expect, test } from 'vitest';

import { createBudget } from '../../src/queue/budget.ts';
import type { Database } from '../../src/queue/database.ts';
import { sharedDatabase, onEach, startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

/** When the calls were let through, in seconds after the first. */
async function times(database: Database, installation = 1): Promise<number[]> {
  const rows = await database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM starts_at - min(starts_at) OVER ())::float8 AS seconds
     FROM portico.content_call WHERE installation = $1 ORDER BY starts_at`,
    [installation],
  );
  return rows.map(({ seconds }) => seconds);
}

/** The largest number of calls in any window of so many seconds. */
function busiest(seconds: readonly number[], window: number): number {
  return Math.max(
    ...seconds.map((from) => seconds.filter((at) => at >= from && at < from + window - 1e-6).length),
  );
}

onEach(engines, (engine) => {
  const shared = sharedDatabase(engine);

  test('calls within the budget go at once, the next waits for the window, in the order of asking', async () => {
    const { database } = shared;
    const budget = createBudget({ database, perMinute: 3, perHour: 500, minuteSeconds: 0.2 });
    expect(await budget.eta(1)).toBe(0);
    const order: number[] = [];
    const asked = [];
    for (let index = 0; index < 8; index += 1) asked.push(budget.take(1).then(() => order.push(index)));
    await Promise.all(asked);
    // Those of one window go at the same moment, and timers of one moment have no order.
    expect(order.map((index) => Math.floor(index / 3))).toEqual([0, 0, 0, 1, 1, 1, 2, 2]);
    const seconds = await times(database);
    expect(busiest(seconds, 0.2)).toBeLessThanOrEqual(3);
    expect(seconds[7]).toBeGreaterThan(0.399);
  });

  test('the hour counts as well as the minute, and other installations do not', async () => {
    const { database } = shared;
    const budget = createBudget({ database, perMinute: 100, perHour: 4 });
    for (let index = 0; index < 4; index += 1) await budget.take(1);
    expect(await budget.eta(1)).toBeGreaterThan(3500);
    expect(await budget.eta(2)).toBe(0);
    await budget.take(2);
  });

  test('a restart goes on where it was; a wait that is given up gives its place back', async () => {
    const { database } = shared;
    const before = createBudget({ database, perMinute: 2, perHour: 500 });
    await before.take(1);
    await before.take(1);
    const budget = createBudget({ database, perMinute: 2, perHour: 500 });
    expect(await budget.eta(1)).toBeGreaterThan(50);
    const stop = new AbortController();
    const waiting = budget.take(1, stop.signal);
    while ((await times(database)).length < 3) await new Promise(setImmediate);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow();
    expect(await times(database)).toHaveLength(2);
    await expect(budget.take(1, AbortSignal.abort())).rejects.toThrow();
    expect(await times(database)).toHaveLength(2);
  });

  test('what no window counts is forgotten, and what is left is what it is now', async () => {
    const { database } = shared;
    const budget = createBudget({ database, perMinute: 80, perHour: 500 });
    await budget.take(7);
    await budget.take(7);
    await budget.take(8);
    expect(await budget.left()).toEqual(
      new Map([
        [7, 78],
        [8, 79],
      ]),
    );
    // A minute later the minute is whole again, though nobody made a call; the hour is not.
    await database.query(`UPDATE portico.content_call SET starts_at = starts_at - interval '61 seconds'`);
    const small = createBudget({ database, perMinute: 80, perHour: 3 });
    expect(await budget.left()).toEqual(
      new Map([
        [7, 80],
        [8, 80],
      ]),
    );
    expect((await small.left()).get(7)).toBe(1);
    await database.query(`UPDATE portico.content_call SET starts_at = starts_at - interval '2 hours'`);
    expect(await budget.left()).toEqual(new Map());
    expect(await budget.prune()).toBe(3);
  });
});

describe('two processes on one PostgreSQL', { tags: ['postgresql'] }, () => {
  test('share one budget', async () => {
    await using place = await engines.postgres.place();
    await using first = await place.open();
    await using second = await place.open();
    const options = { perMinute: 5, perHour: 500, minuteSeconds: 0.1 };
    const budgets = [
      createBudget({ ...options, database: first }),
      createBudget({ ...options, database: second }),
    ];
    await Promise.all(Array.from({ length: 20 }, (_, index) => budgets[index % 2]!.take(1)));
    const seconds = await times(first);
    expect(seconds).toHaveLength(20);
    expect(busiest(seconds, 0.1)).toBeLessThanOrEqual(5);
  });
});
