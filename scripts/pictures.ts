/**
 * Makes the pictures of the documentation: plays the first hour on the local forge as it is written, and takes a picture by Chromium wherever the
 * page shows one. Where the pages of the forge or what Portico writes have changed, make them again.
 *
 *   npm run docs:pictures
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { hasChromium, launchChromium } from '../localforge/test/web/chromium.ts';
import { scratch } from '../test/cli/run-portico.ts';
import { runSteps, stepsOf } from './pictures/page-steps.ts';
import { FIRST_HOUR, shoot } from './pictures/shots.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The one that the page names, and pictures show. */
const PORT = '4290';

/** Plays the page, and writes its pictures to a directory. @throws when a block fails, or a picture cannot be taken */
async function pictureFirstHour(directory: string): Promise<void> {
  using hour = scratch();
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const steps = stepsOf(readFileSync(join(ROOT, 'docs/first-hour.md'), 'utf8'));
  const browser = await launchChromium();
  try {
    const env = {
      ...process.env,
      HOUR: hour.path('hour'),
      PORT,
      HOME: hour.path('.'),
      GIT_CONFIG_GLOBAL: hour.path('gitconfig'),
    };
    const { code, stderr } = await runSteps(steps, { cwd: ROOT, env }, async ({ pictures }) => {
      for (const name of pictures) {
        const shot = FIRST_HOUR[name];
        if (shot === undefined) throw new Error(`scripts/pictures/shots.ts does not say what ${name} shows`);
        await shoot(browser, `http://127.0.0.1:${PORT}`, shot, join(directory, `${name}.png`));
        process.stdout.write(`${name}.png\n`);
      }
    });
    if (code !== 0) throw new Error(`the first hour ended with ${code}: ${stderr}`);
  } finally {
    await browser.close();
  }
}

if (import.meta.main) {
  if (!hasChromium()) process.exit(1);
  await pictureFirstHour(join(ROOT, 'docs/pictures'));
}
