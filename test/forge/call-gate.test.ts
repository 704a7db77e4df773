import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createCallGate, leavingRoom, type CallGate } from '../../src/forge/call-gate.ts';

const LIMITS = { perMinute: 20, graphqlPerMinute: 20, atOnce: 3, minuteMs: 60_000 };

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

/** Calls that have begun, by name; those of one second end before the next. */
function calling(gate: CallGate): {
  readonly begun: string[];
  readonly call: (name: string, points: number) => void;
} {
  const begun: string[] = [];
  return {
    begun,
    call: (name, points) => {
      const begin = async (): Promise<void> => {
        try {
          const leave = await gate.enter('rest', points);
          begun.push(name);
          leave();
        } catch (error) {
          begun.push(`${name} ${(error as { code: string }).code}`);
        }
      };
      void begin();
    },
  };
}

test('no minute, wherever it begins, holds more points than there are; the order is kept', async () => {
  const { begun, call } = calling(createCallGate(LIMITS));
  for (const name of ['a', 'b', 'c']) call(name, 5);
  await vi.advanceTimersByTimeAsync(30_000);
  for (const name of ['d', 'e']) call(name, 5);
  call('small', 1);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'small']);
  expect(vi.getTimerCount()).toBe(0);
});

test('so many at once; GraphQL has points of its own', async () => {
  const gate = createCallGate(LIMITS);
  const leaves = await Promise.all([1, 2, 3].map(() => gate.enter('rest', 5)));
  const waiting = gate.enter('graphql', 5);
  const stop = new AbortController();
  const aborted = gate.enter('rest', 1, stop.signal);
  stop.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
  leaves[0]!();
  leaves[0]!();
  const fourth = await waiting;
  fourth();
  await gate.enter('graphql', 15);
});

test('a pause of the forge ends what waits, and is over when it is; a short one is waited out', async () => {
  const gate = createCallGate(LIMITS);
  const { begun, call } = calling(gate);
  for (const name of ['a', 'b', 'c', 'd', 'waits']) call(name, 5);
  await vi.advanceTimersByTimeAsync(0);
  gate.pause(30, 'graphql');
  call('also waits', 5);
  gate.pause(90);
  call('late', 5);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun.splice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
  expect(begun.toSorted()).toEqual(['also waits', 'late', 'waits'].map((name) => `${name} RATE_LIMITED`));
  await vi.advanceTimersByTimeAsync(89_000);
  call('soon', 5);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.at(-1)).toBe('soon');
});

test('pauses are told with their end, longer ones alone', () => {
  const told: [string, number][] = [];
  const gate = createCallGate(LIMITS, undefined, (kind, until) => void told.push([kind, until]));
  gate.pause(60, 'graphql');
  gate.pause(30, 'graphql');
  gate.pause(60);
  expect(told).toEqual([
    ['graphql', 60_000],
    ['rest', 60_000],
  ]);
});

test('work in the background leaves a share of each minute to the other, which goes before it', async () => {
  const gate = createCallGate(LIMITS);
  const { begun, call } = calling(gate);
  await leavingRoom(async () => {
    for (const name of ['a', 'b', 'c', 'd']) call(name, 5);
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual(['a', 'b', 'c']);
  call('person', 2);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'b', 'c', 'person']);
  call('later', 5);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(begun).toEqual(['a', 'b', 'c', 'person', 'later', 'd']);
});
