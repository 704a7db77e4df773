import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { configMap, smallPackage } from './small-package.ts';
import { startStage, type Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage(
    {
      packages: {
        files: Object.fromEntries(
          Object.entries(smallPackage('one')).map(([path, text]) => [`one/${path}`, text]),
        ),
      },
    },
    { watched: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

function suspend(suspended: boolean): void {
  const { installations } = stage.forge.context.records;
  for (const { id } of installations.all()) {
    installations.update(id, { suspendedAt: suspended ? stage.forge.context.now() : null });
  }
}

test('suspended in the middle of the work: it stops, what was kept goes, and nothing is lost when it comes back (60)', async () => {
  const repository = stage.repository('packages');
  let held = 0;
  const written = await stage.writesOf(() =>
    stage.watching(
      ({ method, path }) => {
        if (method === 'POST' && path.endsWith('/check-runs') && held === 0) {
          held += 1;
          suspend(true);
        }
      },
      async () => {
        await repository.push('drafts/one/next', { 'one/config.yaml': configMap('one', { color: 'red' }) });
        await stage.as('alice').rest.pulls.create({
          ...repository.where,
          title: 'Red',
          head: 'drafts/one/next',
          base: 'main',
        });
        await stage.forge.settled();
        await stage.stopBot();
      },
    ),
  );
  expect(held).toBe(1);
  expect(written.filter(({ what }) => /check-runs|comments|git-receive-pack/.test(what))).toEqual([]);
  expect((await repository.checks(await repository.head('drafts/one/next'))).size).toBe(0);

  expect(mirrors()).toHaveLength(1);
  await stage.startBot();
  expect(mirrors()).toEqual([]);

  await stage.stopBot();
  suspend(false);
  await stage.startBot();
  await stage.sweep();
  expect((await repository.checksOf(1)).get('portico')).toMatchObject({ conclusion: 'success' });
  expect(mirrors()).toHaveLength(1);
});

function mirrors(): string[] {
  return readdirSync(join(stage.dataDirectory, 'mirrors')).filter((name) => name.endsWith('.git'));
}
