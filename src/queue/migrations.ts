import { PorticoError } from '../error.ts';
import { UNBOUNDED, type Database } from './database.ts';

/**
 * The tables of our own, beside pg-boss's schema `pgboss`, which pg-boss migrates itself. A step that was released is never edited.
 * Versions that know fewer of these steps refuse the database, so nothing is appended here: see EXPANSIONS.
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
 * Changes that the release before does not notice, so that it works beside the new one and after it: tables, indexes, and columns with a
 * default (expand). What no release needs any more is dropped one release later (contract). `test/queue/downgrade.test.ts` runs the
 * statements of the release before on the result.
 */
const EXPANSIONS: Readonly<Record<string, string>> = {
  'job-end': `CREATE TABLE portico.job_end (
     delivery text NOT NULL,
     key text NOT NULL,
     repository bigint,
     content text NOT NULL,
     ended_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (delivery, key)
   );
   CREATE INDEX job_end_repository ON portico.job_end (repository, ended_at);
   CREATE INDEX job_end_ended ON portico.job_end (ended_at);`,
};

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
  if (version < STEPS.length || (await missingExpansions(database))) await database.exec(migration());
}

async function missingExpansions(database: Database): Promise<boolean> {
  const tables = await database.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'portico' AND tablename = 'expansion'`,
  );
  if (tables.length === 0) return true;
  const done = await database.query<{ name: string }>('SELECT name FROM portico.expansion');
  const names = new Set(done.map(({ name }) => name));
  return Object.keys(EXPANSIONS).some((name) => !names.has(name));
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
  const expansions = Object.entries(EXPANSIONS).map(
    ([name, expansion]) => `
      IF NOT EXISTS (SELECT 1 FROM portico.expansion WHERE name = '${name}') THEN
        ${expansion}
        INSERT INTO portico.expansion (name) VALUES ('${name}');
      END IF;`,
  );
  return `
    BEGIN;
    ${UNBOUNDED.map((statement) => `${statement};`).join('\n    ')}
    SELECT pg_advisory_xact_lock(7076847384);
    CREATE SCHEMA IF NOT EXISTS portico;
    CREATE TABLE IF NOT EXISTS portico.migration (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE IF NOT EXISTS portico.expansion (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    DO $migrate$ BEGIN ${[...steps, ...expansions].join('')} END $migrate$;
    COMMIT;`;
}
