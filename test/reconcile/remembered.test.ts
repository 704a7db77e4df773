import { rm } from 'node:fs/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { collaborationStore } from '../../localforge/src/collaboration-store.ts';
import { nextNumber } from '../../localforge/src/rest/writing.ts';
import { below, locked } from '../e2e/packages.ts';
import { longTest } from '../long-test.ts';
import { configMap, smallPackage } from './small-package.ts';
import { startStage, type Stage } from './stage.ts';

/** What is known after the process died and took its data with it: all of it comes from the forge. */
const PACKAGE = smallPackage('web', { data: { color: 'blue' } });
let stage: Stage;

beforeAll(async () => {
  const spec = 'branch: main\nupdates: { follow: latest, labels: [dependencies, web] }';
  stage = await startStage(
    { up: { files: below('web', PACKAGE) }, shops: { spec } },
    { watched: true, shares: true },
  );
  const up = stage.repository('up');
  await up.tag('web/v1', await up.head('main'));
  const at = (await up.tags()).get('web/v1')!;
  const shop = { ...PACKAGE, Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', at) };
  await stage.repository('shops').push('main', below('shop', shop));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The process dies in the work and loses its directory; another begins. */
async function diesIn(work: () => Promise<unknown>): Promise<void> {
  await work();
  await stage.stopBot();
  await rm(stage.dataDirectory, { recursive: true, force: true });
  await stage.startBot();
  await stage.idle();
}

async function release(revision: string, color: string, from: string): Promise<void> {
  const up = stage.repository(from);
  await up.tag(`web/${revision}`, await up.push('main', { 'web/config.yaml': configMap('web', { color }) }));
}

const pulls = async (): Promise<readonly string[]> => {
  const { where } = stage.repository('shops');
  const { data } = await stage.as('alice').rest.pulls.list(where);
  return data.map(({ title, labels }) => [title, ...labels.map(({ name }) => name)].join(' '));
};

longTest(
  'a process dies before it labels an update, and all it knows is lost: the labels come, and a renamed upstream is followed',
  async () => {
    const { rest } = stage.as('alice');
    const reached = Promise.withResolvers<void>();
    await diesIn(() =>
      stage.watching(
        ({ method, path }) => {
          if (method !== 'POST' || !path.endsWith('/labels')) return;
          reached.resolve();
          return 500;
        },
        async () => {
          await release('v2', 'green', 'up');
          await reached.promise;
          expect(await pulls()).toEqual(['Update shop to upstream v2']);
          await rest.repos.update({ ...stage.repository('up').where, name: 'upper' });
        },
      ),
    );
    expect(await pulls()).toEqual(['Update shop to upstream v2 dependencies web']);
    await stage.writesOf(() => release('v3', 'red', 'upper'));
    expect(await pulls()).toEqual(['Update shop to upstream v3 dependencies web']);
  },
);

longTest(
  'a dashboard is found by its number, or in one call: nobody reads all that the App has made since',
  async () => {
    const { where } = stage.repository('shops');
    const store = collaborationStore(stage.forge.context.store);
    const boards = async () => {
      const alice = stage.as('alice');
      const all = await alice.paginate(alice.rest.issues.listForRepo, { ...where, state: 'all' });
      return all.filter(({ title }) => title === 'Portico dashboard');
    };
    await stage.dashboard('shops');
    const [board] = await boards();
    const { id: _, ...record } = store.issues.get(board!.id)!;
    for (let made = 0; made < 110; made += 1) {
      const number = nextNumber(stage.forge.context, record.repositoryId);
      store.issues.insert({ ...record, number, title: `Another ${made}`, state: 'closed' });
    }
    const listed: string[] = [];
    const changed = (directory: string): Promise<void> =>
      stage.watching(
        ({ path, query }) => {
          if (path.endsWith('/shops/issues') && query.includes('creator=')) listed.push(query);
        },
        async () => {
          await stage.repository('shops').push('main', below(directory, smallPackage(directory)));
          await stage.idle();
          await stage.dashboard('shops');
        },
      );
    await changed('second');
    expect(listed).toEqual([]);
    expect((await boards()).map(({ body }) => body)).toEqual([expect.stringContaining('`second`')]);
    await diesIn(() => stage.idle());
    await changed('third');
    expect(listed).toHaveLength(1);
    expect((await boards()).map(({ body }) => body)).toEqual([expect.stringContaining('`third`')]);
    // One that somebody gave another name, or took away, is made anew.
    store.issues.update(board!.id, { title: 'Portico dashboard?' });
    await changed('fourth');
    expect((await boards()).map(({ body }) => body)).toEqual([expect.stringContaining('`fourth`')]);
  },
);

test(
  'a label that somebody took off stays off; a name that another took is that one’s',
  { tags: ['campaign'] },
  async () => {
    const { rest } = stage.as('alice');
    const { where } = stage.repository('shops');
    await rest.issues.removeLabel({ ...where, issue_number: 1, name: 'web' });
    expect(await stage.writesOf(() => diesIn(() => stage.idle()))).toEqual([]);
    expect(await pulls()).toEqual(['Update shop to upstream v3 dependencies']);
    await rest.repos.createInOrg({ org: 'acme', name: 'up', private: true });
    await diesIn(() => stage.idle());
    await stage.writesOf(() => release('v4', 'gray', 'upper'));
    expect(await pulls()).toEqual(['Update shop to upstream v3 dependencies']);
  },
);
