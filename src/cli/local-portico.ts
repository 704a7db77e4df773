/** The local forge and the bot in one process, offline: what `portico dev` runs and the demo plays on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startForge, type ForgeOptions, type LocalForge } from '@portico/localforge';
import { ForgeError } from '@portico/localforge/error';

import type { Environment, LocalSettings } from '../config/environment.ts';
import { secretsOf } from '../config/secrets.ts';
import { PorticoError } from '../error.ts';
import { serve, type RunningServer } from '../main.ts';
import { createLog, type LogLevel } from '../telemetry/log.ts';

/** The local forge installs the App with what its manifest asks for. */
const MANIFEST = fileURLToPath(new URL('../../app.yml', import.meta.url));

export interface LocalPorticoOptions {
  readonly dataDir: string;
  /** Of the forge; the bot takes a free one. */
  readonly port?: number;
  readonly config?: ForgeOptions['config'];
  readonly configDirectory?: string;
  readonly realistic?: ForgeOptions['realistic'];
  readonly logLevel: LogLevel;
  /** What the bot's pauses between tries of one call are counted in, where that is not as usual. */
  readonly retryMs?: number;
  readonly settings?: LocalSettings;
}

export interface LocalPortico extends AsyncDisposable {
  readonly forge: LocalForge;
  readonly server: RunningServer;
  /** Where the bot takes webhooks. */
  readonly webhookUrl: string;
  /** Resolves when no webhook is under way and the bot has nothing to do. */
  idle(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both; started again on the same directory they go on where they were. */
export async function startLocalPortico(options: LocalPorticoOptions): Promise<LocalPortico> {
  await using started = new AsyncDisposableStack();
  const forge = started.use(
    await startForge({
      dataDir: join(options.dataDir, 'forge'),
      manifestFile: MANIFEST,
      ...(options.port !== undefined && { port: options.port }),
      ...(options.config !== undefined && { config: options.config }),
      ...(options.configDirectory !== undefined && { configDirectory: options.configDirectory }),
      ...(options.realistic !== undefined && { realistic: options.realistic }),
    }).catch((error: unknown) => {
      throw asPorticoError(error);
    }),
  );
  const environment: Environment = {
    appId: forge.app.id,
    privateKey: forge.app.privateKeyPem,
    webhookSecrets: [readFileSync(forge.app.webhookSecretFile, 'utf8').trim()],
    apiUrl: forge.apiUrl,
    gitUrl: forge.gitUrl,
    port: 0,
    host: '127.0.0.1',
    databaseUrl: undefined,
    dataDirectory: join(options.dataDir, 'bot'),
    logLevel: options.logLevel,
    logFormat: 'auto',
    contentPerMinute: 1_000_000,
    contentPerHour: 1_000_000,
    pointsPerMinute: 10_000_000,
    settleSeconds: 0,
    sweepMinutes: 15,
    ...options.settings,
    ...(options.retryMs !== undefined && { retryMs: options.retryMs }),
    metrics: true,
  };
  const log = createLog({ level: options.logLevel, secrets: secretsOf(environment) });
  const server = started.use(await serve({ environment, log }));
  const webhookUrl = `${server.url}/api/github/webhooks`;
  forge.setAppWebhookUrl(webhookUrl);
  const parts = started.move();
  const stop = async (): Promise<void> => {
    await server.stop(5_000);
    await parts.disposeAsync();
  };
  return {
    forge,
    server,
    webhookUrl,
    async idle(signal) {
      // Work makes webhooks and webhooks make work: quiet is when neither has made anything new.
      for (let quiet = 0; quiet < 2; quiet += 1) {
        await forge.settled();
        await server.idle(signal);
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** An error of the local forge as the command line tells it; any other as it is. */
export function asPorticoError(error: unknown): unknown {
  if (!(error instanceof ForgeError)) return error;
  const { code, message, hint } = error;
  return new PorticoError(code, message, {
    ...(hint !== undefined && { hint }),
    cause: error,
    blame: code === 'GIT_FAILED' ? 'bug' : 'user',
  });
}
