import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';

import { ForgeError } from './error.ts';

/** A key is made of these, compared exactly; a missing part is null. */
type KeyPart = string | number | boolean | null;

/** How documents are found: a name, and a function from a document to its key (undefined: not in this index). */
interface IndexDefinition<T> {
  readonly key: (document: T) => readonly KeyPart[] | undefined;
  readonly unique?: boolean;
}

interface FindOptions {
  /** By id. Default `asc`. */
  readonly order?: 'asc' | 'desc';
  readonly limit?: number;
  readonly offset?: number;
  /** Only ids below this one. */
  readonly below?: number;
}

/** Documents of one kind, as JSON in SQLite, each with a number that is never used again. */
export interface Collection<T extends { readonly id: number }> {
  /** Stores a new document under the next id (or the one that it brings). */
  insert(document: Omit<T, 'id'> & { readonly id?: number }): T;
  get(id: number): T | undefined;
  /** Documents whose key in `index` equals `key`; all of them for `index` undefined. */
  find(index: string | undefined, key: readonly KeyPart[], options?: FindOptions): T[];
  first(index: string, key: readonly KeyPart[]): T | undefined;
  count(index: string, key: readonly KeyPart[]): number;
  all(options?: FindOptions): T[];
  /** Changes the named fields and returns the new document; throws when there is no such id. */
  update(id: number, change: Partial<Omit<T, 'id'>>): T;
  remove(id: number): void;
}

export interface Store {
  /**
   * The collection of that name, made on first use. Adding an index to a collection that has documents fills it.
   * @throws TypeError for a name that is not `[a-z_]+`
   */
  collection<T extends { readonly id: number }>(
    name: string,
    indexes?: Readonly<Record<string, IndexDefinition<T>>>,
  ): Collection<T>;
  /** The next number of a named sequence, from 1: `sequence('number:17')`. Never goes back, also not after a rollback of the process. */
  sequence(name: string): number;
  /** Runs `work` (synchronous) so that all of its writes are kept or none; inside another transaction it joins it. */
  transaction<T>(work: () => T): T;
  /** Runs `work` once the transaction in progress is committed, or at once when there is none. */
  afterCommit(work: () => void): void;
  /** How many rows were written or removed since the store was opened. */
  changes(): number;
  close(): void;
}

/**
 * Opens (or makes) the store in one SQLite file. Every committed transaction survives the process being killed.
 * @throws ForgeError FORGE_DATA_IN_USE while another process has it open
 */
export function openStore(file: string): Store {
  const database = openAlone(file);
  database.exec('CREATE TABLE IF NOT EXISTS sequence (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT');
  const next = database.prepare(
    'INSERT INTO sequence VALUES (?, 1) ON CONFLICT(name) DO UPDATE SET value = value + 1 RETURNING value',
  );
  const sequence = (name: string): number => Number(next.get(name)?.['value']);
  const total = database.prepare('SELECT total_changes() AS n');
  const collections = new Map<string, unknown>();
  let depth = 0;
  let committed: (() => void)[] = [];

  return {
    collection: <T extends { readonly id: number }>(
      name: string,
      indexes: Readonly<Record<string, IndexDefinition<T>>> = {},
    ) => {
      const known = collections.get(name);
      if (known !== undefined) return known as Collection<T>;
      const made = makeCollection<T>(database, name, indexes, () => sequence(`id:${name}`));
      collections.set(name, made);
      return made;
    },
    sequence,
    transaction: (work) => {
      if (depth > 0) return work();
      database.exec('BEGIN IMMEDIATE');
      depth = 1;
      let result;
      try {
        result = work();
        database.exec('COMMIT');
      } catch (error) {
        committed = [];
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      } finally {
        depth = 0;
      }
      const run = committed;
      committed = [];
      for (const callback of run) callback();
      return result;
    },
    afterCommit: (work) => {
      if (depth > 0) committed.push(work);
      else work();
    },
    changes: () => Number(total.get()?.['n'] ?? 0),
    close: () => database.close(),
  };
}

/** The lock is the operating system's, so it goes with the process. */
function openAlone(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout=1000; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;');
    // Deliveries are large and written twice: what is folded into the file less often is folded once.
    database.exec('PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=8000; BEGIN IMMEDIATE; COMMIT;');
    return database;
  } catch (cause) {
    database.close();
    if (!/locked|busy/i.test(String(cause))) throw cause;
    throw new ForgeError('FORGE_DATA_IN_USE', `Another process is using ${file}.`, {
      hint: 'Stop it, or choose another data directory.',
      cause,
    });
  }
}

