import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { LocalForge } from '@portico/localforge';

import { RETRY_MS } from '../realistic.ts';
import { eventually } from './eventually.ts';
import { startPortico, type PorticoProcess } from './portico-process.ts';

export interface BotSettings {
  readonly forge: LocalForge;
  /** Of the bot: mirrors, the embedded database, and the key. */
  readonly data: string;
  readonly port: number;
  /** The host that the bot takes for the forge; default: the forge itself. */
  readonly host?: string;
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What Node runs; default: the checkout. */
  readonly program?: readonly string[];
}

/** `portico serve` as a process of its own, ready, or killed on its way there. @throws when it gave up */
export async function startBotProcess(settings: BotSettings): Promise<PorticoProcess> {
  const { forge, data, port } = settings;
  const key = join(data, 'key.pem');
  writeFileSync(key, forge.app.privateKeyPem);
  const env = {
    APP_ID: String(forge.app.id),
    PRIVATE_KEY_PATH: key,
    WEBHOOK_SECRET: forge.app.webhookSecret,
    GHE_HOST: settings.host ?? new URL(forge.url).host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: String(port),
    PORTICO_DATA: join(data, 'bot'),
    LOG_LEVEL: 'info',
    FORGE_RETRY_MS: String(RETRY_MS),
    CONTENT_PER_MINUTE: '10000',
    CONTENT_PER_HOUR: '100000',
    POINTS_PER_MINUTE: '1000000',
    AUTOMERGE_SETTLE_SECONDS: '0',
    // Later than any of these tests takes: what is written is counted, and numbers of issues are named.
    DASHBOARD_SECONDS: '300',
    ...(settings.databaseUrl !== undefined && { DATABASE_URL: settings.databaseUrl }),
    ...settings.env,
  };
  const bot = startPortico(['serve'], env, settings.program);
  const ended = (): boolean => bot.child.exitCode !== null || bot.child.signalCode !== null;
  await eventually('the bot', async () => ended() || (await isReady(port)), 180);
  if (bot.child.exitCode !== null) throw new Error(`the bot ended with ${bot.child.exitCode}\n${bot.log()}`);
  return bot;
}

async function isReady(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
}

/**
 * Resolves when no webhook is under way and the bot has nothing to do: what its metrics say of the queue, dashboards
 * left out, which wait minutes for more news.
 */
export async function quiet(forge: LocalForge, port: number, seconds = 120): Promise<void> {
  let still = 0;
  await eventually(
    'quiet',
    async () => {
      await forge.settled();
      still = (await jobsLeft(port)) === 0 ? still + 1 : 0;
      // To be asked is work for it too.
      if (still === 0) await pause(200);
      return still >= 3;
    },
    seconds,
  );
}

async function jobsLeft(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const inbox = Number(/^portico_inbox_waiting (\d+)/m.exec(text)?.[1] ?? 0);
  const gauges = [...text.matchAll(/^portico_queue_jobs\{lane="(\w+)",state="(\w+)"\} (\d+)/gm)];
  if (gauges.length === 0) throw new Error('no gauges of the queue');
  return gauges
    .filter(([, lane, state]) => lane !== 'dashboards' || state !== 'deferred')
    .reduce((sum, [, , , count]) => sum + Number(count), inbox);
}
