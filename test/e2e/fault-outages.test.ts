import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { inState } from './crash-run.ts';
import { openPlay, scenarioOf, type Play } from './fault-play.ts';
import type { Call, Fault } from './fault-proxy.ts';

/**
 * A part of the forge that is away for a while, `npm run faults` only: what each comes to, and how long after its end, is a row of
 * docs/performance.md. `FAULT_SECONDS` says for how long.
 */
vi.setConfig({ testTimeout: 1_800_000 });

const LONG = process.env['PORTICO_LONG'] === '1';
const SECONDS = Number(process.env['FAULT_SECONDS'] ?? 45);

let play: Play;
beforeAll(async () => {
  if (LONG) play = await openPlay();
}, 600_000);
afterAll(async () => {
  await play?.[Symbol.asyncDispose]();
});

const limited: Fault = {
  kind: 'answer',
  status: 403,
  headers: { 'retry-after': '60' },
  body: '{"message":"You have exceeded a secondary rate limit."}',
};

const OUTAGES: Readonly<Record<string, (call: Call) => Fault | undefined>> = {
  'GraphQL answers 502, REST is there': ({ path }) =>
    path.endsWith('/graphql') ? { kind: 'answer', status: 502 } : undefined,
  'REST answers 503, GraphQL is there': ({ path }) =>
    path.includes('/api/v3/') ? { kind: 'answer', status: 503 } : undefined,
  'a secondary limit on all writes': ({ writes, path }) =>
    writes && !path.endsWith('/git-receive-pack') ? limited : undefined,
};

test.each(Object.entries(OUTAGES))('%s', { tags: ['campaign'] }, async (what, judge) => {
  const scenario = scenarioOf(process.env['FAULT_SCENARIO'] ?? 'publish');
  const { state } = await play.undisturbed(scenario);
  await using stage = await play.ground.open('outage', play.prepared);
  const bot = await stage.startBot();
  await stage.quiet();
  let met = 0;
  stage.proxy.judge((call) => {
    const fault = judge(call);
    if (fault !== undefined) met += 1;
    return fault;
  });
  await scenario.act(stage);
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const metrics = await (await fetch(`http://127.0.0.1:${play.ground.botPort}/metrics`)).text();
  stage.proxy.judge(null);
  const ended = performance.now();
  await inState(stage, state, bot, 400);
  const lines = bot
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; err?: { code?: string } })
    .filter(({ level }) => level !== 'info' && level !== 'debug');
  const said = Map.groupBy(lines, ({ level, msg, err }) => `${level}: ${msg} ${err?.code ?? ''}`);
  const told = [...said].map(([line, all]) => `  ${all.length} × ${line}`).join('\n');
  const gauges = metrics
    .split('\n')
    .filter((line) => /^portico_(forge_pause|jobs_given_up|queue_age)\S* (?!0$)/.test(line));
  process.stderr.write(
    `${what}: ${met} calls met it in ${SECONDS} s; as wanted ${Math.round((performance.now() - ended) / 1000)} s later\n${told}\n${gauges.join('\n')}\n`,
  );
  expect(met).toBeGreaterThan(0);
});
