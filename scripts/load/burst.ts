/** Thousands of webhooks at once: is each acknowledged, how soon, and is each of them worked on in the end. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { quiet } from '../../test/e2e/bot-process.ts';
import { latencyOf, type Latency } from './figures.ts';
import { OWNER, type LoadGround } from './ground.ts';
import type { Answers, Orders } from './sender.ts';
import { memoryOf, watch, type Sample } from './watch.ts';

export interface Burst {
  readonly sent: number;
  readonly acknowledged: number;
  /** What the doors counted as stored; a delivery that is known already is not stored again. */
  readonly stored: number;
  readonly acknowledgement: Latency;
  readonly seconds: number;
  /** Until the last job was done. */
  readonly drainedSeconds: number;
  /** Of the event loop of the busiest process, p99 in milliseconds; its open files and git processes. */
  readonly lagMost: number;
  readonly filesMost: number;
  readonly processesMost: number;
  readonly peakMebibytes: readonly number[];
}

/**
 * Sends pushes that say nothing new, spread over all repositories, each with an id of its own. `perSecond` 0: as fast
 * as sixteen connections can.
 */
export async function burst(ground: LoadGround, count: number, perSecond: number): Promise<Burst> {
  const { forge, repositories, bots } = ground;
  const bodies = repositories.map((name) => pushOf(ground, name));
  const before = await storedBy(ground);
  const lags = watch(bots, 1_000);
  const began = performance.now();
  const { times, acknowledged } = await sendFromOutside({
    ports: bots.map(({ port }) => port),
    secret: forge.app.webhookSecret,
    bodies,
    count,
    perSecond,
  });
  const seconds = (performance.now() - began) / 1000;
  for (const { port } of bots) await quiet(forge, port, 1_800);
  await lags.stop();
  return {
    sent: count,
    acknowledged,
    stored: (await storedBy(ground)) - before,
    acknowledgement: latencyOf(times),
    seconds: Math.round(seconds * 10) / 10,
    drainedSeconds: Math.round((performance.now() - began) / 100) / 10,
    ...most(lags.samples),
    peakMebibytes: bots.map(({ pid }) => memoryOf(pid, 'VmHWM')),
  };
}

function pushOf({ forge }: LoadGround, name: string): string {
  const repository = forge.context.records.repositoryByName(OWNER, name);
  const [installation] = forge.context.records.installations.all({ limit: 1 });
  return JSON.stringify({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    after: '1'.repeat(40),
    repository: {
      id: repository?.id,
      name,
      full_name: `${OWNER}/${name}`,
      owner: { login: OWNER },
      default_branch: 'main',
    },
    installation: { id: installation?.id },
    sender: { login: 'alice', type: 'User' },
    // As long as GitHub's pushes are.
    commits: Array.from({ length: 10 }, (_, at) => ({ id: String(at).repeat(40), message: 'x'.repeat(500) })),
  });
}

async function storedBy({ bots }: LoadGround): Promise<number> {
  let sum = 0;
  for (const { port } of bots) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [, value] of text.matchAll(
      /^portico_deliveries_total\{event="push",outcome="stored"\} (\d+)/gm,
    ))
      sum += Number(value);
  }
  return sum;
}

/** The sender is a process of its own: the local forge, which answers the bot, would make its clock late. */
async function sendFromOutside(orders: Orders): Promise<Answers> {
  const child = fork(fileURLToPath(new URL('./sender.ts', import.meta.url)), { serialization: 'advanced' });
  child.send(orders);
  const [answers] = (await once(child, 'message')) as [Answers];
  child.disconnect();
  return answers;
}

function most(samples: readonly Sample[]): Pick<Burst, 'lagMost' | 'filesMost' | 'processesMost'> {
  const highest = (of: (sample: Sample) => number): number => Math.round(Math.max(0, ...samples.map(of)));
  return {
    lagMost: highest(({ lag }) => lag),
    filesMost: highest(({ files }) => files),
    processesMost: highest(({ processes }) => processes),
  };
}
