import { afterAll, beforeAll, expect, test } from 'vitest';

import { killedAt, undisturbed, type Point } from './crash-run.ts';
import { prepare, REPOSITORIES, SCENARIOS } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';

/**
 * The bot is a process of its own and is killed with SIGKILL just after an effect reached the forge or its database,
 * and before it was told so. Started again, it must bring the forge to the state that an undisturbed run ends in.
 *
 * `npm test` kills a publication at two points. `npm run faults` kills every scenario after every push, every REST
 * write, and every commit of the database; `FAULT_SCENARIO=publish` picks by name, `FAULT_STRIDE=4` every fourth commit.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const STRIDE = Number(process.env['FAULT_STRIDE'] ?? 1);
const SHORT = [/^PUT .*\/merge$/, /git-receive-pack$/];

const chosen = SCENARIOS.filter(({ name }) =>
  ONLY === undefined ? LONG || name === 'publish' : new RegExp(ONLY).test(name),
);
let ground: Ground;
let prepared: string;

beforeAll(async () => {
  ground = await makeGround(REPOSITORIES);
  prepared = await prepare(ground, chosen);
}, 180_000);

afterAll(() => ground.remove());

test.each(chosen)(
  '$name: killed anywhere, it comes to the same end',
  async (scenario) => {
    const { state, writes, commits } = await undisturbed(ground, prepared, scenario);
    const points: Point[] = LONG
      ? [
          ...writes.map((_, at) => ({ after: 'write' as const, number: at + 1 })),
          ...Array.from({ length: Math.ceil(commits / STRIDE) }, (_, at) => ({
            after: 'commit' as const,
            number: at * STRIDE + 1,
          })),
        ]
      : SHORT.map((what) => ({ after: 'write', number: writes.findIndex((one) => what.test(one)) + 1 }));
    const started = Date.now();
    const failures: string[] = [];
    let killed = 0;
    for (const point of points) {
      const where = `${scenario.name}, killed after ${point.after} ${point.number}: ${point.after === 'write' ? writes[point.number - 1] : ''}`;
      try {
        const outcome = await killedAt(ground, prepared, scenario, point, state);
        if (outcome === 'killed') killed += 1;
        if (LONG) process.stderr.write(`${where}: ${outcome}, then as wanted\n`);
      } catch (error) {
        failures.push(`${where}\n${String(error)}`);
        process.stderr.write(`FAILED ${where}\n${String(error)}\n`);
      }
    }
    if (LONG)
      process.stderr.write(
        `${scenario.name}: ${writes.length} writes, ${commits} commits; killed ${killed} times, ${failures.length} failures, ${Math.round((Date.now() - started) / 1000)} s\n`,
      );
    expect(failures).toEqual([]);
    if (!LONG) expect(killed).toBe(SHORT.length);
  },
  3_600_000,
);
