import { expect, test } from 'vitest';

import { createTurns } from '../../src/bot/turns.ts';

const MINUTE = 60_000;

test('whoever asked for much lately waits behind whoever asked for little, and is forgiven with time (61)', () => {
  let now = 0;
  const turns = createTurns(() => now);
  const many = Array.from({ length: 20 }, () => turns.next('mallory').priority);
  expect(many[0]).toBe(0);
  expect(many.at(-1)).toBe(-19);
  expect(turns.next('rita')).toEqual({ priority: 0, waits: false });
  now += 10 * MINUTE;
  expect(turns.next('mallory')).toEqual({ priority: 0, waits: false });
});

test('whose proposals took long lately waits where long ones do, and nobody else (61)', () => {
  let now = 0;
  const turns = createTurns(() => now);
  turns.tookLong('mallory');
  expect(turns.next('mallory')).toEqual({ priority: -10, waits: false });
  turns.tookLong('mallory');
  expect(turns.next('mallory').waits).toBe(true);
  expect(turns.next('rita')).toEqual({ priority: 0, waits: false });
  now += 5 * MINUTE;
  expect(turns.next('mallory').waits).toBe(false);
});

test('priorities stay within what the queue orders by, and the longest unheard of are forgotten first', () => {
  const turns = createTurns(() => 0);
  for (let at = 0; at < 2_000; at += 1) turns.next('mallory');
  expect(turns.next('mallory').priority).toBe(-1_000);
  for (let at = 0; at < 10_000; at += 1) turns.next(`person-${at}`);
  expect(turns.next('mallory').priority).toBe(0);
});