function makeCollection<T extends { readonly id: number }>(
  database: DatabaseSync,
  name: string,
  indexes: Readonly<Record<string, IndexDefinition<T>>>,
  nextId: () => number,
): Collection<T> {
  const names = Object.keys(indexes);
  for (const part of [name, ...names]) {
    if (!/^[a-z_]+$/i.test(part)) throw new TypeError(`Not a name for a collection or index: ${part}`);
  }
  prepareTable(database, name, indexes);

  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const keysOf = (document: T): SQLInputValue[] =>
    names.map((index) => encodeKey(indexes[index]?.key(document)));
  const columns = names.map((index) => `, k_${index}`).join('');
  const marks = names.map(() => ', ?').join('');
  const put = prepare(`INSERT INTO c_${name} (id, document${columns}) VALUES (?, ?${marks})`);
  const change = prepare(
    `UPDATE c_${name} SET document = ?${names.map((index) => `, k_${index} = ?`).join('')} WHERE id = ?`,
  );
  const parse = (row: Record<string, unknown> | undefined): T | undefined =>
    row === undefined ? undefined : (JSON.parse(String(row['document'])) as T);
  const get = (id: number): T | undefined =>
    parse(prepare(`SELECT document FROM c_${name} WHERE id = ?`).get(id));

  const find = (index: string | undefined, key: readonly KeyPart[], options: FindOptions = {}): T[] => {
    if (index !== undefined && indexes[index] === undefined) {
      throw new TypeError(`The collection ${name} has no index ${index}.`);
    }
    const conditions = [
      ...(index === undefined ? [] : [`k_${index} = ?`]),
      ...(options.below === undefined ? [] : ['id < ?']),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const order = options.order === 'desc' ? 'DESC' : 'ASC';
    const sql = `SELECT document FROM c_${name} ${where} ORDER BY id ${order} LIMIT ? OFFSET ?`;
    const bound = [
      ...(index === undefined ? [] : [encodeKey(key)]),
      ...(options.below === undefined ? [] : [options.below]),
    ];
    return prepare(sql)
      .all(...bound, options.limit ?? -1, options.offset ?? 0)
      .map((row) => JSON.parse(String(row['document'])) as T);
  };

  return {
    insert: (document) => {
      const text = JSON.stringify({ ...document, id: document.id ?? nextId() });
      const complete = JSON.parse(text) as T;
      put.run(complete.id, text, ...keysOf(complete));
      return complete;
    },
    get,
    find,
    first: (index, key) => find(index, key, { limit: 1 })[0],
    count: (index, key) =>
      Number(
        prepare(`SELECT count(*) AS n FROM c_${name} WHERE k_${index} = ?`).get(encodeKey(key))?.['n'] ?? 0,
      ),
    all: (options) => find(undefined, [], options),
    update: (id, fields) => {
      const before = get(id);
      if (before === undefined) throw new TypeError(`The collection ${name} has no document ${id}.`);
      const after = { ...before, ...fields, id } as T;
      change.run(JSON.stringify(after), ...keysOf(after), id);
      return after;
    },
    remove: (id) => {
      prepare(`DELETE FROM c_${name} WHERE id = ?`).run(id);
    },
  };
}

/** Makes the table, and a column with an index for each key that it has not got yet, filled from the documents. */
function prepareTable<T extends { readonly id: number }>(
  database: DatabaseSync,
  name: string,
  indexes: Readonly<Record<string, IndexDefinition<T>>>,
): void {
  database.exec(
    `CREATE TABLE IF NOT EXISTS c_${name} (id INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT`,
  );
  const present = new Set(
    database
      .prepare(`PRAGMA table_info(c_${name})`)
      .all()
      .map((row) => row['name']),
  );
  for (const [index, definition] of Object.entries(indexes)) {
    if (present.has(`k_${index}`)) continue;
    database.exec(`ALTER TABLE c_${name} ADD COLUMN k_${index} TEXT`);
    const fill = database.prepare(`UPDATE c_${name} SET k_${index} = ? WHERE id = ?`);
    for (const row of database.prepare(`SELECT id, document FROM c_${name}`).all()) {
      fill.run(encodeKey(definition.key(JSON.parse(String(row['document'])) as T)), Number(row['id']));
    }
    const [unique, columns] = definition.unique === true ? ['UNIQUE ', ''] : ['', ', id'];
    database.exec(
      `CREATE ${unique}INDEX IF NOT EXISTS x_${name}_${index} ON c_${name} (k_${index}${columns})`,
    );
  }
}

const encodeKey = (key: readonly KeyPart[] | undefined): string | null =>
  key === undefined ? null : JSON.stringify(key);
