import { pino } from 'pino';
import { expect, test } from 'vitest';

import { createCatchUp } from '../../src/intake/catch-up.ts';

const log = pino({ level: 'silent' });

test('work that could not be stored or queued is being caught up when that works again, once', async () => {
  const done: string[] = [];
  const looked = Promise.withResolvers<void>();
  let away = true;
  await using catchUp = createCatchUp({
    log,
    firstMilliseconds: 1,
    async retake() {
      done.push('retake');
    },
    async lookAround() {
      done.push(away ? 'away' : 'look');
      if (!away) return looked.resolve();
      away = false;
      throw new Error('no connection');
    },
  });
  catchUp.refused();
  catchUp.refused();
  catchUp.stuck();
  await looked.promise;
  expect(done).toEqual(['retake', 'away', 'look']);
});

test('an end while it waits is an end', async () => {
  let tried = 0;
  const catchUp = createCatchUp({
    log,
    retake: async () => void (tried += 1),
    lookAround: async () => void (tried += 1),
  });
  catchUp.stuck();
  await catchUp[Symbol.asyncDispose]();
  expect(tried).toBe(0);
});
