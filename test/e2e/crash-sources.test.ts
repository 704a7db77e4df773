import { afterAll, beforeAll, test } from 'vitest';

import {
  chartRepository,
  deployment,
  HELM,
  tools,
  type ChartRepository,
} from '../reconcile/update/chart-repository.ts';
import { killedEverywhere } from './crash-everywhere.ts';
import { undisturbed } from './crash-run.ts';
import type { Scenario } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';
import { below, configuration } from './packages.ts';

/**
 * `npm run faults`: the bot is killed after each write while it proposes a newer version of a chart: in the end there
 * is one pull request with the same content. `crash.test.ts` says how; the same variables pick what is played.
 */
const LONG = process.env['PORTICO_LONG'] === '1' && tools !== undefined;
const ONLY = process.env['FAULT_SCENARIO'];
const PREPARED = 'prepared-sources';
const DOCUMENT = 'web/portico-sources.yaml';
const PAUSED = 'paused: { reason: freeze }\n';

/** A package at 1.0.0 of a chart that has 1.1.0 since; its document pauses that, so that a push is what begins. */
const SCENARIOS: readonly Scenario[] = [
  {
    name: 'renovation',
    wanted: 'open draft=false merged=false "Update web: chart 1.0.0 → 1.1.0"',
    async act(stage) {
      const shop = stage.repository('shop');
      const document = (await shop.read(DOCUMENT)) ?? '';
      await shop.push('main', { [DOCUMENT]: document.replace(PAUSED, '') });
    },
  },
];

const chosen = SCENARIOS.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name));
let ground: Ground | undefined;
let charts: ChartRepository | undefined;

async function prepare(on: Ground, from: ChartRepository): Promise<void> {
  const stage = await on.open(PREPARED);
  from.publish('1.0.0', { web: deployment('shop:1.0') });
  await stage.repository('shop').seed({
    ...below('web', await from.package('web', PAUSED)),
    '.github/portico.yaml': configuration('shop', 'branch: main\nupdates: { follow: latest }'),
  });
  from.publish('1.1.0', { web: deployment('shop:1.1') });
  const bot = await stage.startBot();
  await stage.quiet();
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(bot.log());
  await stage.close();
}

beforeAll(async () => {
  if (!LONG || chosen.length === 0) return;
  charts = await chartRepository();
  ground = await makeGround(['shop'], { ...HELM, INSIDE_HOSTS: `http://${charts.host}` });
  await prepare(ground, charts);
}, 900_000);

afterAll(async () => {
  ground?.remove();
  await charts?.[Symbol.asyncDispose]();
});

if (LONG && chosen.length > 0) {
  test.each(chosen)(
    '$name: killed anywhere, it comes to the same end',
    async (scenario) => {
      if (ground === undefined) throw new Error('nothing is prepared');
      const played = await undisturbed(ground, PREPARED, scenario);
      await killedEverywhere(ground, PREPARED, scenario, played);
    },
    3_600_000,
  );
} else test.skip('a newer chart is proposed while the bot is killed [npm run faults]', () => undefined);
