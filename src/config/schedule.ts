/** Five cron fields (minute, hour, day of month, month, day of week), read as "allowed at these minutes". */

export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Cron's rule: where both day fields are restricted, one of them is enough. */
  readonly eitherDay: boolean;
}

/** A moment in the schedule's time zone; month from 1, weekday 0 is Sunday. */
export interface Moment {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Reads a schedule, or says in a sentence what is wrong with it. */
export function parseSchedule(text: string): Schedule | string {
  const fields = text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday, ...rest] = fields;
  if (weekday === undefined || rest.length > 0) {
    return `needs five fields (minute, hour, day, month, weekday) and has ${text.trim() === '' ? 0 : fields.length}`;
  }
  const minutes = field('minute', minute ?? '', 0, 59, []);
  const hours = field('hour', hour ?? '', 0, 23, []);
  const days = field('day', day ?? '', 1, 31, []);
  const months = field('month', month ?? '', 1, 12, MONTHS, 1);
  const weekdays = field('weekday', weekday, 0, 7, WEEKDAYS);
  for (const read of [minutes, hours, days, months, weekdays]) if (typeof read === 'string') return read;
  return {
    minutes: minutes as Set<number>,
    hours: hours as Set<number>,
    days: days as Set<number>,
    months: months as Set<number>,
    weekdays: new Set([...(weekdays as Set<number>)].map((number) => number % 7)),
    eitherDay: !(day ?? '').startsWith('*') && !weekday.startsWith('*'),
  };
}

/** Whether work is allowed at this moment. */
export function scheduleAllows(schedule: Schedule, at: Moment): boolean {
  const day = schedule.days.has(at.day);
  const weekday = schedule.weekdays.has(at.weekday);
  return (
    schedule.minutes.has(at.minute) &&
    schedule.hours.has(at.hour) &&
    schedule.months.has(at.month) &&
    (schedule.eitherDay ? day || weekday : day && weekday)
  );
}

function field(
  what: string,
  text: string,
  low: number,
  high: number,
  names: readonly string[],
  nameOffset = 0,
): Set<number> | string {
  const numbers = new Set<number>();
  for (const item of text.split(',')) {
    const match = /^(?:\*|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/i.exec(item);
    if (match === null)
      return `has ${JSON.stringify(item)} as ${what}, which is no number, range, list or step`;
    const [, from, to, step] = match;
    const number = (part: string): number => {
      const name = names.indexOf(part.toLowerCase());
      return name < 0 ? Number(part) : name + nameOffset;
    };
    const first = from === undefined ? low : number(from);
    const last = lastOf(first, from, to === undefined ? undefined : number(to), step, high);
    const by = step === undefined ? 1 : Number(step);
    if (!(first >= low && last <= high && first <= last && by > 0)) {
      return `has ${JSON.stringify(item)} as ${what}, which must be within ${low}-${high}`;
    }
    for (let at = first; at <= last; at += by) numbers.add(at);
  }
  return numbers;
}

/** `*` and `5/10` run to the end of the field; `5` is itself. */
function lastOf(
  first: number,
  from: string | undefined,
  to: number | undefined,
  step: string | undefined,
  high: number,
): number {
  if (to !== undefined) return to;
  return from === undefined || step !== undefined ? high : first;
}
