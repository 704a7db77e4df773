import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((file) => existsSync(file));

/** No sandbox inside a container, and nothing that would ask the network. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];

/** Whether this machine has the browser; says loudly what is skipped without it. */
export function hasChromium(what: string): boolean {
  if (executablePath !== undefined) return true;
  process.stderr.write(`\nSKIPPED: ${what}, because there is no chromium on PATH.\n\n`);
  return false;
}

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ args: ARGS, ...(executablePath === undefined ? {} : { executablePath }) });
