import { PorticoError } from '../error.ts';
import { UNBOUNDED, type Database } from './database.ts';

/**
 * The tables of our own, beside pg-boss's schema `pgboss`, which pg-boss migrates itself. Forward only: a step that was
 * released is never edited; a new one is appended.
 */
const STEPS: readonly string[] = [
  `CREATE TABLE portico.delivery (
     id text PRIMARY KEY,
     event text NOT NULL,
     payload text,
     state text NOT NULL CHECK (state IN ('stored', 'claimed', 'completed', 'failed')),
     attempt integer NOT NULL DEFAULT 0,
     code text,
     received_at timestamptz NOT NULL DEFAULT now(),
     changed_at timestamptz NOT NULL DEFAULT now()
   );
   CREATE INDEX delivery_open ON portico.delivery (received_at) WHERE state IN ('stored', 'claimed');
   CREATE INDEX delivery_ended ON portico.delivery (changed_at) WHERE state IN ('completed', 'failed');
   CREATE TABLE portico.content_call (
     installation bigint NOT NULL,
     id uuid NOT NULL DEFAULT gen_random_uuid(),
     starts_at timestamptz NOT NULL,
     PRIMARY KEY (installation, starts_at, id)
   );`,
  `ALTER TABLE portico.delivery ADD COLUMN owner text;`,
  `CREATE SEQUENCE portico.index_seq;
   CREATE TABLE portico.index_row (
     format integer NOT NULL,
     key text NOT NULL,
     seq bigint NOT NULL,
     digest text NOT NULL,
     value text NOT NULL,
     PRIMARY KEY (format, key)
   );
   CREATE INDEX index_row_seq ON portico.index_row (format, seq);`,
  `CREATE TABLE portico.verdict (
     key text PRIMARY KEY,
     value text NOT NULL,
     decided_at timestamptz NOT NULL DEFAULT now()
   );`,
];

/**
 * Brings the schema `portico` up to date; of several processes that start at once, one does it and the others wait.
 * @throws PorticoError DATABASE_NEWER when a later Portico has changed the tables.
 */
export async function migrate(database: Database): Promise<void> {
  const version = await currentVersion(database);
  if (version > STEPS.length) {
    throw new PorticoError(
      'DATABASE_NEWER',
      `the database has version ${version}, this Portico knows ${STEPS.length}`,
      {
        blame: 'user',
        hint: 'Run the newer Portico, or give this one a database of its own: it rebuilds what it needs from the forge.',
      },
    );
  }
  if (version < STEPS.length) await database.exec(migration());
}

async function currentVersion(database: Database): Promise<number> {
  const tables = await database.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'portico' AND tablename = 'migration'`,
  );
  if (tables.length === 0) return 0;
  const rows = await database.query<{ version: number }>(
    'SELECT max(version) AS version FROM portico.migration',
  );
  return rows[0]?.version ?? 0;
}

/** One text, so that it is one transaction on either engine; the lock's number is arbitrary and ours. */
function migration(): string {
  const steps = STEPS.map(
    (step, index) => `
      IF NOT EXISTS (SELECT 1 FROM portico.migration WHERE version = ${index + 1}) THEN
        ${step}
        INSERT INTO portico.migration (version) VALUES (${index + 1});
      END IF;`,
  );
  return `
    BEGIN;
    ${UNBOUNDED.map((statement) => `${statement};`).join('\n    ')}
    SELECT pg_advisory_xact_lock(7076847384);
    CREATE SCHEMA IF NOT EXISTS portico;
    CREATE TABLE IF NOT EXISTS portico.migration (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    DO $migrate$ BEGIN ${steps.join('')} END $migrate$;
    COMMIT;`;
}
