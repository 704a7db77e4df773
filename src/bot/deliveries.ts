/**
 * From the inbox through the Probot application to the queue. What the door has put in a file goes into the inbox
 * first, and the file with it.
 */
import { Probot } from 'probot';

import type { Environment } from '../config/environment.ts';
import { PorticoError } from '../error.ts';
import type { Delivery, Inbox } from '../intake/inbox.ts';
import type { Spool } from '../intake/spool.ts';
import { fewAtATime } from '../processes/few-at-a-time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createApp } from './app.ts';
import type { Bot } from './bot.ts';

export interface Deliveries {
  /** Works on a stored delivery in the background; `file` is where it lies, while it is not in the inbox. */
  readonly take: (delivery: { readonly id: string; readonly file: string | undefined }) => void;
  /** Works on all that lie in the spool and in the inbox; resolves when each was tried. @throws when the inbox cannot be asked */
  takeAll(): Promise<void>;
  idle(): Promise<void>;
  /** How many are worked on. */
  readonly waiting: () => number;
}

export interface DeliveriesOptions {
  readonly environment: Environment;
  readonly bot: Bot;
  readonly inbox: Inbox;
  readonly spool: Spool;
  readonly log: Log;
  readonly tracing: Tracing;
  /** A delivery from a file went into the inbox: `stored`, or `known` there already; `passed`: it asks for nothing. */
  readonly onMoved: (event: string, outcome: string) => void;
  /** A delivery has to be taken again. */
  readonly onStuck: () => void;
  readonly stopping: () => boolean;
}

/** A delivery that could not be queued so often is left to the sweep. */
const TRIES = 10;
/** What lies in the inbox after an outage is not asked for all at once: new webhooks need the database too. */
const MAX_CONCURRENT = 20;

/** What fails again and again stays in the inbox as failed, to be delivered again. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { environment, bot, inbox, spool, log, tracing } = options;
  const running = new Set<Promise<void>>();
  const moving = new Set<string>();
  // Each holds a body in memory.
  const withRoom = fewAtATime(MAX_CONCURRENT);
  const [secret = ''] = environment.webhookSecrets;
  const probot = new Probot({ appId: environment.appId, privateKey: environment.privateKey, secret, log });
  const loaded = probot.load(createApp((event) => bot.accept(event)));

  /** From the spool into the inbox; undefined where there is nothing to do. */
  async function move(file: string): Promise<Delivery | undefined> {
    const spooled = spool.read(file);
    if (spooled === null) {
      spool.drop(file);
      return undefined;
    }
    const { event, body } = spooled;
    // Where the App itself does most of what happens, most of what it is told asks for nothing.
    const concerns = bot.concerns({ name: event, payload: JSON.parse(body) });
    const delivery = concerns ? await inbox.take(spooled) : undefined;
    spool.drop(file);
    options.onMoved(event, concerns ? (delivery === undefined ? 'known' : 'stored') : 'passed');
    return delivery;
  }

  async function work(delivery: Delivery): Promise<void> {
    await loaded;
    const { id } = delivery;
    try {
      const event = { id, name: delivery.event, payload: delivery.payload };
      await tracing.span(`webhook ${delivery.event}`, { 'portico.delivery': id }, () =>
        probot.receive(event as Parameters<typeof probot.receive>[0]),
      );
      await inbox.complete(id);
    } catch (error) {
      log.error({ err: error, delivery: id, attempt: delivery.attempt }, 'a delivery could not be queued');
      if (delivery.attempt >= TRIES)
        return inbox.fail(id, error instanceof PorticoError ? error.code : 'UNEXPECTED');
      await inbox.release(id);
      options.onStuck();
    }
  }

  async function workOnFile(file: string): Promise<void> {
    if (moving.has(file)) return;
    moving.add(file);
    const delivery = await withRoom(() => move(file)).finally(() => moving.delete(file));
    if (delivery !== undefined) await work(delivery);
  }

  async function workOn(id: string): Promise<void> {
    const delivery = await inbox.claim(id);
    if (delivery !== undefined) await work(delivery);
  }

  function started(about: object, one: Promise<void>): Promise<void> {
    const safe = one.catch((error: unknown) => {
      log.error({ err: error, ...about }, 'the inbox failed');
      options.onStuck();
    });
    running.add(safe);
    return safe.finally(() => running.delete(safe));
  }

  const take = (id: string): Promise<void> => started({ delivery: id }, workOn(id));
  const takeFile = (file: string): Promise<void> => started({ file }, workOnFile(file));

  return {
    take: ({ id, file }) => void (file === undefined ? take(id) : takeFile(file)),
    async takeAll() {
      const ids = await inbox.pending();
      const all = [...spool.names().map((file) => () => takeFile(file)), ...ids.map((id) => () => take(id))];
      for (let at = 0; at < all.length && !options.stopping(); at += MAX_CONCURRENT)
        await Promise.all(all.slice(at, at + MAX_CONCURRENT).map((one) => one()));
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    waiting: () => running.size,
  };
}
