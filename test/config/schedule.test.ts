import { globSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { parseAge } from '../../src/config/age.ts';
import { newestInRange } from '../../src/config/follow.ts';
import { scheduleProblem, windowAt } from '../../src/config/schedule.ts';
import { timeZoneProblem } from '../../src/config/time-zone.ts';

describe('a schedule in a time zone', () => {
  test.each([
    ['* 6-18 * * 1-5', 'UTC', '2026-07-01T06:00:00Z', true],
    ['* 6-18 * * 1-5', 'America/New_York', '2026-07-01T06:00:00Z', false],
    ['* 6-18 * * 1-5', 'America/New_York', '2026-07-01T12:00:00Z', true],
    // Summer time: 6 o'clock in Berlin is 4 in UTC in summer, and 5 in winter.
    ['0 6 * * *', 'Europe/Berlin', '2026-07-01T04:00:59Z', true],
    ['0 6 * * *', 'Europe/Berlin', '2026-01-01T04:00:00Z', false],
    ['0 6 * * *', 'Europe/Berlin', '2026-01-01T05:00:00Z', true],
    // It is Saturday in Tokyo while it is Friday in UTC.
    ['* * * * 6', 'Asia/Tokyo', '2026-07-03T20:00:00Z', true],
    ['* * * * 5', 'UTC', '2026-07-03T20:00:00Z', true],
    ['*/15 * * * *', 'UTC', '2026-01-01T00:30:45Z', true],
    ['*/15 * * * *', 'UTC', '2026-01-01T00:31:00Z', false],
    ['* * * * 7', 'UTC', '2026-11-22T00:00:00Z', true],
    ['* * * jan,DEC *', 'UTC', '2026-12-22T00:00:00Z', true],
    ['* * 13 * fri', 'UTC', '2026-11-20T00:00:00Z', true],
    ['* * 13 * fri', 'UTC', '2026-12-13T00:00:00Z', true],
    ['* * 13 * fri', 'UTC', '2026-12-14T00:00:00Z', false],
    ['0 0 1 * */2', 'UTC', '2026-11-24T00:00:00Z', true],
  ])('%s in %s at %s: %s', (schedule, zone, at, open) => {
    expect(windowAt(schedule, zone, new Date(at)).open).toBe(open);
  });

  test('says when it opens', () => {
    const window = windowAt('30 6 * * 1', 'Europe/Berlin', new Date('2026-07-01T12:00:00Z'));
    expect(window).toEqual({ open: false, next: new Date('2026-07-06T04:30:00Z') });
  });
});

test.each(['* * * * *', '* 6-18 * * 1-5', '*/15 * * * *', '0 0 1 * */2', '0 0 29 2 *', '* * * * 7'])(
  '%s: what is accepted when it is written opens some time',
  (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
    const shut = windowAt(schedule, 'Europe/Berlin', new Date('2026-11-22T20:01:30Z'));
    const at = shut.open ? new Date('2026-11-22T20:01:30Z') : shut.next;
    expect(at).not.toBeNull();
    expect(windowAt(schedule, 'Europe/Berlin', at ?? new Date(0))).toEqual({ open: true });
  },
);

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
  '5/10 * * * *',
  '0 22/1 * * *',
  '*/99 * * * *',
  '1,,2 * * * *',
  'a * * * *',
  '* * * foo *',
  '@daily',
  '* * * * 1-',
  '-1 * * * *',
  '0 0 31 2 *',
])('%j is refused in a sentence when it is written', (text) => {
  expect(scheduleProblem(text)).toEqual(expect.any(String));
});

test('one file reads and judges schedules', () => {
  const files = globSync('src/**/*.ts');
  expect(files.filter((file) => readFileSync(file, 'utf8').includes("from 'croner'"))).toEqual([
    'src/config/schedule.ts',
  ]);
});

test.each([
  ['30m', 1_800],
  ['2w', 1_209_600],
  ['soon', expect.any(String)],
  ['1.5d', expect.any(String)],
])('the age %s', (text, seconds) => expect(parseAge(text)).toEqual(seconds));

test('time zones are those of the database', () => {
  expect(timeZoneProblem('Europe/Berlin')).toBeUndefined();
  expect(timeZoneProblem('Mars/Olympus')).toContain('time zone');
});

test.each([
  ['^2.1', ['v1.9.0', 'v2.1.0', 'v2.10.0', 'v3.0.0-rc.1'], 'v2.10.0'],
  ['>=1 <3', ['v1', 'v2', 'v3'], 'v2'],
  ['^3', ['v3.0.0-rc.1'], undefined],
  ['1.x || 3.x', ['v1.0.0', 'v2.0.0'], 'v1.0.0'],
])('the range %s of %j', (range, revisions, newest) => expect(newestInRange(range, revisions)).toBe(newest));
