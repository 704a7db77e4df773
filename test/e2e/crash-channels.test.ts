import { afterAll, beforeAll, test } from 'vitest';

import { CHANNEL_REPOSITORIES, CHANNEL_SCENARIOS, prepareChannels } from './channel-scenarios.ts';
import { killedEverywhere } from './crash-everywhere.ts';
import { undisturbed } from './crash-run.ts';
import { makeGround, type Ground } from './fault-stage.ts';

/**
 * `npm run faults`: the bot is killed after each write while channels change. `crash.test.ts` says how; the same variables pick
 * what is played.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const chosen = CHANNEL_SCENARIOS.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name));
let ground: Ground | undefined;
let prepared = '';

beforeAll(async () => {
  if (!LONG || chosen.length === 0) return;
  ground = await makeGround(CHANNEL_REPOSITORIES);
  prepared = await prepareChannels(ground);
}, 900_000);

afterAll(() => ground?.remove());

test.each(chosen)(
  '$name: killed anywhere, it comes to the same end',
  { tags: ['campaign'], timeout: 3_600_000 },
  async (scenario) => {
    if (ground === undefined) throw new Error('nothing is prepared');
    const played = await undisturbed(ground, prepared, scenario);
    await killedEverywhere(ground, prepared, scenario, played);
  },
);
