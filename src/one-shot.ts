/**
 * One run without a server: the reconcilers of the bot on a store of its own, until nothing is left to do. No webhook tells
 * of what the run itself changes, so each repository that was changed is looked at again, until a round changes none.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { startBot, type Bot } from './bot/bot.ts';
import { acceptEvent } from './bot/deliveries.ts';
import type { Environment, WorkflowEnvironment } from './config/environment.ts';
import { secretsOf } from './config/secrets.ts';
import { PorticoError } from './error.ts';
import type { ContentPools } from './isolation/content.ts';
import { openDatabase } from './queue/open-database.ts';
import { keepHeapSmall } from './telemetry/heap-growth.ts';
import { createLog, createScrubber, type Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { NO_TRACES } from './telemetry/tracing.ts';
import { asWebhook, type GivenEvent } from './webhook/given-event.ts';
import { routedEvent } from './webhook/routed-event.ts';

export interface OneShotOptions {
  readonly environment: Environment | WorkflowEnvironment;
  /** Null: everything is looked at. */
  readonly event: GivenEvent | null;
  /** Made from the environment when absent. */
  readonly log?: Log;
  /** Of the program that embeds this; absent, the run has its own. */
  readonly contentPools?: ContentPools;
  readonly signal: AbortSignal;
}

export interface OneShotReport {
  /** How often was looked: the last round changed nothing. */
  readonly rounds: number;
  /** Repositories that were changed, as `owner/name`. */
  readonly changed: readonly string[];
  /** Jobs that wait for a later time, which the next run finds again. */
  readonly waiting: number;
  /** Jobs that were given up. */
  readonly failed: readonly { readonly job: string; readonly code: string; readonly message: string }[];
  /** False where the rounds or the time were used up before all was done. */
  readonly complete: boolean;
}

/** A change that makes another in the next round is a chain; a longer one goes on in the next run. */
const MAX_ROUNDS = 20;
/** Jobs that begin within so many seconds are waited for: CI is given a minute to begin before an update merges itself. */
const PATIENCE_SECONDS = 65;
const GRACE_MS = 10_000;

/**
 * @throws PorticoError EVENT_ELSEWHERE for an event of a repository that may not be looked at here, EVENT_UNREADABLE, and
 * what starting a bot throws; nothing keeps running then
 */
export async function runOnce(options: OneShotOptions): Promise<OneShotReport> {
  keepHeapSmall();
  const { environment, event, signal } = options;
  const secrets = secretsOf(environment);
  const { logLevel: level, logFormat } = environment;
  const format = logFormat === 'auto' ? 'text' : logFormat;
  await using database = await openDatabase({ dataDir: join(environment.dataDirectory, 'store') }, signal);
  const changed = new Set<number>();
  await using bot = await startBot({
    environment: { ...environment, databaseUrl: undefined },
    database,
    log: options.log ?? createLog({ level, format, secrets }),
    metrics: createMetrics(),
    tracing: NO_TRACES,
    scrub: createScrubber(secrets),
    contentPools: options.contentPools,
    only: event !== null && environment.workflow !== undefined ? new Set([event.repository.id]) : undefined,
    once: { onWrite: (repositoryId) => changed.add(repositoryId) },
  });
  if (event === null) await bot.sweep();
  else await ask(bot, event, { appId: environment.appId, signal });
  const report = await untilQuiet(bot, changed, signal);
  await bot.stop(GRACE_MS);
  return report;
}

/** Asks for what the event says, for everything in its repository, and for what packages there are in all others. */
async function ask(
  bot: Bot,
  event: GivenEvent,
  { appId, signal }: { readonly appId: number; readonly signal: AbortSignal },
): Promise<void> {
  const repository = (await bot.repositories(signal)).find(({ id }) => id === event.repository.id);
  if (repository === undefined) {
    throw new PorticoError(
      'EVENT_ELSEWHERE',
      `the event is about ${event.repository.fullName}, which is not reached here`,
      {
        blame: 'user',
        hint: 'Install the App there, or use the token of a workflow of that repository.',
      },
    );
  }
  const payload = asWebhook(event, repository);
  const routed = routedEvent({ id: randomUUID(), name: event.name, payload }, appId);
  if (routed.unreadable !== undefined) {
    throw new PorticoError(
      'EVENT_UNREADABLE',
      `the payload of ${event.name} cannot be read: ${routed.unreadable}`,
      {
        blame: 'user',
        hint: 'Check that the name of the event is that of the payload.',
      },
    );
  }
  await acceptEvent(bot.events, routed, signal);
  await bot.index();
  await bot.look([repository]);
}

async function untilQuiet(bot: Bot, changed: Set<number>, signal: AbortSignal): Promise<OneShotReport> {
  const everChanged = new Set<string>();
  let rounds = 0;
  let complete = false;
  while (rounds < MAX_ROUNDS && !complete) {
    rounds += 1;
    if (!(await isIdle(bot, signal))) break;
    complete = changed.size === 0;
    const again = (await bot.repositories()).filter(({ id }) => changed.has(id));
    changed.clear();
    for (const { owner, name } of again) everChanged.add(`${owner}/${name}`);
    await bot.look(again);
  }
  const depth = await bot.queue.depth();
  const failed = await bot.queue.dead();
  return {
    rounds,
    changed: [...everChanged].toSorted(),
    waiting: depth.reduce((sum, { ready, deferred }) => sum + ready + deferred, 0),
    failed: failed.map(({ kind, key, code, message }) => ({ job: `${kind} ${key}`, code, message })),
    complete,
  };
}

/** False where the time was used up before. */
async function isIdle(bot: Bot, signal: AbortSignal): Promise<boolean> {
  try {
    await bot.queue.idle(PATIENCE_SECONDS, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
