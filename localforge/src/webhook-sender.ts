import type { ForgeContext } from './context.ts';
import { createPoster, type Poster } from './post.ts';
import type { DeliveryRecord } from './records.ts';
import { seededRandom } from './seeded-random.ts';
import { deliveryRequest } from './webhook.ts';

/** GitHub gives up on a receiver after this. */
const TIMEOUT_MS = 10_000;
/** Bytes of an answer that the list of deliveries shows. */
const MAX_KEPT_BODY = 64 * 1024;
/** Outcomes that are written in one transaction at most. */
const WRITTEN_TOGETHER = 20;
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

/** Sends webhooks in order for each target, signed, and records every delivery. */
export function startSender(context: ForgeContext): WebhookSender {
  const queues = new Map<number | null, DeliveryRecord[]>();
  const running = new Map<number | null, Promise<void>>();
  const stop = new AbortController();
  const poster = createPoster();
  const random = seededRandom(() => context.knobs.webhooks.seed);
  const chosen = (
    knob: number | ((delivery: DeliveryRecord) => boolean),
    delivery: DeliveryRecord,
  ): boolean => (typeof knob === 'function' ? knob(delivery) : knob > 0 && random() < knob);

  const send = async (delivery: DeliveryRecord): Promise<Outcome | undefined> => {
    const knobs = context.knobs.webhooks;
    if (!delivery.redelivery && chosen(knobs.lose, delivery)) {
      return { state: 'lost', status: 'lost', deliveredAt: context.clock().toISOString() };
    }
    if (knobs.delay > 0) await pause(random() * knobs.delay, stop.signal);
    const times = !delivery.redelivery && chosen(knobs.duplicate, delivery) ? 2 : 1;
    let outcome: Outcome | undefined;
    for (let time = 0; time < times && !stop.signal.aborted; time += 1) {
      outcome = (await attempt(context, delivery, poster, stop.signal)) ?? outcome;
    }
    return outcome;
  };
  const write = (outcomes: Map<number, Outcome>): void => {
    if (outcomes.size === 0) return;
    context.store.transaction(() => {
      for (const [id, outcome] of outcomes) context.records.deliveries.update(id, outcome);
    });
    outcomes.clear();
  };
  const drain = async (key: number | null, queue: DeliveryRecord[]): Promise<void> => {
    const outcomes = new Map<number, Outcome>();
    while (queue.length > 0 && !stop.signal.aborted) {
      const window = Math.max(1, context.knobs.webhooks.reorder);
      if (queue.length < window) await pause(REORDER_WAIT_MS, stop.signal);
      for (const delivery of shuffled(queue.splice(0, window), random)) {
        if (stop.signal.aborted) continue;
        const outcome = await send(delivery);
        if (outcome !== undefined) outcomes.set(delivery.id, outcome);
      }
      if (queue.length === 0 || outcomes.size >= WRITTEN_TOGETHER) write(outcomes);
    }
    write(outcomes);
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
      poster[Symbol.dispose]();
    },
  };
}

type Outcome = Partial<Omit<DeliveryRecord, 'id'>>;

/** One HTTP request; undefined when the forge is closing, so that the delivery stays pending. */
async function attempt(
  context: ForgeContext,
  delivery: DeliveryRecord,
  poster: Poster,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const request = deliveryRequest(context, delivery);
  const started = performance.now();
  const done = (fields: Outcome): Outcome => ({
    state: 'done',
    deliveredAt: context.clock().toISOString(),
    duration: Math.round(performance.now() - started) / 1000,
    ...(request === undefined ? {} : { requestHeaders: request.headers, url: request.url }),
    ...fields,
  });
  if (request === undefined) return done({ statusCode: 0, status: 'no address' });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { status, reason, headers, body } = await poster.post(request, AbortSignal.any([signal, timeout]));
    return done({
      statusCode: status,
      status: status >= 200 && status < 300 ? 'OK' : reason || 'failed',
      responseHeaders: headers,
      responseBody: body.slice(0, MAX_KEPT_BODY),
    });
  } catch {
    if (signal.aborted) return undefined;
    return done({ statusCode: 0, status: timeout.aborted ? 'timed out' : 'failed to connect to host' });
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
