/** Whether a schedule of five cron fields allows work at a moment, in its time zone. One parser reads and judges it. */
import { Cron } from 'croner';

export type Window =
  | { readonly open: true }
  /** `next`: when it opens; null where that is not within the years that are looked at. */
  | { readonly open: false; readonly next: Date | null };

const FIELDS = 5;
const MINUTE_MS = 60_000;

/** What is wrong with a schedule, as a sentence without its subject; undefined where nothing is. */
export function scheduleProblem(text: string): string | undefined {
  const fields = text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
  if (fields !== FIELDS) return `needs five fields (minute, hour, day, month, weekday) and has ${fields}`;
  try {
    return cronOf(text, 'UTC').nextRun() === null ? 'names a day that never comes' : undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `is not a valid schedule: ${message.replace(/^CronPattern: /, '')}`;
  }
}

/** `schedule` and `timeZone` (a name of the IANA database) were checked when they were read. */
export function windowAt(schedule: string, timeZone: string, now: Date): Window {
  const cron = cronOf(schedule, timeZone);
  const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  return cron.match(minute) ? { open: true } : { open: false, next: cron.nextRun(now) };
}

/** Cron's rule: where both day fields are restricted, one of them is enough. */
function cronOf(schedule: string, timezone: string): Cron {
  return new Cron(schedule.trim(), { timezone, paused: true, mode: '5-part', domAndDow: false });
}
