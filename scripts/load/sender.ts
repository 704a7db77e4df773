/** A process that does nothing but send webhooks and keep the time of each; started by `burst.ts`. */
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Orders {
  /** In turns. */
  readonly ports: readonly number[];
  readonly secret: string;
  readonly bodies: readonly string[];
  readonly count: number;
  /** 0: as fast as sixteen connections can. */
  readonly perSecond: number;
}

export interface Answers {
  /** Milliseconds of each, also of what was not acknowledged. */
  readonly times: readonly number[];
  readonly acknowledged: number;
}

const CONNECTIONS = 16;

async function send(orders: Orders): Promise<Answers> {
  const { ports, bodies, count, perSecond, secret } = orders;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  // Signed before: the clock is of the answer alone.
  const signatures = bodies.map((body) => createHmac('sha256', secret).update(body).digest('hex'));
  const times: number[] = [];
  let acknowledged = 0;
  const one = async (number: number): Promise<void> => {
    const at = number % bodies.length;
    const started = performance.now();
    const status = await post(agent, {
      port: ports[number % ports.length] ?? 0,
      body: bodies[at] ?? '{}',
      signature: signatures[at] ?? '',
    });
    times.push(performance.now() - started);
    if (status === 202) acknowledged += 1;
  };
  if (perSecond === 0) {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) await one((next += 1));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  } else {
    const began = performance.now();
    const all: Promise<void>[] = [];
    for (let number = 0; number < count; number += 1) {
      all.push(one(number));
      const due = began + ((number + 1) * 1000) / perSecond;
      if (due > performance.now()) await pause(due - performance.now());
    }
    await Promise.all(all);
  }
  agent.destroy();
  return { times, acknowledged };
}

interface Delivery {
  readonly port: number;
  readonly body: string;
  readonly signature: string;
}

function post(agent: Agent, { port, body, signature }: Delivery): Promise<number> {
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
        'x-hub-signature-256': `sha256=${signature}`,
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

const [orders] = (await once(process, 'message')) as [Orders];
process.send?.(await send(orders));
