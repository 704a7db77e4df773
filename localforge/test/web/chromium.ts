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

export const hasChromium = (): boolean => executablePath !== undefined;

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ args: ARGS, ...(executablePath === undefined ? {} : { executablePath }) });
