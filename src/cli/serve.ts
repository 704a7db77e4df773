import { readFileSync } from 'node:fs';

import { readEnvironment } from '../config/environment.ts';
import { serve as startServer } from '../main.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { EXIT } from './exit-code.ts';
import type { Call } from './verb.ts';

/** `portico serve`: the App, configured by its environment, until it is told to stop. */
export async function serve(call: Call): Promise<number> {
  loadEnvironmentFile(call);
  const environment = readEnvironment(process.env, { read: (path) => readFileSync(path, 'utf8') });
  await using server = await startServer({ environment });
  await until(call.signal);
  await server.stop();
  return EXIT.ok;
}

/** Resolves when the process is told to stop. */
export async function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
