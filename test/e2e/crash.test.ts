import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  killedAlong,
  killedAt,
  undisturbed,
  type Inside,
  type Point,
  type Undisturbed,
} from './crash-run.ts';
import { prepare, REPOSITORIES, SCENARIOS, type Scenario } from './fault-scenarios.ts';
import { makeGround, type Ground } from './fault-stage.ts';

/**
 * The bot is a process of its own and is killed with SIGKILL just after an effect reached the forge or its database,
 * and before it was told so. Started again, it must bring the forge to the state that an undisturbed run ends in.
 *
 * `npm test` kills a publication twice on its way. `npm run faults` kills every scenario after every push, every REST
 * write, and every commit of the database, one at a time, and then again and again in one story;
 * `FAULT_SCENARIO=publish` picks by name, `FAULT_STRIDE=4` every fourth commit.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const MOST = Number(process.env['FAULT_COMMITS'] ?? Infinity);
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
    const undisturbedRun = await undisturbed(ground, prepared, scenario);
    if (LONG) return everywhere(scenario, undisturbedRun);
    const next = (write: string, deaths: number): boolean => SHORT[deaths]?.test(write) ?? false;
    expect(await killedAlong(ground, prepared, scenario, next, undisturbedRun.state)).toBe(SHORT.length);
  },
  3_600_000,
);

async function everywhere(scenario: Scenario, { state, writes, inside }: Undisturbed): Promise<void> {
  const points: Point[] = [
    ...writes.map((_, at) => ({ after: 'write' as const, number: at + 1 })),
    ...spread('commit', inside.commit, MOST),
    ...spread('stored', inside.stored, MOST / 2),
    ...spread('taken', inside.taken, MOST / 2),
  ];
  const started = Date.now();
  const failures: string[] = [];
  let killed = 0;
  const tried = async (where: string, attempt: () => Promise<number>): Promise<void> => {
    try {
      const deaths = await attempt();
      killed += deaths;
      process.stderr.write(`${where}: killed ${deaths} times, then as wanted\n`);
    } catch (error) {
      failures.push(`${where}\n${String(error)}`);
      process.stderr.write(`FAILED ${where}\n${String(error)}\n`);
    }
  };
  for (const point of points) {
    const what = point.after === 'write' ? writes[point.number - 1] : '';
    await tried(`${scenario.name}, killed after ${point.after} ${point.number} ${what}`, async () =>
      (await killedAt(ground, prepared, scenario, point, state)) === 'killed' ? 1 : 0,
    );
  }
  for (const every of [1, 2, 3]) {
    let seen = 0;
    // A wish for a webhook is made again at each start: killed after it, no process would get any further.
    const due = (write: string): boolean => !write.includes('/hook/deliveries/') && (seen += 1) % every === 0;
    await tried(`${scenario.name}, killed after one of ${every} writes of each process`, () =>
      killedAlong(ground, prepared, scenario, due, state),
    );
  }
  process.stderr.write(
    `${scenario.name}: ${writes.length} writes, ${JSON.stringify(inside)}; killed ${killed} times, ${failures.length} failures, ${Math.round((Date.now() - started) / 1000)} s\n`,
  );
  expect(failures).toEqual([]);
}

/** Points over all that there are, from the first on, no more than `most`. */
function spread(after: Inside, all: number, most: number): Point[] {
  const stride = Math.max(1, all / most);
  return Array.from({ length: Math.ceil(all / stride) }, (_, at) => ({
    after,
    number: Math.floor(at * stride) + 1,
  }));
}
