/**
 * Lines that say the same again and again, such as those of ten lanes without a database: the first is written, and from then on one a
 * minute, with the number of lines that it stands for.
 */

export interface Repeats {
  /** Writes the line, or counts it. `args` are those of the logger: an object of fields and a message, or a message. */
  write(args: readonly unknown[], write: (args: readonly unknown[]) => void): void;
}

const MINUTE_MS = 60_000;
/** Beyond that, new lines are written without being counted. */
const MAX_LINES = 1_000;

/** They differ between lines that say the same. */
const COUNTERS: readonly string[] = ['attempt', 'tries', 'delaySeconds', 'seconds', 'failures'];
/** Whatever was tried, the reason is one: a line for each job that needs the database would say nothing more. */
const ONE_REASON: readonly unknown[] = ['DATABASE_UNREACHABLE'];

/** @param about what lines of the present work say beside their own fields */
export function createRepeats(about: () => object): Repeats {
  const counts = new Map<string, number>();

  function everyMinute(line: string, write: (leftOut: number) => void): void {
    const timer = setTimeout(() => {
      const leftOut = counts.get(line) ?? 0;
      if (leftOut === 0) return void counts.delete(line);
      counts.set(line, 0);
      write(leftOut);
      everyMinute(line, write);
    }, MINUTE_MS);
    timer.unref();
  }

  return {
    write(args, write) {
      const line = identity(args, about());
      const leftOut = counts.get(line);
      if (leftOut !== undefined) return void counts.set(line, leftOut + 1);
      write(args);
      if (counts.size >= MAX_LINES) return;
      counts.set(line, 0);
      const [fields, ...rest] = args;
      everyMinute(line, (repeated) =>
        write(isObject(fields) ? [{ ...fields, repeated }, ...rest] : [{ repeated }, ...args]),
      );
    },
  };
}

function identity([first, ...rest]: readonly unknown[], work: object): string {
  const { err, ...fields } = { ...work, ...(isObject(first) ? first : { first }) } as Readonly<
    Record<string, unknown>
  >;
  const { code, message } = (err ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (ONE_REASON.includes(code)) return JSON.stringify(code);
  const same = Object.entries(fields).filter(([name]) => !COUNTERS.includes(name));
  return JSON.stringify([rest, same, code, message]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
