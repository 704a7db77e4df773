/** What the store's statements do, so that those of one release can be played on the schema of the next one. */
import { createSharedCatalog } from '../../src/catalog/shared-catalog.ts';
import { createInbox } from '../../src/intake/inbox.ts';
import { createBudget } from '../../src/queue/budget.ts';
import type { Database, Queryable } from '../../src/queue/database.ts';
import { createVerdicts } from '../../src/queue/verdicts.ts';
import { startSharedIndex } from '../../src/replica/shared-index.ts';
import { bareRepository } from '../catalog/bare-repository.ts';

/** A statement of a release, and the columns of the rows that it read. */
export interface Recorded {
  readonly sql: string;
  readonly values?: readonly unknown[];
  readonly columns: readonly string[];
}

/** The same database, which writes down what it is asked on our tables. */
function recorder(database: Database, into: Recorded[]): Database {
  const note = (source: Queryable): Queryable => ({
    async query<Row extends object>(sql: string, values?: readonly unknown[]) {
      const rows = await source.query<Row>(sql, values);
      const columns = Object.keys(rows[0] ?? {}).toSorted();
      into.push({ sql, ...(values !== undefined && { values }), columns });
      return rows;
    },
  });
  return {
    ...database,
    ...note(database),
    transaction: (work) => database.transaction((tx) => work(note(tx))),
  };
}

/** Uses every table of ours as a release does, on a migrated database without rows. */
export async function record(database: Database): Promise<readonly Recorded[]> {
  const statements: Recorded[] = [];
  const recorded = recorder(database, statements);
  const inbox = createInbox({ ...recorded, engine: 'postgres' });
  await inbox.store({ id: 'one', event: 'push', body: '{}' });
  await inbox.take({ id: 'two', event: 'push', body: '{}' });
  await inbox.pending();
  await inbox.claim('one');
  await inbox.complete('one');
  await inbox.release('two');
  await inbox.claim('two');
  await inbox.fail('two', 'NO');
  await inbox.prune();
  const budget = createBudget({ database: { ...recorded, engine: 'postgres' }, perMinute: 10, perHour: 10 });
  await budget.take(1);
  await budget.eta(1);
  await budget.left();
  await budget.prune();
  const verdicts = createVerdicts<number>(recorded);
  await verdicts.put('key', 1);
  await verdicts.load(10);
  await verdicts.remove('key');
  for (const commit of ['a', 'b']) {
    const shared = createSharedCatalog();
    const index = await startSharedIndex(recorded, shared);
    shared.catalog.put({ ...bareRepository(1, 'acme/web'), commit });
    await index.flush();
    shared.catalog.confirm(1);
    await index.refresh();
    await index.readElsewhere();
  }
  return statements.map(({ values, ...rest }) => ({ ...rest, ...(values && { values: values.map(plain) }) }));
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
