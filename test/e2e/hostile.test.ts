import { expect, test } from 'vitest';

import { lay } from '../../scripts/hostile/siege.ts';

test('hostile proposals from forks are answered, none of them stops the server, and honest ones are checked (61)', async () => {
  const siege = await lay({ hostile: 12, strangers: 3, honest: 2 });
  expect(siege.answered).toBe(siege.hostile);
  expect(siege.ownMs).toHaveLength(2);
  expect(siege.forkMs).toHaveLength(2);
  // What met a limit has not passed; a few of them are harmless since the functions have limits of their own.
  expect(siege.passed).toBeLessThan(siege.hostile);
}, 600_000);
