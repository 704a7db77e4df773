import { expect } from 'vitest';

import {
  killedAlong,
  killedAt,
  type Deaths,
  type Inside,
  type Point,
  type Undisturbed,
} from './crash-run.ts';
import type { Scenario } from './fault-scenarios.ts';
import type { Ground } from './fault-stage.ts';

const MOST = Number(process.env['FAULT_COMMITS'] ?? Infinity);
const ONE_BY_ONE = process.env['FAULT_STORIES'] !== '1';
/** So many processes die after commits in one story, and half of them as webhooks come. */
const DEATHS = Number(process.env['FAULT_DEATHS'] ?? 8);

/** Kills the bot wherever the scenario writes, commits or takes a webhook; the end must be that of the undisturbed run. */
export async function killedEverywhere(
  ground: Ground,
  prepared: string,
  scenario: Scenario,
  { state, writes, inside }: Undisturbed,
): Promise<void> {
  const started = Date.now();
  const failures: string[] = [];
  let killed = 0;
  const tried = async (where: string, attempt: () => Promise<number>): Promise<void> => {
    const begun = Date.now();
    try {
      const deaths = await attempt();
      killed += deaths;
      const seconds = Math.round((Date.now() - begun) / 1000);
      process.stderr.write(`${where}: killed ${deaths} times, then as wanted, ${seconds} s\n`);
    } catch (error) {
      failures.push(`${where}\n${String(error)}`);
      process.stderr.write(`FAILED ${where}\n${String(error)}\n`);
    }
  };
  const along = (what: string, plan: Deaths): Promise<void> =>
    tried(`${scenario.name}, in one story killed after ${what}`, () =>
      killedAlong(ground, prepared, scenario, plan, state),
    );

  const hit = new Set<string>();
  await along('each of its writes', {
    after: 'write',
    due: (write) => hit.size < hit.add(write).size,
  });
  const all = new Set(writes);
  process.stderr.write(
    `${scenario.name}: ${[...all].filter((one) => hit.has(one)).length} of ${all.size} writes\n`,
  );
  let seen = 0;
  // A wish for a webhook is made again at each start: killed after it, no process would get any further.
  const third = (write: string): boolean => !write.includes('/hook/deliveries/') && (seen += 1) % 3 === 0;
  if (ONE_BY_ONE) await along('every third write', { after: 'write', due: third });
  // Each gets further than the one before it.
  if (DEATHS > 0)
    await along('more and more commits', {
      after: 'commit',
      number: (deaths) => (deaths < DEATHS ? 3 + 5 * deaths : undefined),
    });
  for (const after of ['stored', 'taken'] as const) {
    const most = Math.min(inside[after], DEATHS / 2);
    if (most > 0) await along(after, { after, number: (deaths) => (deaths < most ? 1 + deaths : undefined) });
  }
  for (const point of ONE_BY_ONE ? pointsOf(writes, inside) : []) {
    const what = point.after === 'write' ? writes[point.number - 1] : '';
    await tried(`${scenario.name}, killed after ${point.after} ${point.number} ${what}`, async () =>
      (await killedAt(ground, prepared, scenario, point, state)) === 'killed' ? 1 : 0,
    );
  }
  process.stderr.write(
    `${scenario.name}: ${writes.length} writes, ${JSON.stringify(inside)}; killed ${killed} times, ${failures.length} failures, ${Math.round((Date.now() - started) / 1000)} s\n`,
  );
  expect(failures).toEqual([]);
}

function pointsOf(writes: readonly string[], inside: Undisturbed['inside']): Point[] {
  return [
    ...writes.map((_, at) => ({ after: 'write' as const, number: at + 1 })),
    ...spread('commit', inside.commit, MOST),
    ...spread('stored', inside.stored, MOST / 2),
    ...spread('taken', inside.taken, MOST / 2),
  ];
}

/** Points over all that there are, from the first on, no more than `most`. */
function spread(after: Inside, all: number, most: number): Point[] {
  const stride = Math.max(1, all / most);
  return Array.from({ length: Math.ceil(all / stride) }, (_, at) => ({
    after,
    number: Math.floor(at * stride) + 1,
  }));
}
