import { expect, test } from 'vitest';

import { createCatalog } from '../../../src/catalog/catalog.ts';
import type { Job } from '../../../src/reconcile/job.ts';
import { createCatchUp } from '../../../src/reconcile/sweep/catch-up.ts';

const refs = [1, 2, 3].map((id) => ({ installationId: 1, id, owner: 'acme', name: `r${id}` }));

test('what only a process of another version read is asked for until this one has read it', async () => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const catalog = createCatalog();
  let asked: string[] = [];
  let elsewhere: readonly number[] = [];
  const world = {
    catalog,
    now: () => new Date(time),
    repositories: async () => refs,
    enqueue: async (jobs: Job | readonly Job[]) => void asked.push(...[jobs].flat().map(({ key }) => key)),
  };
  const catchUp = createCatchUp(world, async () => elsewhere);
  const minute = async (): Promise<readonly string[]> => {
    asked = [];
    time += 60_000;
    await catchUp();
    return asked;
  };
  // The sweep of the start ran in the other version: nobody has told this one what there is.
  expect(await minute()).toEqual(['repository:1', 'repository:2', 'repository:3']);
  catalog.confirm(1);
  catalog.confirm(3);
  expect(catalog.isComplete()).toBe(false);
  expect(await minute()).toEqual(['repository:2']);
  catalog.confirm(2);
  expect(catalog.isComplete()).toBe(true);
  expect(await minute()).toEqual([]);
  // A push was told, and read by the other version.
  elsewhere = [3, 77];
  expect(await minute()).toEqual(['repository:3']);
  elsewhere = [];
  expect(await minute()).toEqual([]);
});

test('a large installation is not asked for before its sweep has begun everywhere', async () => {
  let time = Date.parse('2026-01-01T00:00:00Z');
  const jobs: Job[] = [];
  const many = Array.from({ length: 120 }, (_, id) => ({
    installationId: 1,
    id,
    owner: 'acme',
    name: `r${id}`,
  }));
  let lists = 0;
  const catchUp = createCatchUp(
    {
      catalog: createCatalog(),
      now: () => new Date(time),
      repositories: async () => {
        lists += 1;
        return many;
      },
      enqueue: async (some) => void jobs.push(...[some].flat()),
    },
    async () => [],
  );
  for (const wanted of [0, 0, 120, 120, 120, 240]) {
    time += 60_000;
    await catchUp();
    expect(jobs).toHaveLength(wanted);
  }
  // Once to learn how many there are, and then when they are asked for.
  expect(lists).toBe(3);
  expect(jobs.slice(0, 120).map(({ startAfterSeconds }) => startAfterSeconds)).toEqual(
    many.map((_, at) => Math.floor(at / 50) * 60),
  );
});
