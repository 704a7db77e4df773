import type { ForgeContext } from './context.ts';
import type { DeliveryRecord } from './records.ts';
import { deliveryRequest } from './webhook.ts';

/** GitHub gives up on a receiver after this. */
const TIMEOUT_MS = 10_000;
const MAX_KEPT_BODY = 64 * 1024;
/** How long a delivery waits for others to be shuffled with. */
const REORDER_WAIT_MS = 20;

/** Sends deliveries, one at a time per hook, in order unless the knobs say otherwise. Never tries again by itself. */
export interface WebhookSender {
  enqueue(delivery: DeliveryRecord): void;
  /** Resolves when nothing is pending or in flight. */
  settled(): Promise<void>;
  /** Gives up what is in flight; it is sent when the forge starts again. */
  close(): Promise<void>;
}

export function startSender(context: ForgeContext): WebhookSender {
  const queues = new Map<number | null, DeliveryRecord[]>();
  const running = new Map<number | null, Promise<void>>();
  const stop = new AbortController();
  const random = seededRandom(() => context.knobs.webhooks.seed);
  const chosen = (
    knob: number | ((delivery: DeliveryRecord) => boolean),
    delivery: DeliveryRecord,
  ): boolean => (typeof knob === 'function' ? knob(delivery) : knob > 0 && random() < knob);

  const send = async (delivery: DeliveryRecord): Promise<void> => {
    const knobs = context.knobs.webhooks;
    if (!delivery.redelivery && chosen(knobs.lose, delivery)) {
      context.records.deliveries.update(delivery.id, {
        state: 'lost',
        status: 'lost',
        deliveredAt: context.clock().toISOString(),
      });
      return;
    }
    if (knobs.delay > 0) await pause(random() * knobs.delay, stop.signal);
    const times = !delivery.redelivery && chosen(knobs.duplicate, delivery) ? 2 : 1;
    for (let time = 0; time < times && !stop.signal.aborted; time += 1) {
      const outcome = await attempt(context, delivery, stop.signal);
      if (outcome !== undefined) context.records.deliveries.update(delivery.id, outcome);
    }
  };
  const drain = async (key: number | null, queue: DeliveryRecord[]): Promise<void> => {
    while (queue.length > 0 && !stop.signal.aborted) {
      const window = Math.max(1, context.knobs.webhooks.reorder);
      if (queue.length < window) await pause(REORDER_WAIT_MS, stop.signal);
      for (const delivery of shuffled(queue.splice(0, window), random)) {
        if (!stop.signal.aborted) await send(delivery);
      }
    }
    running.delete(key);
  };

  return {
    enqueue: (delivery) => {
      if (stop.signal.aborted) return;
      const queue = queues.get(delivery.hookId) ?? [];
      queues.set(delivery.hookId, queue);
      queue.push(delivery);
      if (!running.has(delivery.hookId)) running.set(delivery.hookId, drain(delivery.hookId, queue));
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
    close: async () => {
      stop.abort();
      await Promise.all(running.values());
    },
  };
}

/** One HTTP request; undefined when the forge is closing, so that the delivery stays pending. */
async function attempt(
  context: ForgeContext,
  delivery: DeliveryRecord,
  signal: AbortSignal,
): Promise<Partial<Omit<DeliveryRecord, 'id'>> | undefined> {
  const request = deliveryRequest(context, delivery);
  const started = performance.now();
  const done = (fields: Partial<Omit<DeliveryRecord, 'id'>>): Partial<Omit<DeliveryRecord, 'id'>> => ({
    state: 'done',
    deliveredAt: context.clock().toISOString(),
    duration: Math.round(performance.now() - started) / 1000,
    ...(request === undefined ? {} : { requestHeaders: request.headers, url: request.url }),
    ...fields,
  });
  if (request === undefined) return done({ statusCode: 0, status: 'no address' });
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const body = await response.text();
    return done({
      statusCode: response.status,
      status: response.ok ? 'OK' : response.statusText || 'failed',
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: body.slice(0, MAX_KEPT_BODY),
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return done({ statusCode: 0, status: timedOut ? 'timed out' : 'failed to connect to host' });
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const ranked = items.map((item) => ({ item, rank: items.length < 2 ? 0 : random() }));
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ item }) => item);
}

/** mulberry32; starts again when the seed changes. */
function seededRandom(seed: () => number): () => number {
  let from = seed();
  let state = from;
  return () => {
    if (seed() !== from) {
      from = seed();
      state = from;
    }
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
