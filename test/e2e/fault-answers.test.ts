import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { mixed, WRONG_TO_WRITES } from './fault-answers.ts';
import { openPlays, type Play, type Plays } from './fault-play.ts';
import { REPOSITORIES, SCENARIOS, type Scenario } from './fault-scenarios.ts';
import { forgeState } from './forge-state.ts';

/**
 * A forge that answers wrong in all its ways in one run of each kind of work, `npm run faults` only. `FAULT_SCENARIO`
 * picks work by name, `FAULT_AT_ONCE` says how many are played side by side: most of it is waiting.
 */
vi.setConfig({ testTimeout: 3_600_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
const AT_ONCE = Number(process.env['FAULT_AT_ONCE'] ?? 3);
const chosen = SCENARIOS.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name));
let plays: Plays;

beforeAll(async () => {
  if (LONG) plays = await openPlays(chosen, AT_ONCE);
}, 600_000);

afterAll(async () => {
  await plays?.[Symbol.asyncDispose]();
});

/** The shortest work makes three writes, of which one is spared where another went wrong. */
const MAX_RUNS = Math.ceil(Object.keys(WRONG_TO_WRITES).length / 2) + 1;

test('each call meets another wrong answer', { tags: ['campaign'] }, () =>
  plays.all('mixed', async (play, scenario) => {
    const met = new Map<string, number>();
    const unmet = (): string[] => Object.keys(WRONG_TO_WRITES).filter((kind) => !met.has(kind));
    let runs = 0;
    for (; runs < MAX_RUNS && unmet().length > 0; runs += 1) {
      await play.disturbed(scenario, async (stage, bot) => {
        stage.proxy.judge(mixed(met, bot.child.pid));
      });
      process.stderr.write(`mixed | ${scenario.name} | ${JSON.stringify(Object.fromEntries(met))}\n`);
    }
    expect(unmet()).toEqual([]);
    return `${runs} runs: ${JSON.stringify(Object.fromEntries(met))}`;
  }),
);

const EVERY = 3;
const STATUSES = [409, 422, 404];
/** These meet each status at each write. */
const WHOLE = ['publish', 'clone of a draft'];

/**
 * The forge says no to a third of the writes, once, for no reason that we know: people are told, or it is done later;
 * nothing is done twice. Whoever asked and was told that it failed asks again, and the sweep of a start finds the rest.
 */
test.each(STATUSES.map((_, turn) => turn))(
  'refusals that come once, turn %i',
  { tags: ['campaign'] },
  (turn) =>
    plays.all(`refused ${turn}`, async (play, scenario) => {
      const told: string[] = [];
      for (let from = 0; from < EVERY; from += 1) {
        if (!WHOLE.includes(scenario.name) && from !== turn) continue;
        const status = STATUSES[(turn + from) % STATUSES.length]!;
        const statusOf = (nth: number): number | undefined => {
          if (nth % EVERY !== from) return undefined;
          return WHOLE.includes(scenario.name) ? status : STATUSES[(turn + nth) % STATUSES.length];
        };
        told.push(await refusedNowAndThen(play, scenario, statusOf));
      }
      return told.join('; ');
    }),
);

async function refusedNowAndThen(
  play: Play,
  scenario: Scenario,
  statusOf: (nth: number) => number | undefined,
): Promise<string> {
  const { state } = await play.undisturbed(scenario);
  await using stage = await play.ground.open('refused', play.prepared);
  const bot = await stage.startBot();
  await stage.quiet();
  const seen = new Set<string>();
  const refused: string[] = [];
  stage.proxy.judge(({ writes, method, path, about }) => {
    const name = `${method} ${path} ${about}`;
    if (!writes || seen.has(name)) return undefined;
    seen.add(name);
    const status = statusOf(seen.size - 1);
    if (status === undefined) return undefined;
    refused.push(`${status} to ${name}`);
    return { kind: 'answer', status, body: '{"message":"Validation Failed"}' };
  });
  await scenario.act(stage);
  await stage.quiet(300);
  const isThere = async (): Promise<boolean> =>
    (await forgeState(stage, REPOSITORIES)).some((line) => line.includes(scenario.wanted));
  let asked = 1;
  for (; asked <= EVERY && !(await isThere()); asked += 1) {
    await scenario.act(stage).catch(() => {});
    await stage.quiet(300);
  }
  stage.proxy.judge(null);
  expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
  await stage.startBot();
  await stage.quiet(300);
  const [is, wanted] = [essential(await forgeState(stage, REPOSITORIES)), essential(state)];
  const missing = wanted.filter((line) => !is.includes(line));
  const unwanted = is.filter((line) => !wanted.includes(line));
  const about = `missing: ${missing.join(' · ')}\nunwanted: ${unwanted.join(' · ')}\n${refused.join('\n')}\n`;
  expect(is, `${about}${bot.log().slice(-6000)}`).toEqual(wanted);
  return `${refused.length} writes refused, asked ${asked} times`;
}

/** Refs, merges, releases and pull requests: what must be there once and no more, whatever people were told. */
function essential(state: readonly string[]): string[] {
  return (
    state
      .filter((line) => /^\w+: (?:ref |main has|release |pull \S+ (?:open|closed))/.test(line))
      // Whoever asked again, asked in another comment.
      .map((line) => line.replace(/("[^"]*").*$/, '$1').replace(/(Requested-In: )\d+/, '$1N'))
  );
}
