import { readFileSync } from 'node:fs';

import { readEnvironment, type Environment } from '../config/environment.ts';
import { createServerLog, logFormatOf, serve as startServer } from '../main.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { VERSION } from '../version.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import type { Call } from './verb.ts';

const STILL = 'the event loop stands still: the process ends';

/** `portico serve`: the App, configured by its environment, until it is told to stop. */
export async function serve(call: Call): Promise<number> {
  loadEnvironmentFile(call);
  let log: Log | undefined = process.env['LOG_FORMAT'] === 'json' ? createLog() : undefined;
  try {
    const environment = readEnvironment(process.env, { read: (path) => readFileSync(path, 'utf8') });
    log = logFormatOf(environment) === 'json' ? createServerLog(environment) : undefined;
    if (log !== undefined) logNode(log);
    return await serveUntil(call.signal, environment);
  } catch (error) {
    // Programs read the log: the line that says why it ended is one of its documents.
    if (log === undefined || call.signal.aborted) throw error;
    log.fatal({ err: error }, 'portico ended');
    return exitCodeOf(error);
  }
}

async function serveUntil(signal: AbortSignal, environment: Environment): Promise<number> {
  // First, so that it watches the start too: the server is ready for requests before it has started.
  await using _watchdog = startWatchdog(
    logFormatOf(environment) === 'json' ? { version: VERSION, msg: STILL } : STILL,
  );
  await using server = await startServer({ environment, signal });
  await until(signal);
  await server.stop();
  return EXIT.ok;
}

/** Warnings of Node and errors that nothing catches are lines of the log; by itself Node writes them as text. */
function logNode(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'Node warns'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'portico ended');
    process.exit(EXIT.failed);
  });
}

/** Resolves when the process is told to stop. */
export async function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
