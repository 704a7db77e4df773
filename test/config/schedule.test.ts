import { describe, expect, test } from 'vitest';

import { parseSchedule, type Schedule, scheduleAllows } from '../../src/config/schedule.ts';

const moment = (text: string) => {
  const date = new Date(text);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
};

describe('allowed', () => {
  test.each([
    ['* * * * *', '2026-01-01T00:00:00Z', true],
    ['* 6-18 * * 1-5', '2026-11-20T06:00:00Z', true],
    ['* 6-18 * * 1-5', '2026-11-20T18:59:00Z', true],
    ['* 6-18 * * 1-5', '2026-11-20T19:00:00Z', false],
    ['* 6-18 * * 1-5', '2026-11-21T12:00:00Z', false],
    ['*/15 * * * *', '2026-01-01T00:30:00Z', true],
    ['*/15 * * * *', '2026-01-01T00:31:00Z', false],
    ['5/10 * * * *', '2026-01-01T00:25:00Z', true],
    ['* * * * 7', '2026-11-22T00:00:00Z', true],
    ['* * * * sun', '2026-11-22T00:00:00Z', true],
    ['* * * jan,DEC *', '2026-12-22T00:00:00Z', true],
    ['* * * jan-mar *', '2026-04-22T00:00:00Z', false],
    ['* * 13 * fri', '2026-11-20T00:00:00Z', true],
    ['* * 13 * fri', '2026-12-13T00:00:00Z', true],
    ['* * 13 * fri', '2026-12-14T00:00:00Z', false],
    ['* * */2 * fri', '2026-11-20T00:00:00Z', false],
  ])('%s at %s: %s', (text, at, allowed) => {
    expect(scheduleAllows(parseSchedule(text) as Schedule, moment(at))).toBe(allowed);
  });
});

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '1,,2 * * * *',
  'a * * * *',
  '* * * foo *',
  '@daily',
  '* * * * 1-',
  '-1 * * * *',
])('%j is refused in a sentence', (text) => expect(parseSchedule(text)).toEqual(expect.any(String)));
