import { afterAll, beforeAll, expect, test } from 'vitest';

import { createReaders } from '../../src/bot/readers.ts';
import { notePoints } from '../../src/forge/spent-points.ts';
import type { RepositoryAccess } from '../../src/reconcile/ports.ts';
import { startStage, type Stage } from '../reconcile/stage.ts';

const repository = { installationId: 7, id: 1, owner: 'acme', name: 'shop' };
const target = { repository, number: 1, source: { kind: 'comment' as const, id: 1 } };

let stage: Stage;
beforeAll(async () => {
  // The points that GitHub gives.
  stage = await startStage(
    { shop: {}, web: {} },
    { environment: { pointsPerMinute: 900 }, realistic: false },
  );
});
afterAll(async () => stage[Symbol.asyncDispose]());

test("one reader's many comments do not delay a command in another repository", async () => {
  const { issues, reactions } = stage.as('rita').rest;
  const shop = { owner: 'acme', repo: 'shop' };
  const web = { owner: 'acme', repo: 'web' };
  const [here, there] = await Promise.all(
    [shop, web].map(async (repo) => stage.as('bob').issues.create({ ...repo, title: 'Talk' })),
  );
  // Together three times the points of a minute.
  const body = Array.from({ length: 10 }, () => '/portico help').join('\n');
  const flood: number[] = [];
  for (let count = 0; count < 40; count += 1) {
    const { data } = await issues.createComment({ ...shop, issue_number: here!.data.number, body });
    flood.push(data.id);
  }
  const isAnswered = async (repo: typeof web, comment_id: number): Promise<boolean> => {
    const { data } = await reactions.listForIssueComment({ ...repo, comment_id });
    return data.some(({ content }) => content === 'rocket');
  };
  const answeredOf = async (): Promise<number> =>
    (await Promise.all(flood.map((id) => isAnswered(shop, id)))).filter(Boolean).length;
  // Until no more of them is answered for now: the calls that they may make are spent.
  for (let last = -1, now = 0; now === 0 || now !== last; now = await answeredOf()) {
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { data: command } = await stage
    .as('bob')
    .issues.createComment({ ...web, issue_number: there!.data.number, body: '/portico help' });
  while (!(await isAnswered(web, command.id))) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await answeredOf()).toBeLessThanOrEqual(8);
});

test('people who cannot write wait once they have spent their share of the calls, each installation for itself', async () => {
  let seconds = 0;
  const readers = createReaders({
    ports: { open: () => Promise.reject(new Error('not asked')) },
    pointsPerMinute: 900,
    now: () => seconds * 1_000,
  });
  const spend = (points: number): Promise<void> =>
    readers.spend(7, async () => {
      await Promise.resolve();
      notePoints(points);
    });
  await spend(90);
  expect(readers.secondsToWait(7)).toBe(0);
  // What fails has cost as much.
  await expect(readers.spend(7, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await spend(75);
  expect([readers.secondsToWait(7), readers.secondsToWait(8)]).toEqual([10, 0]);
  seconds = 10;
  expect(readers.secondsToWait(7)).toBe(0);
  await spend(9_000);
  expect(readers.secondsToWait(7)).toBe(55);
});

test('who is a reader is asked of the forge once in a minute; an unknown author is not kept waiting', async () => {
  let seconds = 0;
  const asked: string[] = [];
  const permission = (login: string): Promise<string> => {
    asked.push(login);
    return Promise.resolve(login === 'bob' ? 'write' : 'read');
  };
  const open = (): Promise<RepositoryAccess> =>
    Promise.resolve({ forge: { permission } as Partial<RepositoryAccess['forge']> } as RepositoryAccess);
  const readers = createReaders({ ports: { open }, pointsPerMinute: 900, now: () => seconds * 1_000 });
  const answers = async (): Promise<boolean[]> =>
    Promise.all(['bob', 'rita', undefined].map((author) => readers.isReader({ ...target, author })));
  expect(await answers()).toEqual([false, true, false]);
  expect(await answers()).toEqual([false, true, false]);
  expect(asked).toEqual(['bob', 'rita']);
  seconds = 61;
  await answers();
  expect(asked).toEqual(['bob', 'rita', 'bob', 'rita']);
});
