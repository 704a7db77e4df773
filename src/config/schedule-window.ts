/** Whether a schedule allows work at a moment, in its time zone. */
import { Cron } from 'croner';

import { parseSchedule, scheduleAllows } from './schedule.ts';

export type Window =
  | { readonly open: true }
  /** `next`: when it opens; null where that is not within the years that are looked at. */
  | { readonly open: false; readonly next: Date | null };

/** `schedule` has five cron fields, `timeZone` a name of the IANA database. Both were checked when they were read. */
export function windowAt(schedule: string, timeZone: string, now: Date): Window {
  const parsed = parseSchedule(schedule);
  if (typeof parsed === 'string') return { open: false, next: null };
  const parts = new Map(
    new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...FIELDS })
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const moment = {
    minute: number('minute'),
    hour: number('hour'),
    day: number('day'),
    month: number('month'),
    weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
  };
  if (scheduleAllows(parsed, moment)) return { open: true };
  return { open: false, next: new Cron(schedule, { timezone: timeZone, paused: true }).nextRun(now) };
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const FIELDS = {
  minute: 'numeric',
  hour: 'numeric',
  day: 'numeric',
  month: 'numeric',
  weekday: 'short',
} as const;

/** What is wrong with the name of a time zone; undefined where nothing is. */
export function timeZoneProblem(name: string): string | undefined {
  try {
    Intl.DateTimeFormat('en-US', { timeZone: name });
    return undefined;
  } catch {
    return 'must be a time zone such as Europe/Berlin';
  }
}

const SECONDS = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `30m`, `12h`, `3d` or `2w` in seconds, or the sentence that says why the text is none. */
export function parseAge(text: string): number | string {
  const [, count, unit] = /^([0-9]{1,4})([mhdw])$/.exec(text) ?? [];
  return count === undefined
    ? 'must be a number of minutes, hours, days or weeks, such as 30m, 12h, 3d or 2w'
    : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
