/**
 * The server: wiring only. The door stores each delivery before it answers; a delivery then goes through the Probot
 * application to the queue. A crash between the two leaves it in the inbox, from where the next start takes it.
 */
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

import { Probot } from 'probot';

import { createApp } from './app.ts';
import { startBot, type Bot } from './bot.ts';
import type { Environment } from './config/environment.ts';
import { PorticoError } from './error.ts';
import { createCatchUp } from './intake/catch-up.ts';
import { createDoor } from './intake/door.ts';
import { createHealth } from './intake/health.ts';
import { createInbox, type Inbox } from './intake/inbox.ts';
import { createLog, createScrubber, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openDatabase } from './queue/database.ts';
import { NO_TRACES, openTracing, type Tracing } from './tracing.ts';
import { VERSION } from './version.ts';

export interface ServeOptions {
  readonly environment: Environment;
  /** Made from the environment when absent. */
  readonly log?: Log;
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly bot: Bot;
  /** Resolves when every delivery that came in has become jobs and every job is done. */
  idle(signal?: AbortSignal): Promise<void>;
  /** Two stages: no new work and `graceMs` for what runs, then the rest stays queued. */
  stop(graceMs?: number): Promise<void>;
}

const GRACE_MS = 25_000;
/** A client that has not sent its headers by then is no forge. */
const HEADERS_MS = 10_000;
/** On PostgreSQL the claim of a process that died is free only after a while: the inbox is looked at again. */
const UPKEEP_MS = 60_000;

/** Starts the bot and its HTTP server. @throws PorticoError when a part cannot start; then nothing keeps running. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { environment } = options;
  const secrets = [...environment.webhookSecrets, environment.privateKey];
  const log =
    options.log ?? createLog({ level: environment.logLevel, format: formatOf(environment), secrets });
  const metrics = createMetrics();
  await using started = new AsyncDisposableStack();
  const database = started.use(
    await openDatabase({
      ...(environment.databaseUrl !== undefined && { url: environment.databaseUrl }),
      dataDir: join(environment.dataDirectory, 'store'),
    }),
  );
  const scrub = createScrubber(secrets);
  const { tracesTo } = environment;
  const tracing = started.use(
    tracesTo === undefined ? NO_TRACES : await openTracing({ endpoint: tracesTo, version: VERSION }),
  );
  const bot = started.use(await startBot({ environment, database, log, metrics, tracing, scrub }));
  const inbox = createInbox(database);
  const catchUp = started.use(
    createCatchUp({
      retake: () => deliveries.takeAll(),
      lookAround: () => bot.sweep(),
      log,
    }),
  );
  let stopping = false;
  const deliveries = createDeliveries(environment, bot, inbox, {
    log,
    tracing,
    onStuck: catchUp.stuck,
    stopping: () => stopping,
  });
  const door = createDoor({
    secrets: environment.webhookSecrets,
    inbox,
    onStored: async ({ id }) => deliveries.take(id),
    log,
    metrics: {
      delivery(event, outcome) {
        metrics.delivery(event, outcome);
        if (outcome === 'failed') catchUp.refused();
      },
    },
  });
  const health = started.use(
    createHealth({
      ping: () => database.query('select 1'),
      stopping: () => stopping,
      ...(environment.metrics && { registry: metrics.registry }),
    }),
  );
  const server = createServer((request, response) => {
    if (!health.handle(request, response)) door(request, response);
  });
  server.headersTimeout = HEADERS_MS;
  await listen(server, environment);
  const upkeep = createUpkeep(async () => {
    await deliveries.takeAll();
    await inbox.prune();
  }, log);
  started.use(upkeep);
  const leftovers = upkeep.now();
  log.info({ port: portOf(server), engine: database.engine }, 'portico is up');
  const parts = started.move();

  let stopped: Promise<void> | undefined;
  const stop = (graceMs = GRACE_MS): Promise<void> => (stopped ??= shutDown(graceMs));
  async function shutDown(graceMs: number): Promise<void> {
    stopping = true;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await deliveries.idle();
    await bot.stop(graceMs);
    server.closeAllConnections();
    await closed;
    await parts.disposeAsync();
    log.info({}, 'portico is down');
  }

  return {
    url: `http://${environment.host}:${portOf(server)}`,
    bot,
    async idle(signal) {
      await leftovers;
      await deliveries.idle();
      await bot.queue.idle(undefined, signal);
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

interface Deliveries {
  /** Works on a stored delivery in the background. */
  take(id: string): void;
  /** Works on all that lie in the inbox; resolves when each was tried. @throws when the inbox cannot be asked */
  takeAll(): Promise<void>;
  idle(): Promise<void>;
}

/** A delivery that could not be queued so often is left to the sweep. */
const TRIES = 10;
/** What lies in the inbox after an outage is not asked for all at once: new webhooks need the database too. */
const AT_ONCE = 20;

/** From the inbox through Probot to the queue; what fails again and again stays in the inbox as failed, to be delivered again. */
function createDeliveries(
  environment: Environment,
  bot: Bot,
  inbox: Inbox,
  context: {
    readonly log: Log;
    readonly tracing: Tracing;
    readonly onStuck: () => void;
    readonly stopping: () => boolean;
  },
): Deliveries {
  const { log, tracing, onStuck } = context;
  const running = new Set<Promise<void>>();
  const [secret = ''] = environment.webhookSecrets;
  const probot = new Probot({ appId: environment.appId, privateKey: environment.privateKey, secret, log });
  const loaded = probot.load(createApp((event) => bot.accept(event)));

  async function work(id: string): Promise<void> {
    await loaded;
    const delivery = await inbox.claim(id);
    if (delivery === undefined) return;
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
      onStuck();
    }
  }

  function take(id: string): Promise<void> {
    const one = work(id).catch((error: unknown) => {
      log.error({ err: error, delivery: id }, 'the inbox failed');
      onStuck();
    });
    running.add(one);
    return one.finally(() => running.delete(one));
  }

  return {
    take: (id) => void take(id),
    async takeAll() {
      const ids = await inbox.pending();
      for (let at = 0; at < ids.length && !context.stopping(); at += AT_ONCE)
        await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => take(id)));
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Runs work now and then, without ever letting a failure out. */
function createUpkeep(work: () => Promise<void>, log: Log): AsyncDisposable & { now(): Promise<void> } {
  let running = Promise.resolve();
  const now = (): Promise<void> => {
    running = running.then(work).catch((error: unknown) => log.error({ err: error }, 'the upkeep failed'));
    return running;
  };
  const timer = setInterval(() => void now(), UPKEEP_MS);
  timer.unref();
  return {
    now,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

/** `auto` is text for a person at a terminal, and JSON for everything else. */
function formatOf({ logFormat }: Environment): 'json' | 'text' {
  if (logFormat !== 'auto') return logFormat;
  return process.stderr.isTTY ? 'text' : 'json';
}

async function listen(server: Server, { port, host }: Environment): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new PorticoError('PORT_IN_USE', `cannot listen on ${host}:${port}`, {
          hint: 'Set PORT to a free port.',
          cause,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
