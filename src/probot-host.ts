import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Probot } from 'probot';

import { startBot } from './bot/bot.ts';
import { acceptEvent } from './bot/deliveries.ts';
import { readEnvironment } from './config/environment.ts';
import { secretsOf } from './config/secrets.ts';
import { openDatabase } from './queue/open-database.ts';
import { createLog, createScrubber } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { NO_TRACES } from './telemetry/tracing.ts';
import { routedEvent } from './webhook/routed-event.ts';

/**
 * Portico for any other Probot host, which loads an application by its default export. The host has the door; queue,
 * store and reconcilers are ours and take their settings from the environment. `portico serve` is the host we ship: its
 * door stores each delivery before it answers, which a foreign host does not do; the sweep finds what that may lose.
 */
// oxlint-disable-next-line import/no-default-export -- Probot hosts load the default export
export default async function portico(app: Probot): Promise<void> {
  const environment = readEnvironment(process.env, { read: (path) => readFileSync(path, 'utf8') });
  const secrets = secretsOf(environment);
  const database = await openDatabase({
    ...(environment.databaseUrl !== undefined && { url: environment.databaseUrl }),
    dataDir: join(environment.dataDirectory, 'store'),
  });
  const bot = await startBot({
    environment,
    database,
    log: createLog({ level: environment.logLevel, secrets }),
    metrics: createMetrics(),
    tracing: NO_TRACES,
    scrub: createScrubber(secrets),
  });
  app.onAny(({ id, name, payload }) =>
    acceptEvent(bot.events, routedEvent({ id, name, payload }, environment.appId)),
  );
}
