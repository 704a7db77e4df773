import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { inState } from './crash-run.ts';
import { openPlay, scenarioOf, type Play } from './fault-play.ts';
import type { Call, Fault, Judge } from './fault-proxy.ts';
import { REPOSITORIES, SCENARIOS } from './fault-scenarios.ts';
import { OWNER } from './fault-stage.ts';
import { forgeState } from './forge-state.ts';

/**
 * A forge that answers wrong, `npm run faults` only: the bot is a process of its own behind a proxy. Where nothing is
 * asked twice of the forge the end is that of an undisturbed run, to the last comment.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];
if (!LONG) process.stderr.write('SKIPPED: wrong answers of the forge are tried by npm run faults\n');

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
let play: Play;

beforeAll(async () => {
  if (LONG) play = await openPlay();
}, 180_000);

afterAll(async () => {
  await play?.[Symbol.asyncDispose]();
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
  test.each(chosen)('$name', (scenario) =>
    play.disturbed(scenario, async (stage) => stage.proxy.judge(judge())),
  );
});

/** A call waits for half a minute, git for one; each of these comes once. */
const HANGS: Readonly<Record<string, (call: Call) => boolean>> = {
  'a merge': ({ method, path }) => method === 'PUT' && path.endsWith('/merge'),
  'a push': ({ path, writes }) => writes && path.endsWith('/git-receive-pack'),
  'a comment': ({ method, path }) => method === 'POST' && path.endsWith('/comments'),
  'a fetch': ({ path }) => path.endsWith('/git-upload-pack'),
  'a read': ({ method, path }) => method === 'GET' && path.includes('/pulls'),
};

describe.skipIf(!LONG).each(['hang', 'lost-hang'] as const)('no answer ever comes (%s)', (kind) => {
  test.each(Object.entries(HANGS))('to %s', (_, hit) => {
    let hung = false;
    const judge: Judge = (call) => (hung || !hit(call) ? undefined : ((hung = true), { kind }));
    return play.disturbed(scenarioOf('publish'), async (stage) => stage.proxy.judge(judge));
  });
});

describe.skipIf(!LONG)('a clock that is wrong', () => {
  test.each([-600_000, 600_000])('by %i ms', (skew) =>
    play.disturbed(scenarioOf('publish'), async () => {}, {
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
    const scenario = scenarioOf(name);
    const { state, writes } = await play.undisturbed(scenario);
    for (let number = 1; number <= writes.length; number += 1) {
      await using stage = await play.ground.open('refused', play.prepared);
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
      // Whoever asked and was told that it failed asks again; the sweep of a start finds the rest.
      const now = await forgeState(stage, REPOSITORIES);
      if (name !== 'push to a draft' && !now.some((line) => line.includes(scenario.wanted)))
        await scenario.act(stage).catch(() => {});
      await stage.quiet();
      expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
      await stage.startBot();
      await stage.quiet();
      const end = essential(await forgeState(stage, REPOSITORIES));
      expect(end, `${status} to ${writes[number - 1]}\n${bot.log().slice(-3000)}`).toEqual(essential(state));
    }
  });

  test('404 to the first read of whatever is new: it is asked for again', async () => {
    const scenario = scenarioOf('publish');
    const { state } = await play.undisturbed(scenario);
    await using stage = await play.ground.open('unseen', play.prepared);
    const bot = await stage.startBot();
    await stage.quiet();
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
    await scenario.act(stage);
    await inState(stage, state, bot, 120);
  });
});

/** Refs, merges, releases and pull requests: what must be there once and no more, whatever people were told. */
function essential(state: readonly string[]): string[] {
  return state
    .filter((line) => /^\w+: (?:ref |main has|release |pull \S+ (?:open|closed))/.test(line))
    .map((line) => line.replace(/("[^"]*").*$/, '$1'));
}
