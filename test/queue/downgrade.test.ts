import { readFileSync, writeFileSync } from 'node:fs';

import { afterAll, expect, test } from 'vitest';

import { placeEmbedded, startEngines, type Place } from './engines.ts';
import { record, type Recorded } from './release-before.ts';

/**
 * The release before works beside this one and after it, on the schema that this one leaves. Its statements are recorded; after a release,
 * record them again with RECORD_RELEASE=1. `test/e2e/release-before.test.ts` runs its processes.
 */
const FILE = new URL('release-before.json', import.meta.url);

interface Release {
  /** The steps of migration that it knows: it refuses a database with more. */
  readonly version: number;
  readonly statements: readonly Recorded[];
}

const engines = process.env['PORTICO_LONG'] === '1' ? await startEngines() : undefined;
const places: readonly (() => Promise<Place>)[] = engines?.all.map((engine) => () => engine.place()) ?? [
  placeEmbedded,
];
afterAll(() => engines?.[Symbol.asyncDispose]());

/** A recorded time, in microseconds since 1970, stands for now: statements count what was done in the last hour. */
const asNow = (value: unknown): unknown =>
  typeof value === 'string' && /^1\d{15}$/.test(value) ? String(Date.now() * 1_000) : value;

const VERSION = 'SELECT max(version) AS version FROM portico.migration';

if (process.env['RECORD_RELEASE'] === '1') {
  test('record the statements of this release', async () => {
    await using place = await placeEmbedded();
    await using database = await place.open();
    const [row] = await database.query<{ version: number }>(VERSION);
    const statements = await record(database);
    writeFileSync(FILE, `${JSON.stringify({ version: row!.version, statements }, null, 1)}\n`);
  });
}

test.each(places)(
  'the statements of the release before read and write on the migrated schema',
  async (open) => {
    const before = JSON.parse(readFileSync(FILE, 'utf8')) as Release;
    await using place = await open();
    await using database = await place.open();
    const [row] = await database.query<{ version: number }>(VERSION);
    expect(row!.version, 'the release before refuses this database').toBeLessThanOrEqual(before.version);
    for (const { sql, values, columns } of before.statements) {
      const rows = await database.query(sql, values?.map(asNow));
      expect({ sql, columns: Object.keys(rows[0] ?? {}).toSorted() }).toEqual({ sql, columns });
    }
  },
);
