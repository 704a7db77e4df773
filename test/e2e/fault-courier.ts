import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface CourierHabits {
  /** The bot's port. */
  readonly to: number;
  /** Fractions from 0 to 1. Of those that are lost the sender hears of every second. */
  readonly lose: number;
  readonly duplicate: number;
  /** Each copy waits a random part of it, so that they come in any order. */
  readonly delayMilliseconds: number;
  readonly seed: number;
}

/** What came of the webhooks: `taken` of the forge; `lost` of those; `sent` to the bot, with what was sent twice. */
export interface CourierCounts {
  taken: number;
  lost: number;
  doubled: number;
  sent: number;
  refused: number;
}

/** Stands between the forge and the bot's door, and brings webhooks as a bad network and a busy forge do. */
export interface Courier extends AsyncDisposable {
  readonly url: string;
  readonly counts: Readonly<CourierCounts>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export async function openCourier(habits: CourierHabits): Promise<Courier> {
  const random = mulberry32(habits.seed);
  const counts: CourierCounts = { taken: 0, lost: 0, doubled: 0, sent: 0, refused: 0 };
  const underWay = new Set<Promise<void>>();

  async function bring(headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    await pause(random() * habits.delayMilliseconds);
    counts.sent += 1;
    const status = await post(habits.to, headers, body).catch(() => 0);
    if (status !== 202) counts.refused += 1;
  }

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      counts.taken += 1;
      if (random() < habits.lose) {
        counts.lost += 1;
        return outgoing.writeHead(counts.lost % 2 === 0 ? 502 : 202).end();
      }
      const copies = random() < habits.duplicate ? 2 : 1;
      counts.doubled += copies - 1;
      for (let copy = 0; copy < copies; copy += 1) {
        const one = bring(incoming.headers, Buffer.concat(parts));
        underWay.add(one);
        void one.finally(() => underWay.delete(one));
      }
      return outgoing.writeHead(202).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/github/webhooks`,
    counts,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(underWay);
    },
  };
}

function post(port: number, headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const onward = send(
      { host: '127.0.0.1', port, path: '/api/github/webhooks', method: 'POST', headers },
      (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    onward.on('error', reject);
    onward.end(body);
  });
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
