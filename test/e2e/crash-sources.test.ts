import { expect, test } from 'vitest';

import type { StageRepository } from '../reconcile/stage-repository.ts';
import {
  chartRepository,
  deployment,
  HELM,
  type ChartRepository,
} from '../reconcile/update/chart-repository.ts';
import { killedEverywhere } from './crash-everywhere.ts';
import { undisturbed } from './crash-run.ts';
import type { Scenario } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';
import { below, configuration } from './packages.ts';

/**
 * `npm run faults`: the bot is killed after each write, commit and webhook while it proposes a newer version of a chart, or to restore
 * the version before one that fails: in the end there is one pull request with the same content. `crash.test.ts` says how; the same
 * variables pick what is played.
 */
const ONLY = process.env['FAULT_SCENARIO'];
const DOCUMENT = 'web/portico-sources.yaml';
const PAUSED = 'paused: { reason: freeze }\n';

/** A scenario, and the state of the forge in which it begins. */
interface Prepared extends Scenario {
  prepare(shop: StageRepository, charts: ChartRepository): Promise<void>;
}

const SCENARIOS: readonly Prepared[] = [
  {
    name: 'renovation',
    // A package at 1.0.0 of a chart that has 1.1.0 since; its document pauses that, so that a push is what begins.
    async prepare(shop, from) {
      from.publish('1.0.0', { web: deployment('shop:1.0') });
      await shop.seed({
        ...below('web', await from.package('web', PAUSED)),
        '.github/portico.yaml': configuration('shop', 'branch: main\nupdates: { follow: latest }'),
      });
      from.publish('1.1.0', { web: deployment('shop:1.1') });
    },
    wanted: 'open draft=false merged=false "Update web: chart 1.0.0 → 1.1.0"',
    async act(stage) {
      const shop = stage.repository('shop');
      const document = (await shop.read(DOCUMENT)) ?? '';
      await shop.push('main', { [DOCUMENT]: document.replace(PAUSED, '') });
    },
  },
  {
    name: 'restoration',
    // Two published revisions in a repository that is deployed; that the newer one fails is what begins.
    async prepare(shop, from) {
      from.publish('1.0.0', { web: deployment('shop:1.0') });
      const first = await shop.seed({
        ...below('web', await from.package('web')),
        '.github/portico.yaml': configuration('shop', 'branch: main\ndeployment: true'),
      });
      await shop.tag('web/v1', first);
      from.publish('1.1.0', { web: deployment('shop:1.1') });
      await shop.tag('web/v2', await shop.push('main', below('web', await from.package('web'))));
    },
    wanted: 'open draft=false merged=false "Restore web to v1: v2 fails where it runs"',
    async act(stage) {
      const shop = stage.repository('shop');
      const sha = await shop.head('main');
      await stage.as('alice').rest.repos.createCommitStatus({
        ...shop.where,
        sha,
        state: 'failure',
        context: 'kustomization/apps/0c9c2e41',
      });
    },
  },
];

const chosen = SCENARIOS.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name));

/** A ground on which the scenario can begin; the bot has seen it all and is down. */
async function prepared(scenario: Prepared, charts: ChartRepository): Promise<Ground> {
  const ground = await makeGround(['shop'], { ...HELM, INSIDE_HOSTS: `http://${charts.host}` });
  const stage = await ground.open(scenario.name);
  await scenario.prepare(stage.repository('shop'), charts);
  const bot = await stage.startBot();
  await stage.quiet();
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(bot.log());
  await stage.close();
  return ground;
}

test.each(chosen)(
  '$name: killed anywhere, it comes to the same end',
  { tags: ['campaign', 'helm', 'bubblewrap'], timeout: 3_600_000 },
  async (scenario) => {
    await using charts = await chartRepository();
    const ground = await prepared(scenario, charts);
    try {
      const played = await undisturbed(ground, scenario.name, scenario);
      // Each phase is played: a webhook that is stored, and one that is taken to the database, among them.
      expect(Object.entries(played.inside).filter(([, count]) => count === 0)).toEqual([]);
      await killedEverywhere(ground, scenario.name, scenario, played);
    } finally {
      ground.remove();
    }
  },
);
