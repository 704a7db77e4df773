import { getEventListeners } from 'node:events';

import { expect, test } from 'vitest';

import { orAborted } from '../../src/git/abort.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('any number of waits add one listener to their signal, and none is left after them', async () => {
  const { signal } = new AbortController();
  const works = Array.from({ length: 12 }, () => Promise.withResolvers<number>());
  const waits = works.map(({ promise }) => orAborted(promise, signal));
  // Node 20 warns of 11.
  expect(listeners(signal)).toBe(1);
  for (const [at, { resolve }] of works.slice(1).entries()) resolve(at);
  await Promise.all(waits.slice(1));
  expect(listeners(signal)).toBe(1);
  works[0]!.resolve(12);
  expect(await waits[0]).toBe(12);
  expect(listeners(signal)).toBe(0);
  expect(await orAborted(Promise.resolve('again'), signal)).toBe('again');
});

test('an abort rejects every wait with its reason', async () => {
  const stop = new AbortController();
  const never = new Promise<never>(() => {});
  const waits = [orAborted(never, stop.signal), orAborted(never, stop.signal)];
  stop.abort(new Error('enough'));
  for (const wait of waits) await expect(wait).rejects.toThrow('enough');
  expect(listeners(stop.signal)).toBe(0);
  await expect(orAborted(Promise.resolve(1), stop.signal)).rejects.toThrow('enough');
});
