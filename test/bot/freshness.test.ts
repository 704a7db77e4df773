import { expect, test } from 'vitest';

import { createFreshness, type Moment } from '../../src/bot/freshness.ts';
import type { RepositoryFacts } from '../../src/reconcile/forge/repository.ts';
import type { Git } from '../../src/reconcile/git-port.ts';

let clock = 0;

function setting(marginMs = 0): {
  fetches: () => number;
  job: (moment: Moment | null) => Promise<void>;
  stampIn: (moment: Moment | null) => Promise<number>;
} {
  clock = 100;
  let count = 0;
  const freshness = createFreshness(() => clock, marginMs);
  // Only `fetch` is called here.
  const git = { fetch: () => Promise.resolve((count += 1)) } as unknown as Git;
  const wrapped = freshness.wrap(1, git);
  return {
    fetches: () => count,
    job: (moment) => freshness.during(moment, async () => void (await wrapped.fetch())),
    stampIn: (moment) => freshness.during(moment, () => Promise.resolve(freshness.stamp())),
  };
}

const about = (since: number, passOn = false): Moment => ({ since, passOn });

test('jobs about one event share a fetch that began after it; a later event needs its own', async () => {
  const { fetches, job } = setting();
  await job(about(90));
  await job(about(90));
  await job(about(99));
  expect(fetches()).toBe(1);
  // In the same millisecond nobody knows which was first.
  await job(about(100));
  expect(fetches()).toBe(2);
  clock = 200;
  await job(about(150));
  expect(fetches()).toBe(3);
});

test('what was found before a job was asked for may be too old for it', async () => {
  clock = 500;
  const at = (moment: Moment | null, marginMs: number): Promise<number | undefined> => {
    const freshness = createFreshness(() => clock, marginMs);
    return freshness.during(moment, async () => freshness.askedAt());
  };
  expect(await at(about(90), 0)).toBe(90);
  // On another process' clock it may have been later.
  expect(await at(about(90), 10_000)).toBe(1_090);
  // A command looks at what is there now.
  expect(await at(null, 0)).toBe(500);
  expect(createFreshness(() => clock, 0).askedAt()).toBeUndefined();
});

test('work outside of a job, and a job that is tried again, read anew', async () => {
  const { fetches, job } = setting();
  await job(about(1));
  await job(null);
  expect(fetches()).toBe(2);
});

test('clocks may be apart, and may be set back', async () => {
  const apart = setting(50);
  await apart.job(about(60));
  await apart.job(about(60));
  expect(apart.fetches()).toBe(2);
  const back = setting();
  await back.job(about(50));
  clock = 80;
  await back.job(about(60));
  expect(back.fetches()).toBe(2);
});

test('what a repository is, is asked for once by jobs about one event, and anew seconds later', async () => {
  clock = 100;
  const freshness = createFreshness(() => clock, 0);
  let asked = 0;
  const get = (): Promise<RepositoryFacts> =>
    Promise.resolve({ labels: { asked: String((asked += 1)) } } as unknown as RepositoryFacts);
  const [forge, other] = [freshness.wrapForge(1, { get }), freshness.wrapForge(2, { get })];
  const told = (moment: Moment | null, of = forge): Promise<unknown> =>
    freshness.during(moment, async () => (await of.get()).labels?.['asked']);
  expect([await told(about(90)), await told(about(99))]).toEqual(['1', '1']);
  expect(await told(about(90), other)).toBe('2');
  // A later event, a command, and work outside of jobs.
  expect([await told(about(100)), await told(null), (await forge.get()).labels]).toEqual([
    '3',
    '4',
    { asked: '5' },
  ]);
  clock = 6_000;
  expect(await told(about(90))).toBe('6');
});

test('a job that only looks passes its moment on', async () => {
  const { stampIn } = setting();
  expect(await stampIn(about(7, true))).toBe(7);
  expect(await stampIn(about(7))).toBe(100);
  expect(await stampIn(null)).toBe(100);
});
