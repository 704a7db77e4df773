import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { startPostgres } from '../queue/postgres.ts';
import { inState, undisturbed, type Undisturbed } from './crash-run.ts';
import type { Call, Fault, Judge } from './fault-proxy.ts';
import { prepare, REPOSITORIES, SCENARIOS, type Scenario } from './fault-scenarios.ts';
import { makeGround, OWNER, type FaultStage, type Ground } from './fault-stage.ts';
import { forgeState } from './forge-state.ts';

/**
 * A forge that answers wrong, and what a machine can lose, `npm run faults` only: the bot is a process of its own
 * behind a proxy. Where nothing is asked twice of the forge the end is that of an undisturbed run, to the last comment.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
if (!LONG) process.stderr.write('SKIPPED: wrong answers of the forge are tried by npm run faults\n');
const postgres = LONG ? await startPostgres() : null;
if (LONG && postgres === null) process.stderr.write('SKIPPED: no PostgreSQL: its restart is not tried\n');

const KINDS: readonly string[] = [
  'publish',
  'push to a draft',
  'bulk',
  'delete',
  'retire',
  'clone of a draft',
];
const chosen = SCENARIOS.filter(({ name }) =>
  ONLY === undefined ? KINDS.includes(name) : new RegExp(ONLY).test(name),
);
const wanted = new Map<string, Undisturbed>();
let ground: Ground;
let prepared: string;

beforeAll(async () => {
  if (!LONG) return;
  ground = await makeGround(REPOSITORIES);
  prepared = await prepare(ground);
}, 180_000);

afterAll(async () => {
  ground?.remove();
  await postgres?.[Symbol.asyncDispose]();
});

/** Each call of these is hit the first time that it is made, and passes when it is made again. */
function once(fault: Fault, hit: (call: Call) => boolean = ({ writes }) => writes): Judge {
  const seen = new Set<string>();
  return (call) => {
    const name = `${call.method} ${call.path}`;
    if (!hit(call) || seen.has(name)) return undefined;
    seen.add(name);
    return fault;
  };
}

const limited = '{"message":"You have exceeded a secondary rate limit."}';
const READS = /\/[\w-]+\/(?:pulls|issues)\/\d+$/;

const FAULTS: Readonly<Record<string, () => Judge>> = {
  '500 to each write': () => once({ kind: 'answer', status: 500 }),
  '502 to each write, which was done': () => once({ kind: 'lost-answer', status: 502 }),
  'a reset instead of each write': () => once({ kind: 'reset' }),
  'a reset after each write was done': () => once({ kind: 'lost-reset' }),
  'each answer dribbles in': () => once({ kind: 'slow', ms: 1_500 }, () => true),
  'a token that is no longer taken': () =>
    once({ kind: 'answer', status: 401, body: '{"message":"Bad credentials"}' }, ({ path }) =>
      path.includes('/repos/'),
    ),
  'a secondary limit on each write (403)': () =>
    once({ kind: 'answer', status: 403, headers: { 'retry-after': '1' }, body: limited }),
  'a secondary limit on each write (429)': () =>
    once({ kind: 'answer', status: 429, headers: { 'retry-after': '1' }, body: limited }),
  'each read breaks': () => once({ kind: 'reset' }, ({ writes, method }) => !writes && method === 'GET'),
  '503 to each read': () => once({ kind: 'answer', status: 503 }, ({ writes }) => !writes),
};

describe.skipIf(!LONG).each(Object.entries(FAULTS))('%s', (_, judge) => {
  test.each(chosen)('$name', (scenario) => play(scenario, async (stage) => stage.proxy.judge(judge())));
});

describe.skipIf(!LONG)('a clock that is wrong', () => {
  test.each([-600_000, 600_000])('by %i ms', (skew) =>
    play(firstOf('publish'), async () => {}, {
      NODE_OPTIONS: `--import=${new URL('clock-skew.ts', import.meta.url).href}`,
      CLOCK_SKEW_MS: String(skew),
    }),
  );
});

