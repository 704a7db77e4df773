import { expect, test } from 'vitest';

import { createKeyedLock } from '../../src/replica/keyed-lock.ts';

test('work of one key runs in the order it came, one at a time; other keys are not held up', async () => {
  const lock = createKeyedLock();
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async (): Promise<string> => {
    seen.push(`${name} begins`);
    await until;
    seen.push(`${name} ends`);
    return name;
  };
  const a = lock.run('key', work('a', first.promise));
  const b = lock.run('key', work('b'));
  expect(await lock.run('other', work('c'))).toBe('c');
  expect(seen).toEqual(['a begins', 'c begins', 'c ends']);
  first.resolve();
  expect(await Promise.all([a, b])).toEqual(['a', 'b']);
  expect(seen.slice(3)).toEqual(['a ends', 'b begins', 'b ends']);
});

test('a failure is told to its caller and holds nobody up', async () => {
  const lock = createKeyedLock();
  const failed = lock.run('key', () => Promise.reject(new Error('no')));
  const next = lock.run('key', () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
