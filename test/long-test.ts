import { test } from 'vitest';

/** The stories that `npm test` leaves out are told too: `npm run stories`, and whatever runs with PORTICO_LONG. */
export const STORIES = process.env['PORTICO_STORIES'] === '1' || process.env['PORTICO_LONG'] === '1';

/** A story that takes long: `npm test` skips it and says where it is told. Decisions behind it have tests of their own there. */
export function longTest(title: string, run: () => void | Promise<void>, timeout?: number): void {
  if (STORIES) test(title, run, timeout);
  else test.skip(`${title} [npm run stories]`, run);
}
