import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../e2e/packages.ts';
import { configMap, smallPackage } from './small-package.ts';
import type { StageRepository } from './stage-repository.ts';
import { startStage, type Stage } from './stage.ts';

/** What a direct push brought, which nobody approved, goes with the next revision: not past two people either. */
let stage: Stage;

const ASKS = 'branch: main\npublish: { requireApprovals: 1 }';
const PUSHED = { 'shop/extra.yaml': configMap('extra', { pushed: 'yes' }) };
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

beforeAll(async () => {
  stage = await startStage({
    up: { files: below('web', smallPackage('web')), private: false },
    waits: { files: {}, private: false, spec: ASKS },
    auto: { files: {}, private: false, spec: `${ASKS}\nupdates: { automerge: all }` },
  });
  const up = stage.repository('up');
  await up.publish('one', change('one'));
  const lock = (await up.tags()).get('web/v1')!;
  const files = smallPackage('web');
  const Kptfile = locked(files['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const shop = below('shop', { ...files, Kptfile, 'config.yaml': configMap('web', { color: 'one' }) });
  for (const name of ['waits', 'auto']) {
    await stage.repository(name).push('main', shop, { as: 'alice' });
    await stage.idle();
    await stage.repository(name).publish('first', { 'shop/own.yaml': configMap('own', { a: 'b' }) });
    await stage.repository(name).push('main', PUSHED, { as: 'bob' });
  }
  await stage.idle();
  await up.publish('two', change('two'));
  await stage.sweep();
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function updateOf(repo: StageRepository): Promise<number> {
  const open = (await repo.pulls()).filter(({ user }) => user?.type === 'Bot');
  expect(open.map(({ title }) => title)).toEqual(['Update shop to v2']);
  return open[0]!.number;
}

test('an update above a direct push needs one more than the one who pushed (63)', async () => {
  const repo = stage.repository('waits');
  const number = await updateOf(repo);
  await repo.command(number, '/portico approve', 'bob');
  const { reaction, reply } = await repo.command(number, '/portico publish', 'bob');
  expect(reaction).toBe('confused');
  expect(reply).toContain('pushed to the base branch without approval');
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
  await repo.command(number, '/portico approve', 'carol');
  expect((await repo.command(number, '/portico publish', 'carol')).reaction).toBe('rocket');
  const sha = (await repo.tags()).get('shop/v2')!;
  expect(await repo.read('shop/extra.yaml', sha)).not.toBeNull();
});

test('it does not merge itself (63)', async () => {
  const repo = stage.repository('auto');
  await updateOf(repo);
  await stage.sweep();
  await stage.idle();
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
});
