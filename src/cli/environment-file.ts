import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

import type { Call } from './verb.ts';

/** Reads `.env` of the current directory where it is there, such as the one of `portico app create`. Variables that are set stay. */
export function loadEnvironmentFile(call: Pick<Call, 'path'>): void {
  const file = call.path('.env');
  if (existsSync(file)) loadEnvFile(file);
}
