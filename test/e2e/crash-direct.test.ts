import { afterAll, beforeAll, test } from 'vitest';

import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { killedEverywhere } from './crash-everywhere.ts';
import { undisturbed } from './crash-run.ts';
import type { Scenario } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';
import { below, configuration, locked } from './packages.ts';

/**
 * `npm run faults`: the bot is killed after each write while updates come without a pull request. `crash.test.ts` says how; the same
 * variables pick what is played.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const REPOSITORIES = ['source', 'straight'] as const;
const SPEC = 'branch: main\npublish: { requireApprovals: 0 }\nsharing: { within: organization }';
const PREPARED = 'prepared-direct';

/** Two packages of one repository have something newer, once its configuration follows that. */
const SCENARIO: Scenario = {
  name: 'updates without a pull request',
  wanted: 'ref refs/tags/shop/v1',
  async act(stage) {
    const updates = '\nupdates: { follow: latest, automerge: all, pullRequest: false }';
    await stage
      .repository('straight')
      .push('main', { '.github/portico.yaml': configuration('straight', `${SPEC}${updates}`) });
  },
};

let ground: Ground | undefined;
const isChosen = LONG && (ONLY === undefined || new RegExp(ONLY).test(SCENARIO.name));

beforeAll(async () => {
  if (!isChosen) return;
  ground = await makeGround(REPOSITORIES, { AUTOMERGE_SETTLE_SECONDS: '0' });
  const stage = await ground.open(PREPARED);
  const [up, down] = REPOSITORIES.map((name) => stage.repository(name));
  const web = smallPackage('web', { data: { color: 'v0' } });
  await up!.seed({ ...below('web', web), '.github/portico.yaml': configuration('source', SPEC) });
  for (const revision of ['v1', 'v2']) {
    const commit = await up!.push('main', { 'web/config.yaml': configMap('web', { color: revision }) });
    await up!.tag(`web/${revision}`, commit);
  }
  const files = { ...web, 'config.yaml': configMap('web', { color: 'v1' }) };
  const Kptfile = locked(web['Kptfile']!, up!.url, 'web', 'web/v1', (await up!.tags()).get('web/v1')!);
  await down!.seed({
    ...below('shop', { ...files, Kptfile }),
    ...below('cart', { ...files, Kptfile }),
    '.github/portico.yaml': configuration('straight', `${SPEC}\nupdates: { follow: none }`),
  });
  const bot = await stage.startBot();
  await stage.quiet();
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(bot.log());
  await stage.close();
}, 900_000);

afterAll(() => ground?.remove());

test(
  `${SCENARIO.name}: killed anywhere, it comes to the same end`,
  { tags: ['campaign'], timeout: 3_600_000, skip: !isChosen },
  async () => {
    if (ground === undefined) throw new Error('nothing is prepared');
    await killedEverywhere(ground, PREPARED, SCENARIO, await undisturbed(ground, PREPARED, SCENARIO));
  },
);
