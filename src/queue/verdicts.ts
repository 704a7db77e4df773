/** Content that ended the process which worked on it, so that a restart does not work on all of it again. */
import type { Database } from './database.ts';

export interface Verdicts<Verdict> {
  load(most: number): Promise<readonly (readonly [key: string, verdict: Verdict])[]>;
  put(key: string, verdict: Verdict): Promise<void>;
  remove(key: string): Promise<void>;
}

/** After so long, content is tried once more. */
const KEPT_DAYS = 30;

/** What is put comes back as JSON gives it. */
export function createVerdicts<Verdict>(database: Pick<Database, 'query'>): Verdicts<Verdict> {
  return {
    async load(most) {
      await database.query(
        `DELETE FROM portico.verdict WHERE decided_at < now() - make_interval(days => ${KEPT_DAYS})`,
      );
      const rows = await database.query<{ key: string; value: string }>(
        'SELECT key, value FROM portico.verdict ORDER BY decided_at DESC LIMIT $1',
        [most],
      );
      return rows.reverse().map(({ key, value }) => [key, JSON.parse(value) as Verdict]);
    },
    async put(key, verdict) {
      await database.query(
        `INSERT INTO portico.verdict (key, value) VALUES ($1, $2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, decided_at = now()`,
        [key, JSON.stringify(verdict)],
      );
    },
    async remove(key) {
      await database.query('DELETE FROM portico.verdict WHERE key = $1', [key]);
    },
  };
}
