/** Work that a person may end: one piece for each key, in this process or in another that shares the database. */
import type { Database } from '../queue/database.ts';

export interface Running extends AsyncDisposable {
  /** Does the work; where it is cancelled it ends quietly, where `signal` is aborted it fails with that reason. */
  run(key: string, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** False where nothing of this key is being done. */
  cancel(key: string): Promise<boolean>;
}

const CHANNEL = 'portico_cancel';

/** `jobsOf` names the jobs of a key in the queue, as patterns of SQL's LIKE: whether another process has one is read there. */
export async function createRunning(
  database: Pick<Database, 'engine' | 'query' | 'listen'>,
  jobsOf: (key: string) => readonly string[],
): Promise<Running> {
  const controllers = new Map<string, AbortController>();
  const shared = database.engine === 'postgres';
  const stop = (key: string): boolean => {
    const own = controllers.get(key);
    own?.abort(new Error('cancelled by a person'));
    return own !== undefined;
  };
  const unlisten = shared ? await database.listen(CHANNEL, stop) : undefined;
  return {
    async run(key, work, signal) {
      const own = new AbortController();
      controllers.set(key, own);
      try {
        await work(AbortSignal.any([signal, own.signal]));
      } catch (error) {
        if (!own.signal.aborted || signal.aborted) throw error;
      } finally {
        controllers.delete(key);
      }
    },
    async cancel(key) {
      if (stop(key)) return true;
      if (!shared) return false;
      const active = await database.query(
        `SELECT 1 FROM pgboss.job WHERE state = 'active' AND singleton_key LIKE ANY($1) LIMIT 1`,
        [jobsOf(key)],
      );
      if (active.length === 0) return false;
      await database.query('SELECT pg_notify($1, $2)', [CHANNEL, key]);
      return true;
    },
    async [Symbol.asyncDispose]() {
      await unlisten?.();
    },
  };
}
