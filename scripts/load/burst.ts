/** Thousands of webhooks at once: is each acknowledged, how soon, and is each of them worked on in the end. */
import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { quiet } from '../../test/e2e/bot-process.ts';
import { latencyOf, type Latency } from './figures.ts';
import { OWNER, type LoadGround } from './ground.ts';
import { memoryOf } from './watch.ts';

export interface Burst {
  readonly sent: number;
  readonly acknowledged: number;
  /** What the doors counted as stored; a delivery that is known already is not stored again. */
  readonly stored: number;
  readonly acknowledgement: Latency;
  readonly seconds: number;
  /** Until the last job was done. */
  readonly drainedSeconds: number;
  readonly peakMebibytes: readonly number[];
}

/**
 * Sends pushes that say nothing new, spread over all repositories, each with an id of its own. `perSecond` 0: as fast
 * as sixteen connections can.
 */
export async function burst(ground: LoadGround, count: number, perSecond: number): Promise<Burst> {
  const { forge, repositories, bots } = ground;
  const bodies = repositories.map((name) => pushOf(ground, name));
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const before = await storedBy(ground);
  const times: number[] = [];
  let acknowledged = 0;
  const began = performance.now();
  const send = async (number: number): Promise<void> => {
    const body = bodies[number % bodies.length] ?? '{}';
    const port = bots[number % bots.length]?.port ?? 0;
    const started = performance.now();
    const status = await post(agent, port, body, forge.app.webhookSecret);
    times.push(performance.now() - started);
    if (status === 202) acknowledged += 1;
  };
  if (perSecond === 0) {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) await send((next += 1));
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  } else {
    const all: Promise<void>[] = [];
    for (let number = 0; number < count; number += 1) {
      all.push(send(number));
      const due = began + ((number + 1) * 1000) / perSecond;
      if (due > performance.now()) await pause(due - performance.now());
    }
    await Promise.all(all);
  }
  const seconds = (performance.now() - began) / 1000;
  for (const { port } of bots) await quiet(forge, port, 1_800);
  agent.destroy();
  return {
    sent: count,
    acknowledged,
    stored: (await storedBy(ground)) - before,
    acknowledgement: latencyOf(times),
    seconds: Math.round(seconds * 10) / 10,
    drainedSeconds: Math.round((performance.now() - began) / 100) / 10,
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

function post(agent: Agent, port: number, body: string, secret: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sending = request(
    {
      host: '127.0.0.1',
      port,
      agent,
      method: 'POST',
      path: '/api/github/webhooks',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    },
    (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    },
  );
  sending.on('error', () => resolve(0));
  sending.end(body);
  return promise;
}
