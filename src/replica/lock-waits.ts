/**
 * Long waits for locks: each is logged with the process that holds the lock, so that an operator can end that one, and is told to the
 * metrics for as long as it lasts.
 */
import { PROCESS_NAME, type Database, type Session } from '../queue/database.ts';

interface Holder {
  /** `application_name` of its connection: host and process of a Portico, or another program. */
  readonly holder: string;
  /** For `pg_terminate_backend`; absent where the lock is in this process alone. */
  readonly backend?: number;
  /** Keys of the jobs that may hold it. */
  readonly jobs?: readonly string[];
}

export interface LongWait extends Holder {
  /** The key of a keyed lock, or `database` for what PostgreSQL itself locks. */
  readonly lock: string;
  readonly seconds: number;
}

export interface LockWaits extends AsyncDisposable {
  /** A wait for the lock of this key; disposed when the lock is taken. `find` returns the holder; undefined: the lock has just become free. */
  begin(key: string, find: () => Promise<Holder | undefined>): Disposable;
  /** The long waits of this moment. */
  now(): readonly LongWait[];
  /** The job that does the present work. */
  readonly job: () => string | undefined;
}

export interface LockWaitOptions {
  readonly log: { warn(about: object, message: string): void };
  readonly job: () => string | undefined;
  readonly count: (lock: 'key' | 'database') => void;
  /** Waits that last longer are long; 10,000 when absent. */
  readonly longMilliseconds?: number;
}

const LONG_MS = 10_000;
/** Statements of this process that PostgreSQL lets wait, and who does not wait himself among those that they wait for. */
const BLOCKED = `
  SELECT waiting.pid AS waiter, other.pid AS backend, other.application_name AS holder,
    extract(epoch FROM clock_timestamp() - waiting.query_start)::float8 AS seconds
  FROM pg_stat_activity waiting CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocked(pid)
  JOIN pg_stat_activity other ON other.pid = blocked.pid
  WHERE waiting.application_name = $1 AND waiting.wait_event_type = 'Lock' AND other.wait_event_type IS DISTINCT FROM 'Lock'
    AND waiting.query_start < clock_timestamp() - make_interval(secs => $2)`;

/** For programs that look at no metrics. */
export const UNWATCHED: LockWaits = {
  begin: () => ({ [Symbol.dispose]() {} }),
  now: () => [],
  job: () => undefined,
  async [Symbol.asyncDispose]() {},
};

export function watchLocks(database: Pick<Database, 'session'>, options: LockWaitOptions): LockWaits {
  const { log, count, longMilliseconds = LONG_MS } = options;
  const keyed = new Map<object, LongWait>();
  let blocked: readonly (LongWait & { readonly waiter: number })[] = [];
  let session: Session | undefined;

  function report(wait: LongWait, kind: 'key' | 'database'): void {
    const { lock, holder, backend, jobs, seconds } = wait;
    count(kind);
    log.warn(
      { lock, holder, backend, jobs, seconds: Math.round(seconds) },
      'a lock has been awaited for long',
    );
  }

  async function look(): Promise<void> {
    if (database.session === undefined) return;
    // A connection of its own: those of the pool may all be waiting.
    if (session === undefined || session.broken()) session = await database.session();
    const rows = await session.query<{ waiter: number; backend: number; holder: string; seconds: number }>(
      BLOCKED,
      [PROCESS_NAME, longMilliseconds / 1000],
    );
    const before = blocked.map(({ waiter, backend }) => `${waiter} ${backend}`);
    blocked = rows.map((row) => ({ ...row, lock: 'database' }));
    for (const wait of blocked)
      if (!before.includes(`${wait.waiter} ${wait.backend}`)) report(wait, 'database');
  }

  // What cannot be asked is not known; that the server is away is told elsewhere.
  let looking = Promise.resolve();
  let due = true;
  const timer = setInterval(() => {
    if (!due) return;
    due = false;
    looking = look()
      .catch(() => void (blocked = []))
      .finally(() => (due = true));
  }, longMilliseconds / 2);
  timer.unref();

  return {
    job: options.job,
    now: () => [...keyed.values(), ...blocked],
    begin(key, find) {
      const wait = {};
      const since = performance.now();
      const again = setInterval(() => void update().catch(() => {}), longMilliseconds);
      again.unref();
      let ended = false;
      async function update(): Promise<void> {
        const found = await find();
        if (ended || found === undefined) return;
        const before = keyed.get(wait);
        const now = { ...found, lock: key, seconds: (performance.now() - since) / 1000 };
        keyed.set(wait, now);
        if (before?.holder !== now.holder || before.jobs?.join() !== now.jobs?.join()) report(now, 'key');
      }
      return {
        [Symbol.dispose]() {
          ended = true;
          clearInterval(again);
          keyed.delete(wait);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
    },
  };
}
