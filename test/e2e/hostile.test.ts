import { expect } from 'vitest';

import { lay } from '../../scripts/hostile/siege.ts';
import { longTest } from '../long-test.ts';

/** `npm run hostile` sends hundreds; `npm test` holds each limit by itself, `test/isolation/content.test.ts`. */
const SIZE = { hostile: 12, strangers: 3, honest: 2 };

longTest(
  'hostile proposals from forks are answered, none of them stops the server, and honest ones are checked (61)',
  async () => {
    const siege = await lay(SIZE);
    expect(siege.answered).toBe(siege.hostile);
    expect(siege.ownMs).toHaveLength(SIZE.honest);
    expect(siege.forkMs).toHaveLength(SIZE.honest);
    // What met a limit has not passed; a few of them are harmless since the functions have limits of their own.
    expect(siege.passed).toBeLessThan(siege.hostile);
  },
  600_000,
);
