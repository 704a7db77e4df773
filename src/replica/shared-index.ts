/**
 * One index for all processes on one PostgreSQL: what one of them reads from git, the others take over before their
 * next job. It is a cache: without its rows the next sweep reads everything anew.
 */
import { createHash } from 'node:crypto';

import type { IndexEntry, SharedCatalog } from '../catalog/shared-catalog.ts';
import type { Database, Queryable } from '../queue/database.ts';
import { entryFromText, entryText, INDEX_FORMAT } from './index-text.ts';

export interface SharedIndex {
  /** Stores what changed here and takes over everything that was stored before the call. */
  refresh(): Promise<void>;
  /** Stores what changed here. Others see it before any job that is asked for later. */
  flush(): Promise<void>;
  /** Repositories that processes of another version have read since the last call, or since the start: this index does not hold what they found. */
  readElsewhere(): Promise<readonly number[]>;
}

/** Rows that are read or written by one statement. */
const BATCH_SIZE = 500;
/** The number of the lock is arbitrary and ours. */
const LOCK = 7_076_847_386;

interface Row {
  readonly key: string;
  readonly seq: number;
  readonly digest: string;
}

/** Loads what is stored, and keeps the catalog in step from then on. */
export async function startSharedIndex(database: Database, shared: SharedCatalog): Promise<SharedIndex> {
  /** Key → digest of the entry that is both here and stored. */
  const known = new Map<string, string>();
  let last = await newest(database);
  await takeRows(0, last, false);
  const [others] = await database.query<{ seq: number | null }>(
    'SELECT max(seq)::float8 AS seq FROM portico.index_row WHERE format <> $1',
    [INDEX_FORMAT],
  );
  let elsewhere = others?.seq ?? 0;

  async function takeRows(after: number, until: number, seen: boolean): Promise<void> {
    const rows = await database.query<Row>(
      `SELECT key, seq::float8 AS seq, digest FROM portico.index_row
       WHERE format = $1 AND seq > $2 AND seq <= $3 ORDER BY seq`,
      [INDEX_FORMAT, after, until],
    );
    const others: string[] = [];
    for (const { key, digest } of rows) {
      if (known.get(key) === digest) shared.confirm(key);
      else others.push(key);
    }
    for (let at = 0; at < others.length; at += BATCH_SIZE) {
      const keys = others.slice(at, at + BATCH_SIZE);
      for (const { key, digest, value } of await valuesOf(keys)) {
        const entry = readEntry(value);
        if (entry === undefined) continue;
        shared.take(entry, seen);
        // What there is to expect is only good when it is told anew.
        if (seen || entry.kind !== 'expected') known.set(key, digest);
      }
    }
  }

  async function valuesOf(keys: readonly string[]): Promise<(Row & { readonly value: string })[]> {
    return database.query(
      `SELECT key, seq::float8 AS seq, digest, value FROM portico.index_row
       WHERE format = $1 AND key = ANY($2::text[]) ORDER BY seq`,
      [INDEX_FORMAT, [...keys]],
    );
  }

  async function store(): Promise<void> {
    const entries = shared.pending();
    for (let at = 0; at < entries.length; at += BATCH_SIZE) {
      const part = entries.slice(at, at + BATCH_SIZE);
      const rows = part.map((entry) => {
        const value = entryText(entry);
        return { key: entry.key, value, digest: createHash('sha256').update(value).digest('base64') };
      });
      await database.transaction(async (tx) => {
        // Numbers are seen in their order: whoever takes one has committed it before the next is taken.
        await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
        const same = rows.filter(({ key, digest }) => known.get(key) === digest);
        const there = await touch(tx, same);
        await upsert(
          tx,
          rows.filter(({ key, digest }) => known.get(key) !== digest || !there.has(key)),
        );
      });
      for (const { key, digest } of rows) known.set(key, digest);
      shared.stored(part);
    }
  }

  async function refresh(): Promise<void> {
    await store();
    const until = await newest(database);
    if (until <= last) return;
    await takeRows(last, until, true);
    last = until;
  }

  async function readElsewhere(): Promise<readonly number[]> {
    // All formats share one sequence.
    const rows = await database.query<Pick<Row, 'key' | 'seq'>>(
      `SELECT key, seq::float8 AS seq FROM portico.index_row
       WHERE format <> $1 AND seq > $2 AND key LIKE 'repository/%' ORDER BY seq`,
      [INDEX_FORMAT, elsewhere],
    );
    elsewhere = rows.at(-1)?.seq ?? elsewhere;
    return [...new Set(rows.map(({ key }) => Number(key.slice('repository/'.length))))];
  }

  const turns = createTurns();
  return { refresh: turns(refresh), flush: turns(store), readElsewhere };
}

/**
 * Work of which one thing is done at a time. A call that comes while some goes on is served by a round that begins
 * after it, together with all others that wait for the same.
 */
function createTurns(): (work: () => Promise<void>) => () => Promise<void> {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    let waiting: Promise<void> | undefined;
    return () => {
      if (waiting !== undefined) return waiting;
      const own = tail.then(() => {
        waiting = undefined;
        return work();
      });
      waiting = own;
      tail = own.catch(() => undefined);
      return own;
    };
  };
}

async function newest(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seq: number | null }>(
    'SELECT max(seq)::float8 AS seq FROM portico.index_row WHERE format = $1',
    [INDEX_FORMAT],
  );
  return row?.seq ?? 0;
}

/** Says again that they are as they were; answers those that are there. */
async function touch(
  tx: Queryable,
  rows: readonly { readonly key: string; readonly digest: string }[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const touched = await tx.query<{ key: string }>(
    `UPDATE portico.index_row AS own SET seq = nextval('portico.index_seq')
     FROM unnest($2::text[], $3::text[]) AS wanted (key, digest)
     WHERE own.format = $1 AND own.key = wanted.key AND own.digest = wanted.digest RETURNING own.key`,
    [INDEX_FORMAT, rows.map(({ key }) => key), rows.map(({ digest }) => digest)],
  );
  return new Set(touched.map(({ key }) => key));
}

async function upsert(
  tx: Queryable,
  rows: readonly { readonly key: string; readonly digest: string; readonly value: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO portico.index_row AS own (format, key, seq, digest, value)
     SELECT $1, key, nextval('portico.index_seq'), digest, value
     FROM unnest($2::text[], $3::text[], $4::text[]) AS wanted (key, digest, value)
     ON CONFLICT (format, key) DO UPDATE SET seq = excluded.seq, digest = excluded.digest, value = excluded.value`,
    [
      INDEX_FORMAT,
      rows.map(({ key }) => key),
      rows.map(({ digest }) => digest),
      rows.map(({ value }) => value),
    ],
  );
}

/** What cannot be read is as if it were not there: the next look writes it anew. */
function readEntry(text: string): IndexEntry | undefined {
  try {
    return entryFromText(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
