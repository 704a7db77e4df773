// @module-tag story
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** What people order between the decision about an update and its coming to the registered branch. */
let stage: Stage;

const spec = (more: string): { spec: string } => ({
  spec: `branch: main\nupdates: { follow: latest, automerge: all${more} }\npublish: { requireApprovals: 0 }`,
});
const DIRECT = ', pullRequest: false';
const rollout = (name: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: ${name} }
spec:
  upstreams: [{ packages: [${name}] }]
  waves: [{ name: all }]
`;

/** Downstream → the package that it is made from, how it is updated, and what is ordered where before it comes. */
const STORY = {
  direct: { from: 'web', updates: DIRECT, order: '/portico rollout stop web', reason: 'wave-stopped' },
  merged: { from: 'api', updates: '', order: '/portico rollout stop api', reason: 'wave-stopped' },
  paused: { from: 'db', updates: DIRECT, order: '/portico pause shop', reason: 'paused' },
  usual: { from: 'log', updates: DIRECT, order: null, reason: null },
} as const;
const NAMES = Object.keys(STORY) as (keyof typeof STORY)[];
const packageOf = (name: string): ReturnType<typeof smallPackage> =>
  smallPackage(name, { data: { color: 'one' } });

beforeAll(async () => {
  const upstream = NAMES.map((name) => STORY[name].from);
  stage = await startStage(
    {
      up: {
        files: {
          ...Object.assign({}, ...upstream.map((name) => below(name, packageOf(name)))),
          '.github/portico/rollout.yaml': upstream.map(rollout).join('---\n'),
        },
      },
      ...Object.fromEntries(NAMES.map((name) => [name, spec(STORY[name].updates)])),
    },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  const first = await up.head('main');
  for (const name of NAMES) {
    const { from } = STORY[name];
    await up.tag(`${from}/v1`, first);
    const files = packageOf(from);
    const Kptfile = locked(files['Kptfile']!, up.url, from, `${from}/v1`, first);
    await stage.repository(name).push('main', below('shop', { ...files, Kptfile }));
  }
  await stage.idle();
  await stage.sweep();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

for (const name of NAMES) {
  const { from, order, reason } = STORY[name];
  test(
    order === null ? 'what nobody stopped comes' : `${name}: ${order} holds an update whose checks are green`,
    async () => {
      const up = stage.repository('up');
      const down = stage.repository(name);
      const place = name === 'paused' ? down : up;
      const { data } = await stage.as('alice').rest.issues.create({ ...place.where, title: 'Orders' });
      const ordered = () => place.git('for-each-ref', 'refs/portico/rollout', 'refs/portico/paused');
      const before = await ordered();
      let isOrdered = order === null;
      await stage.watching(
        async ({ method, path }) => {
          // It is decided, and asked for the last time what others say of it.
          if (isOrdered || order === null || method !== 'GET') return;
          if (!new RegExp(`/acme/${name}/commits/[^/]+/check-suites$`).test(path)) return;
          isOrdered = true;
          await place.say(data.number, order);
          for (let tries = 0; tries < 200 && (await ordered()) === before; tries += 1) await sleep(50);
        },
        async () => {
          const file = { [`${from}/config.yaml`]: configMap(from, { color: 'two' }) };
          await up.tag(`${from}/v2`, await up.push('main', file));
          await stage.idle();
        },
      );
      expect(isOrdered).toBe(true);
      expect((await ordered()) === before).toBe(order === null);
      const isHere = (await down.read('shop/config.yaml', 'main'))?.includes('two');
      expect(isHere).toBe(order === null);
      if (name !== 'merged') expect(await down.pulls('all')).toEqual([]);
      if (reason === null) return;
      await stage.dashboard(name);
      const { data: issues } = await stage.as('alice').rest.issues.listForRepo(down.where);
      expect(issues.find(({ title }) => title.includes('Portico'))?.body).toContain(`\`${reason}\``);
    },
  );
}
