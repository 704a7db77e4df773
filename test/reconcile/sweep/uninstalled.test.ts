import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

const DOWNSTREAM = ['east', 'north', 'west'];
/** With the upstream, and `.github`, which says that they share. */
const REPOSITORIES = 2 + DOWNSTREAM.length;

let stage: Stage;

beforeAll(async () => {
  const spec = 'branch: main\nupdates: { follow: latest }';
  stage = await startStage(
    {
      packages: { files: below('one', smallPackage('one')) },
      ...Object.fromEntries(DOWNSTREAM.map((name) => [name, { spec }])),
    },
    { watched: true, shares: true },
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

longTest(
  'suspended in the middle of the work: it stops, what was kept goes, and nothing is lost when it comes back (60)',
  async () => {
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

    expect(mirrors()).toHaveLength(REPOSITORIES);
    await stage.startBot();
    expect(mirrors()).toEqual([]);

    await stage.stopBot();
    suspend(false);
    await stage.startBot();
    await stage.sweep();
    expect((await repository.checksOf(1)).get('portico')).toMatchObject({ conclusion: 'action_required' });
    expect(mirrors()).toHaveLength(REPOSITORIES);
  },
);

longTest(
  'suspended in the middle of a fan-out: each repository has its update once when it comes back',
  async () => {
    const up = stage.repository('packages');
    await up.tag('one/v1', await up.head('main'));
    const at = (await up.tags()).get('one/v1')!;
    const files = smallPackage('one');
    const made = { ...files, Kptfile: locked(files['Kptfile']!, up.url, 'one', 'one/v1', at) };
    for (const name of DOWNSTREAM) await stage.repository(name).push('main', below('shop', made));
    await stage.idle();
    const opening = Promise.withResolvers<void>();
    await stage.watching(
      ({ method, path }) => {
        if (method !== 'POST' || !path.endsWith('/pulls')) return;
        suspend(true);
        opening.resolve();
      },
      async () => {
        await up.tag(
          'one/v2',
          await up.push('main', { 'one/config.yaml': configMap('one', { color: 'blue' }) }),
        );
        await opening.promise;
        await stage.stopBot();
      },
    );
    const open = async (name: string): Promise<string[]> =>
      (await stage.repository(name).pulls('open')).map(({ title }) => title);
    const half = await Promise.all(DOWNSTREAM.map(open));
    expect(half.flat().length).toBeLessThan(DOWNSTREAM.length);

    suspend(false);
    await stage.startBot();
    await stage.sweep();
    for (const name of DOWNSTREAM) expect(await open(name), name).toEqual(['Update shop to upstream v2']);
  },
);

function mirrors(): string[] {
  return readdirSync(join(stage.dataDirectory, 'mirrors')).filter((name) => name.endsWith('.git'));
}
