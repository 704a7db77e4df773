import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { inState } from './crash-run.ts';
import { openPlay, openPlays, scenarioOf, type Play, type Plays } from './fault-play.ts';
import type { Call, Fault, Judge } from './fault-proxy.ts';
import { REPOSITORIES, SCENARIOS } from './fault-scenarios.ts';
import { OWNER } from './fault-stage.ts';

/**
 * A forge that answers wrong, `npm run faults` only: the bot is a process of its own behind a proxy. Where nothing is
 * asked twice of the forge the end is that of an undisturbed run, to the last comment.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const ONLY = process.env['FAULT_SCENARIO'];

const AT_ONCE = Number(process.env['FAULT_AT_ONCE'] ?? 3);
const chosen = SCENARIOS.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name));
let plays: Plays;
let play: Play;

beforeAll(async () => {
  if (!LONG) return;
  plays = await openPlays(chosen, AT_ONCE);
  play = await openPlay();
}, 600_000);

afterAll(async () => {
  await plays?.[Symbol.asyncDispose]();
  await play?.[Symbol.asyncDispose]();
});

interface Met {
  readonly judge: Judge;
  /** How many calls met the fault. */
  readonly count: () => number;
}

/** Each call of these is hit the first time that it is made, and passes when it is made again. */
function once(
  fault: Fault | ((call: Call) => Fault | undefined),
  hit: (call: Call) => boolean = ({ writes }) => writes,
): Met {
  const seen = new Set<string>();
  const judge: Judge = (call) => {
    const name = `${call.method} ${call.path} ${call.about}`;
    if (!hit(call) || seen.has(name)) return undefined;
    seen.add(name);
    return typeof fault === 'function' ? fault(call) : fault;
  };
  return { judge, count: () => seen.size };
}

const limited = '{"message":"You have exceeded a secondary rate limit."}';
const READS = /\/[\w-]+\/(?:pulls|issues)\/\d+$/;

const FAULTS: Readonly<Record<string, () => Met>> = {
  '500 to each write': () => once({ kind: 'answer', status: 500 }),
  '502 to each write, which was done': () => once({ kind: 'lost-answer', status: 502 }),
  // Of a push whose answer is cut, git itself waits until its time is up.
  'each answer to a write of REST is cut': () =>
    once({ kind: 'cut' }, ({ writes, path }) => writes && !path.endsWith('/git-receive-pack')),
  'each read is cut': () => once({ kind: 'cut' }, ({ writes }) => !writes),
  'a reset instead of each write': () => once({ kind: 'reset' }),
  'a reset after each write was done': () => once({ kind: 'lost-reset' }),
  'each answer dribbles in': () =>
    once(
      ({ writes }) => ({ kind: 'slow', ms: writes ? 1_500 : 300 }),
      () => true,
    ),
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

test.each(Object.entries(FAULTS))('%s', { tags: ['campaign'] }, (what, fault) =>
  plays.all(what, async (own, scenario) => {
    let met: Met | undefined;
    await own.disturbed(scenario, async (stage) => {
      met = fault();
      stage.proxy.judge(met.judge);
    });
    return `${met?.count()} calls met it`;
  }),
);

/** A call waits for half a minute, git for one; each of these comes once. */
const HANGS: Readonly<Record<string, (call: Call) => boolean>> = {
  'a merge': ({ method, path }) => method === 'PUT' && path.endsWith('/merge'),
  'a push': ({ path, writes }) => writes && path.endsWith('/git-receive-pack'),
  'a comment': ({ method, path }) => method === 'POST' && path.endsWith('/comments'),
  'a fetch': ({ path }) => path.endsWith('/git-upload-pack'),
  'a read': ({ method, path }) => method === 'GET' && path.includes('/pulls'),
};

describe.each(['hang', 'lost-hang'] as const)('no answer ever comes (%s)', { tags: ['campaign'] }, (kind) => {
  test.each(Object.entries(HANGS))('to %s', (_, hit) => {
    let hung = false;
    const judge: Judge = (call) => (hung || !hit(call) ? undefined : ((hung = true), { kind }));
    return play.disturbed(scenarioOf('publish'), async (stage) => stage.proxy.judge(judge));
  });
});

/** So long the forge's answers are cut, and so long it may take afterwards until all is as it would be. */
const CUT_MS = 20_000;
const RECOVERED_SECONDS = 60;

test('a third of all answers is cut for 20 s', { tags: ['campaign'] }, async () => {
  const scenario = scenarioOf('update of two downstream (fan-out)');
  const { state } = await play.undisturbed(scenario);
  await using stage = await play.ground.open('cut', play.prepared);
  const bot = await stage.startBot();
  await stage.quiet();
  let calls = 0;
  let cut = 0;
  stage.proxy.judge(() => {
    calls += 1;
    if (calls % 3 !== 0) return undefined;
    cut += 1;
    return { kind: 'cut' };
  });
  await scenario.act(stage);
  await new Promise((resolve) => setTimeout(resolve, CUT_MS));
  stage.proxy.judge(null);
  const started = performance.now();
  await inState(stage, state, bot, RECOVERED_SECONDS);
  process.stderr.write(
    `cut ${cut} of ${calls} answers; as wanted ${Math.round((performance.now() - started) / 1000)} s later\n`,
  );
  expect(cut).toBeGreaterThan(0);
});

describe('a clock that is wrong', { tags: ['campaign'] }, () => {
  test.each([-600_000, 600_000])('by %i ms', (skew) =>
    play.disturbed(scenarioOf('publish'), async () => {}, {
      NODE_OPTIONS: `--import=${new URL('clock-skew.ts', import.meta.url).href}`,
      CLOCK_SKEW_MS: String(skew),
    }),
  );
});

test('404 to the first read of whatever is new: it is asked for again', { tags: ['campaign'] }, async () => {
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
