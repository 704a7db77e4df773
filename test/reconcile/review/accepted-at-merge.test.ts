/** Approvals that a merge took from another repository, counted again before its tag. */
// @module-tag story
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const WEB = smallPackage('web', { data: { color: 'v1' } });
const ONE = { 'config.yaml': configMap('web', { color: 'one' }) };
const spec = (approvals: string): string =>
  `branch: main\ndeployment: true\nupdates: { follow: latest }\npublish: { approvals: ${approvals} }`;
/** Those that approve, and who does; then those that accept it, and from where. */
const GIVING = { 'give-a': 'carol', 'give-b': 'bob' } as const;
const ACCEPTING = { late: 'give-a', dismissed: 'give-a', objected: 'give-b' } as const;
/** The pull request that brings v2, by repository. */
const opened = new Map<string, number>();

beforeAll(async () => {
  const giving = Object.keys(GIVING).map((name) => [name, { spec: spec('{ to: [acme/*] }') }] as const);
  const accepting = Object.entries(ACCEPTING).map(
    ([name, from]) => [name, { spec: spec(`{ from: [acme/${from}] }`) }] as const,
  );
  stage = await startStage(
    { up: { files: below('web', WEB) }, ...Object.fromEntries([...giving, ...accepting]) },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  await up.publish('one', below('web', ONE));
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(WEB['Kptfile']!, up.url, 'web', 'web/v1', lock);
  for (const name of [...Object.keys(GIVING), ...Object.keys(ACCEPTING)]) {
    const repository = stage.repository(name);
    await repository.tag('web/v1', await repository.push('main', below('web', { ...WEB, ...ONE, Kptfile })));
    await stage.look(name);
  }
  await up.publish('two', { 'web/config.yaml': configMap('web', { color: 'two' }) });
  for (const name of [...Object.keys(GIVING), ...Object.keys(ACCEPTING)])
    opened.set(name, (await stage.repository(name).pulls())[0]!.number);
  for (const [name, by] of Object.entries(GIVING)) {
    const repository = stage.repository(name);
    await repository.review(opened.get(name)!, 'APPROVE', '', by);
    await repository.press(opened.get(name)!);
    expect([...(await repository.tags()).keys()]).toEqual(['web/v1', 'web/v2']);
  }
  for (const name of Object.keys(ACCEPTING)) {
    await stage.repository(name).command(opened.get(name)!, '/portico render', 'bob');
    const checks = await stage.repository(name).checksOf(opened.get(name)!);
    expect(checks.get('portico/approval')?.output.title).toContain('or for the same change elsewhere');
  }
  await stage.stopBot();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('where the repository that approved is not indexed yet after a start, the tag waits for it', async () => {
  const repository = stage.repository('late');
  const sha = await repository.press(opened.get('late')!);
  await rm(join(stage.dataDirectory, 'store'), { recursive: true });
  let refused = 0;
  await stage.watching(
    async ({ path }) => {
      if (!path.startsWith('/repos/acme/give-a') || refused >= 4) return undefined;
      refused += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect([...(await repository.tags()).keys()]).toEqual(['web/v1']);
      return 502;
    },
    () => stage.startBot(),
  );
  expect(refused).toBe(4);
  await expect.poll(() => repository.tags(), { timeout: 60_000 }).toHaveProperty('size', 2);
  await stage.idle();
  expect((await repository.tags()).get('web/v2')).toBe(sha);
  expect(await repository.tagMessage('web/v2')).toContain('Approved-Elsewhere: carol in acme/give-a#');
  // It was never reported as unapproved.
  expect((await repository.checks(sha)).has('portico/publication')).toBe(false);
});

test('an approval that is withdrawn elsewhere before the merge does not publish it', async () => {
  await stage.stopBot();
  const [a, b] = [stage.repository('give-a'), stage.repository('give-b')];
  const { rest } = stage.as('alice');
  const [given] = (await rest.pulls.listReviews({ ...a.where, pull_number: opened.get('give-a')! })).data;
  await rest.pulls.dismissReview({
    ...a.where,
    pull_number: opened.get('give-a')!,
    review_id: given!.id,
    message: 'It is wrong.',
  });
  await stage.as('bob').rest.pulls.createReview({
    ...b.where,
    pull_number: opened.get('give-b')!,
    event: 'REQUEST_CHANGES',
    body: 'It is wrong.',
  });
  // Times are told by the second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const merges = new Map<string, string>();
  for (const name of ['dismissed', 'objected'])
    merges.set(name, await stage.repository(name).press(opened.get(name)!));
  await stage.startBot();
  for (const [name, sha] of merges) {
    const repository = stage.repository(name);
    expect([...(await repository.tags()).keys()], name).toEqual(['web/v1']);
    const check = (await repository.checks(sha)).get('portico/publication');
    expect(check?.output.summary, name).toContain('Needs 1 approval');
  }
});
