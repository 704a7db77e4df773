/**
 * The server: wiring only. The door reads each delivery and stores the jobs that it asks for before it answers; from there
 * they go to the queue. A crash between the two leaves it in the inbox, from where the next start takes it.
 */
import { join } from 'node:path';

import { startBot, type Bot } from './bot/bot.ts';
import { createDeliveries } from './bot/deliveries.ts';
import { startNotes } from './bot/start-notes.ts';
import type { Environment } from './config/environment.ts';
import { secretsOf } from './config/secrets.ts';
import { containerSettings } from './function/container/settings.ts';
import { hasBubblewrap } from './function/sandbox/bubblewrap.ts';
import { createCatchUp } from './intake/catch-up.ts';
import { createHealth } from './intake/health.ts';
import { createInbox } from './intake/inbox.ts';
import { createMachineWatch, spaceOf } from './intake/machine-watch.ts';
import { openRelay } from './intake/relay.ts';
import { openSpool } from './intake/spool.ts';
import type { ContentPools } from './isolation/content.ts';
import { openDatabase } from './queue/open-database.ts';
import { keepHeapSmall } from './telemetry/heap-growth.ts';
import { createLog, createScrubber, type Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { NO_TRACES, openTracing } from './telemetry/tracing.ts';
import { VERSION } from './version.ts';
import { openDoor } from './webhook/door-host.ts';
import { READERS } from './webhook/event-payload.ts';

export interface ServeOptions {
  readonly environment: Environment;
  /** Ends a start that waits for the forge. */
  readonly signal?: AbortSignal;
  /** Made from the environment when absent. */
  readonly log?: Log;
  /** Of the program that embeds this; absent, the server has its own. */
  readonly contentPools?: ContentPools;
  /** Numbers of the repositories to look at; absent: all that the App is installed on. */
  readonly only?: ReadonlySet<number>;
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
/** On PostgreSQL the claim of a process that died is free only after a while: the inbox is looked at again. */
const UPKEEP_MS = 60_000;

/** Starts the bot and its HTTP server. @throws PorticoError when a part cannot start; then nothing keeps running. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  keepHeapSmall();
  const { environment } = options;
  const secrets = secretsOf(environment);
  const metrics = createMetrics();
  const machine = createMachineWatch((trouble) => metrics.machineTrouble(trouble));
  const log = options.log ?? createServerLog(environment, machine.failed);
  metrics.expect({ events: Object.keys(READERS) });
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
  const bot = started.use(
    await startBot({
      environment,
      database,
      log,
      metrics,
      tracing,
      scrub,
      contentPools: options.contentPools,
      only: options.only,
      signal: options.signal,
    }),
  );
  const inbox = createInbox(database);
  const catchUp = started.use(
    createCatchUp({
      retake: () => deliveries.takeAll(),
      lookAround: () => bot.sweep(),
      log,
    }),
  );
  let stopping = false;
  const spoolDirectory = join(environment.dataDirectory, 'spool');
  const deliveries = createDeliveries({
    environment,
    events: bot.events,
    inbox,
    spool: openSpool(spoolDirectory),
    log,
    tracing,
    onMoved: (event, outcome) => metrics.delivery(event, outcome),
    onStuck: catchUp.stuck,
    stopping: () => stopping,
  });
  metrics.observeInbox(deliveries.waiting);
  metrics.observeDisk(() => spaceOf(environment.dataDirectory));
  const health = started.use(
    createHealth({
      ping: () => database.query('select 1'),
      stopping: () => stopping,
      troubles: machine.troubles,
      ...(environment.metrics && { registry: metrics.registry }),
    }),
  );
  const { appId, webhookSecrets, host, port, databaseUrl, trustedProxies = [] } = environment;
  const door = started.use(
    await openDoor({
      settings: {
        appId,
        secrets: webhookSecrets,
        host,
        port,
        databaseUrl,
        spool: spoolDirectory,
        trustedProxies,
      },
      onStored: deliveries.take,
      onOutcome: (event, outcome) => {
        // What lies in a file is counted when it is in the inbox, which knows whether it is new.
        if (databaseUrl !== undefined || outcome !== 'stored') metrics.delivery(event, outcome);
        if (outcome === 'failed') catchUp.refused();
      },
      page: health.page,
      ...(environment.api !== false && { api: bot.api }),
      log,
    }),
  );
  if (environment.relayUrl !== undefined) {
    const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    started.use(openRelay({ url: environment.relayUrl, door: `http://${local}:${door.port}`, log }));
  }
  const upkeep = createUpkeep(async () => {
    await deliveries.takeAll();
    await inbox.prune();
  }, log);
  started.use(upkeep);
  const leftovers = upkeep.now();
  log.info({ port: door.port, engine: database.engine }, 'portico is up');
  // Whoever brings a logger of its own, such as `portico dev`, is no server that anybody operates.
  if (options.log === undefined) await tellNotes(environment, log);
  const parts = started.move();

  let stopped: Promise<void> | undefined;
  const stop = (graceMs = GRACE_MS): Promise<void> => (stopped ??= shutDown(graceMs));
  async function shutDown(graceMs: number): Promise<void> {
    stopping = true;
    door.close();
    await door.flushed();
    await deliveries.idle();
    await bot.stop(graceMs);
    await parts.disposeAsync();
    log.info({}, 'portico is down');
  }

  return {
    url: `http://${environment.host}:${door.port}`,
    bot,
    async idle(signal) {
      await leftovers;
      await door.flushed();
      await deliveries.idle();
      await bot.queue.idle(undefined, signal);
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

/** Opens the database, brings its tables up to date, and closes it. @throws what opening it throws */
export async function tryDatabase({
  databaseUrl,
  dataDirectory,
}: Pick<Environment, 'databaseUrl' | 'dataDirectory'>): Promise<void> {
  const url = databaseUrl === undefined ? {} : { url: databaseUrl };
  await using database = await openDatabase({ ...url, dataDir: join(dataDirectory, 'store') });
  await database.query('select 1');
}

async function tellNotes(environment: Environment, log: Log): Promise<void> {
  const settings = containerSettings(process.env);
  const containers = settings !== undefined;
  const needsSandbox = process.env['PORTICO_WASM_SANDBOX'] !== 'optional';
  const notes = startNotes(environment, { bubblewrap: await hasBubblewrap(), needsSandbox, containers });
  for (const note of notes) log.warn({}, note);
  if (settings?.kind !== 'kubernetes') return;
  const { prepareCluster } = await import('./function/cluster/leftovers.ts');
  for (const note of await prepareCluster(settings)) log.warn({}, note);
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

export function createServerLog(environment: Environment, onError?: (error: unknown) => void): Log {
  return createLog({
    ...(onError && { onError }),
    level: environment.logLevel,
    format: logFormatOf(environment),
    secrets: secretsOf(environment),
  });
}

/** `auto` is text for a person at a terminal, and JSON for everything else. */
export function logFormatOf({ logFormat }: Pick<Environment, 'logFormat'>): 'json' | 'text' {
  if (logFormat !== 'auto') return logFormat;
  return process.stderr.isTTY ? 'text' : 'json';
}
