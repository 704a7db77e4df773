import { afterAll, beforeAll, expect, test } from 'vitest';

import { killedEverywhere } from './crash-everywhere.ts';
import { killedAlong, undisturbed } from './crash-run.ts';
import { prepare, REPOSITORIES, SCENARIOS } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';

/**
 * The bot is a process of its own and is killed with SIGKILL just after an effect reached the forge or its database,
 * and before it was told so. Started again, it must bring the forge to the state that an undisturbed run ends in.
 *
 * `npm run stories` kills a publication twice on its way. `npm run faults` kills every scenario in one story after each push and
 * REST write that it makes, after commits of the database, and as webhooks are stored and taken; and then, one at a
 * time, after every single one of them. `FAULT_SCENARIO=publish` picks by name, `FAULT_COMMITS=8` takes so many commits
 * and webhooks of each, `FAULT_STORIES=1` leaves out what is killed one at a time.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const SHORT = [/^PUT .*\/merge$/, /git-receive-pack refs/];

const chosen = SCENARIOS.filter(({ name }) =>
  ONLY === undefined ? LONG || name === 'publish' : new RegExp(ONLY).test(name),
);
let ground: Ground;
let prepared: string;

beforeAll(async () => {
  ground = await makeGround(REPOSITORIES);
  prepared = await prepare(ground, chosen);
}, 900_000);

afterAll(() => ground.remove());

test.each(chosen)(
  '$name: killed anywhere, it comes to the same end',
  { tags: ['story'], timeout: 3_600_000 },
  async (scenario) => {
    const undisturbedRun = await undisturbed(ground, prepared, scenario);
    if (LONG) return killedEverywhere(ground, prepared, scenario, undisturbedRun);
    const due = (write: string, deaths: number): boolean => SHORT[deaths]?.test(write) ?? false;
    const killed = await killedAlong(
      ground,
      prepared,
      scenario,
      { after: 'write', due },
      undisturbedRun.state,
    );
    expect(killed).toBe(SHORT.length);
  },
);
