import { test } from 'vitest';

export { STORIES } from './parts.ts';

/** A story that takes long: `npm test` leaves it to `npm run stories`. Decisions behind it have tests of their own. */
export function longTest(title: string, run: () => void | Promise<void>, timeout?: number): void {
  test(title, { tags: ['story'], ...(timeout === undefined ? {} : { timeout }) }, run);
}
