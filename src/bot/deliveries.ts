/**
 * From the inbox to the queue. What the door has put in a file goes into the inbox first, and the file with it.
 */
import type { Environment } from '../config/environment.ts';
import { PorticoError } from '../error.ts';
import type { Inbox } from '../intake/inbox.ts';
import type { Spool } from '../intake/spool.ts';
import { fewAtATime } from '../processes/few-at-a-time.ts';
import { mayBeRestored } from '../reconcile/draft/restoration.ts';
import type { Job } from '../reconcile/job.ts';
import type { Ports } from '../reconcile/ports.ts';
import { affectsUpdates } from '../reconcile/update/reconciler.ts';
import { logWith, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { readStored, type RoutedEvent } from '../webhook/routed-event.ts';

export interface Deliveries {
  /** Works on a stored delivery in the background; `file` is where it lies, while it is not in the inbox. */
  readonly take: (delivery: { readonly id: string; readonly file: string | undefined }) => void;
  /** Works on all that lie in the spool and in the inbox; resolves when each was tried. @throws when the inbox cannot be asked */
  takeAll(): Promise<void>;
  idle(): Promise<void>;
  /** How many are worked on. */
  readonly waiting: () => number;
}

/** What it takes to queue the jobs of an event. */
export interface EventPorts {
  readonly ports: Pick<Ports, 'catalog' | 'open' | 'enqueue' | 'log'>;
  readonly metrics: Pick<Metrics, 'delivery'>;
  /** It is not known how long ago events happened: the present head is not what a comment's author saw. */
  readonly areLate?: true;
}

/** Queues the jobs that an event asks for, durably. The work follows later. */
export async function acceptEvent(
  { ports, metrics, areLate }: EventPorts,
  event: RoutedEvent,
  signal?: AbortSignal,
): Promise<void> {
  const { id, name, repository, unreadable: reason } = event;
  if (reason !== undefined) {
    metrics.delivery(name, 'unreadable');
    ports.log.warn({ delivery: id, event: name, repository, reason }, 'webhook: cannot be read');
  }
  for (const job of worthDoing(ports, event))
    await ports.enqueue(areLate === true ? job : await withHead(ports, job, signal));
}

/** Of the jobs that an event asks for, those that may come to something as far as the index knows. */
function worthDoing(ports: Pick<Ports, 'catalog'>, { jobs }: RoutedEvent): readonly Job[] {
  return jobs.filter(({ kind, data }) =>
    kind === 'restoration'
      ? mayBeRestored(ports, data.repository)
      : kind !== 'variant' || data.about !== 'branch' || affectsUpdates(ports, data),
  );
}

/** A comment is about the head that its author could see: what is pushed between comment and command is not meant. */
async function withHead(ports: Pick<Ports, 'open'>, job: Job, signal: AbortSignal | undefined): Promise<Job> {
  if (job.kind !== 'comment') return job;
  const { repository, number } = job.data;
  const { forge } = await ports.open(repository, signal);
  const pull = await forge.getPull(number, signal);
  return pull === null ? job : { ...job, data: { ...job.data, headSeen: pull.headSha } };
}

export interface DeliveriesOptions {
  readonly environment: Pick<Environment, 'appId'>;
  readonly events: EventPorts;
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

/** A delivery that this process works on, and how often that was begun. */
interface Taken {
  readonly event: RoutedEvent;
  readonly attempt: number;
}

/** A delivery that could not be queued so often is left to the sweep. */
const TRIES = 10;
/** What lies in the inbox after an outage is not asked for all at once: new webhooks need the database too. */
const MAX_CONCURRENT = 20;

/** What fails again and again stays in the inbox as failed, to be delivered again. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { events, inbox, spool, log, tracing } = options;
  const { appId } = options.environment;
  const running = new Set<Promise<void>>();
  const moving = new Set<string>();
  // Each holds a body in memory.
  const withRoom = fewAtATime(MAX_CONCURRENT);

  /** From the spool into the inbox; undefined where there is nothing to do. */
  async function move(file: string): Promise<Taken | undefined> {
    const spooled = spool.read(file);
    if (spooled === null) {
      spool.drop(file);
      return undefined;
    }
    const event = readStored(spooled, appId);
    // Where the App itself does most of what happens, most of what it is told asks for nothing.
    const concerns = worthDoing(events.ports, event).length > 0 || event.unreadable !== undefined;
    const delivery = concerns ? await inbox.take(spooled) : undefined;
    spool.drop(file);
    options.onMoved(event.name, concerns ? (delivery === undefined ? 'known' : 'stored') : 'passed');
    return delivery && { event, attempt: delivery.attempt };
  }

  async function work({ event, attempt }: Taken): Promise<void> {
    const { id } = event;
    try {
      await tracing.span(`webhook ${event.name}`, { 'portico.delivery': id }, () =>
        logWith({ delivery: id }, () => acceptEvent(events, event)),
      );
      await inbox.complete(id);
    } catch (error) {
      log.error({ err: error, delivery: id, attempt }, 'a delivery could not be queued');
      if (attempt >= TRIES) return inbox.fail(id, error instanceof PorticoError ? error.code : 'UNEXPECTED');
      await inbox.release(id);
      options.onStuck();
    }
  }

  async function workOnFile(file: string): Promise<void> {
    if (moving.has(file)) return;
    moving.add(file);
    const taken = await withRoom(() => move(file)).finally(() => moving.delete(file));
    if (taken !== undefined) await work(taken);
  }

  async function workOn(id: string): Promise<void> {
    const delivery = await inbox.claim(id);
    if (delivery === undefined) return;
    await work({ event: readStored(delivery, appId), attempt: delivery.attempt });
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