/** The forge says no to one write, for no reason that we know: people are told or it is done later; nothing is done twice. */
describe.skipIf(!LONG)('a refusal that comes once', () => {
  test.each([
    [409, 'publish'],
    [422, 'publish'],
    [404, 'publish'],
    [409, 'clone of a draft'],
    [422, 'clone of a draft'],
    [404, 'push to a draft'],
    [422, 'push to a draft'],
  ])('%i: %s', async (status, name) => {
    const scenario = firstOf(name);
    const { state, writes } = await undisturbedOnce(scenario);
    for (let number = 1; number <= writes.length; number += 1) {
      await using stage = await ground.open('refused', prepared);
      const bot = await stage.startBot();
      await stage.quiet();
      let seen = 0;
      stage.proxy.judge(({ writes: yes }) =>
        yes && (seen += 1) === number
          ? { kind: 'answer', status, body: '{"message":"Validation Failed"}' }
          : undefined,
      );
      await scenario.act(stage);
      await stage.quiet();
      stage.proxy.judge(null);
      // Whoever was told that it failed asks again; the sweep of a start finds the rest.
      const done = async () => essential(await forgeState(stage, REPOSITORIES));
      if (!(await done()).some((line) => line.includes(scenario.wanted)))
        await scenario.act(stage).catch(() => {});
      await stage.quiet();
      expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
      await stage.startBot();
      await stage.quiet();
      expect(await done(), `${status} to ${writes[number - 1]}\n${bot.log().slice(-3000)}`).toEqual(
        essential(state),
      );
    }
  });

  test('404 to the first read of whatever is new', async () => {
    await play(firstOf('publish'), async (stage) => {
      const known = new Set<string>();
      for (const repo of REPOSITORIES) {
        const { rest } = stage.as('alice');
        const { data } = await rest.issues.listForRepo({ owner: OWNER, repo, state: 'all', per_page: 100 });
        for (const { number } of data) known.add(`/${repo}/pulls/${number}`).add(`/${repo}/issues/${number}`);
      }
      stage.proxy.judge(({ path, writes }) => {
        const [name] = READS.exec(path) ?? [];
        if (writes || name === undefined || known.has(name)) return undefined;
        known.add(name);
        return { kind: 'answer', status: 404, body: '{"message":"Not Found"}' };
      });
    });
  });
});

describe.skipIf(!LONG)('what a machine can lose', () => {
  test('its data directory, while webhooks came that nobody took', async () => {
    const scenario = firstOf('publish');
    const { state } = await undisturbedOnce(scenario);
    await using stage = await ground.open('lost', prepared);
    await scenario.act(stage);
    await stage.forge.settled();
    rmSync(join(stage.data, 'bot'), { recursive: true });
    await inState(stage, state, await stage.startBot());
  });

  test.each(['cut short', 'refs gone', 'no objects'])('its mirrors: %s', async (how) => {
    const scenario = firstOf('publish');
    const { state } = await undisturbedOnce(scenario);
    await using stage = await ground.open('damaged', prepared);
    damage(join(stage.data, 'bot', 'mirrors'), how);
    const bot = await stage.startBot();
    await scenario.act(stage);
    await inState(stage, state, bot);
  });

  test.skipIf(postgres === null)('its PostgreSQL, which is started again in the middle', async () => {
    const scenario = firstOf('publish');
    const { state } = await undisturbedOnce(scenario);
    await using stage = await ground.open('postgres', prepared);
    const bot = await stage.startBot({ databaseUrl: await postgres!.createDatabase() });
    await stage.quiet();
    let writes = 0;
    const restarts: Promise<void>[] = [];
    stage.proxy.judge(({ writes: yes }) => {
      if (yes && [2, 6].includes((writes += 1))) restarts.push(postgres!.restart());
      return undefined;
    });
    await scenario.act(stage);
    await inState(stage, state, bot, 180);
    await Promise.all(restarts);
    expect(restarts).toHaveLength(2);
  });
});

/** Plays a scenario under a fault and holds the end against the undisturbed one. */
async function play(
  scenario: Scenario,
  disturb: (stage: FaultStage) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const { state } = await undisturbedOnce(scenario);
  await using stage = await ground.open('faulty', prepared);
  // Times of another clock in the store would be a clock that jumps, and not one that is wrong.
  if (env['CLOCK_SKEW_MS'] !== undefined) rmSync(join(stage.data, 'bot'), { recursive: true });
  const bot = await stage.startBot({ env });
  await stage.quiet();
  await disturb(stage);
  await scenario.act(stage);
  await inState(stage, state, bot, 180);
  expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
}

async function undisturbedOnce(scenario: Scenario): Promise<Undisturbed> {
  const known = wanted.get(scenario.name) ?? (await undisturbed(ground, prepared, scenario));
  wanted.set(scenario.name, known);
  return known;
}

function firstOf(name: string): Scenario {
  return SCENARIOS.find((scenario) => scenario.name === name)!;
}

/** Refs, merges, releases and pull requests: what must be there once and no more, whatever people were told. */
function essential(state: readonly string[]): string[] {
  return state
    .filter((line) => /^\w+: (?:ref |main has|release |pull \S+ (?:open|closed))/.test(line))
    .map((line) => line.replace(/("[^"]*").*$/, '$1'));
}

function damage(mirrors: string, how: string): void {
  for (const name of readdirSync(mirrors)) {
    const folder = join(mirrors, name);
    if (how === 'refs gone') {
      rmSync(join(folder, 'refs'), { recursive: true, force: true });
      rmSync(join(folder, 'packed-refs'), { force: true });
      continue;
    }
    const objects = join(folder, 'objects');
    if (how === 'no objects') rmSync(objects, { recursive: true, force: true });
    else
      for (const file of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
        const place = join(objects, file);
        const { size, mode } = statSync(place);
        if ((mode & 0o170_000) === 0o100_000 && size > 20) truncateSync(place, size >> 1);
      }
  }
}
