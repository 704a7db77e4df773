import { setTimeout as sleep } from 'node:timers/promises';

import { Client, Pool, escapeIdentifier, type ClientBase, type QueryResult } from 'pg';

import { PorticoError } from '../error.ts';
import { PROCESS_NAME, type Database, type Queryable } from './database.ts';
import { createRenewal, momentNow } from './fence.ts';

/**
 * What bounds each connection, so that a process that hangs, or a machine that is gone, keeps no lock of the server for longer than people
 * wait for an answer. Settings that an older server lacks are left out.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  idle_in_transaction_session_timeout: '8s',
  lock_timeout: '30s',
  statement_timeout: '5min',
};

/** A session that keeps locks is a lease: this process renews it, or the server ends it and frees them. */
const LEASE = '8s';
const RENEW_MS = 2_000;
/** So old a renewal may be that a write relies on it: half of the lease, so that the write has the other half. */
const YOUNG_MS = 4_000;

/** For the pool, which waits for the promise before it hands out the connection; its types do not say so. */
const onConnect: (client: ClientBase) => unknown = (client) => bound(client, BOUNDS);

async function bound(client: ClientBase, bounds: Readonly<Record<string, string>>): Promise<void> {
  await client.query(
    `SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted(name, value) JOIN pg_settings USING (name)`,
    [Object.keys(bounds), Object.values(bounds)],
  );
}

/**
 * Opens a pool of connections to a PostgreSQL server.
 * @throws PorticoError DATABASE_UNREACHABLE, or DATABASE_POOLED; the message never holds the address, since that holds the password.
 */
export async function openPostgres(url: string, signal?: AbortSignal): Promise<Database> {
  const settings = {
    connectionString: url,
    application_name: PROCESS_NAME,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  };
  const pool = new Pool({ ...settings, max: 10, onConnect });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  try {
    await pool.query('SELECT 1');
    signal?.throwIfAborted();
  } catch (error) {
    await pool.end();
    signal?.throwIfAborted();
    throw unreachable(reason(error));
  }
  if (await isPooledByTransaction(pool)) {
    await pool.end();
    throw new PorticoError(
      'DATABASE_POOLED',
      'the pooler in front of PostgreSQL shares connections between transactions',
      {
        hint: 'Locks and notifications belong to connections: set pool_mode = session for this database (PgBouncer), or name the server itself in DATABASE_URL.',
        blame: 'user',
      },
    );
  }
  const listeners = new Set<() => Promise<void>>();
  const close = async (): Promise<void> => {
    if (pool.ended) return;
    for (const stop of listeners) await stop();
    await pool.end();
  };
  return {
    engine: 'postgres',
    ...queryable(pool),
    exec: async <Row extends object>(sql: string) => {
      const results: unknown = await pool.query(sql).catch(rethrow);
      return (Array.isArray(results) ? results : [results]).flatMap(
        (result: QueryResult) => result.rows as Row[],
      );
    },
    transaction: (work) => transaction(pool, work),
    async listen(channel, onNotify) {
      const stop = await listen(() => new Client(settings), channel, onNotify);
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    async session() {
      const client = new Client(settings);
      let broken = false;
      const end = (): void => void (broken = true);
      client.on('error', end);
      client.on('end', end);
      await client.connect().catch(rethrow);
      await bound(client, { ...BOUNDS, idle_session_timeout: LEASE });
      const direct = queryable(client);
      // One statement after the other: several keys use the session at once, and the driver takes no second one meanwhile.
      let tail: Promise<unknown> = Promise.resolve();
      const renewal = createRenewal(YOUNG_MS, momentNow());
      const inTurn = <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
        const turn = tail.then(async () => {
          const sent = momentNow();
          const rows = await direct.query<Row>(sql, values);
          renewal.renewed(sent);
          return rows;
        });
        tail = turn.catch(ignore);
        return turn;
      };
      const timer = setInterval(() => void inTurn('SELECT 1').catch(ignore), RENEW_MS).unref();
      const stop = (): Promise<void> => {
        clearInterval(timer);
        return client.end().catch(ignore);
      };
      listeners.add(stop);
      client.on('end', () => {
        clearInterval(timer);
        listeners.delete(stop);
      });
      const isAlive = async (): Promise<boolean> => {
        if (broken || renewal.isYoung()) return !broken;
        const answered = await inTurn('SELECT 1').then(
          () => true,
          () => false,
        );
        return answered && !broken;
      };
      return { query: inTurn, broken: () => broken, isAlive };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function queryable(source: Pick<ClientBase, 'query'>): Queryable {
  return {
    query: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
      (await source.query(sql, values === undefined ? undefined : [...values]).catch(rethrow)).rows as Row[],
  };
}

/** Two connections at once that one process of the server serves: a pooler moves transactions between them. */
async function isPooledByTransaction(pool: Pool): Promise<boolean> {
  const clients = [await pool.connect(), await pool.connect()];
  try {
    const processes = [];
    for (const client of clients)
      processes.push((await client.query('SELECT pg_backend_pid() AS pid')).rows[0]);
    return processes[0].pid === processes[1].pid;
  } finally {
    for (const client of clients) client.release();
  }
}

async function transaction<T>(pool: Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  // A server that dies between two statements is told by an event; the next statement fails, and says so.
  client.on('error', ignore);
  try {
    await client.query('BEGIN').catch(rethrow);
    const result = await work(queryable(client));
    await client.query('COMMIT').catch(rethrow);
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot even roll back is closed, never given to the next user.
    const broken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    client.release(broken);
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

function ignore(): void {}

/** Holds a connection of its own on the channel, and takes a new one whenever that breaks. */
async function listen(connect: () => Client, channel: string, onNotify: (payload: string) => void) {
  const stopping = new AbortController();
  let client = await subscribe();
  return async () => {
    stopping.abort();
    await client.end().catch(() => {});
  };

  async function subscribe(): Promise<Client> {
    const fresh = connect();
    let live = false;
    const onBreak = (): void => {
      if (!live) return;
      live = false;
      fresh.end().catch(() => {});
      if (!stopping.signal.aborted) void resubscribe();
    };
    fresh.on('error', onBreak);
    fresh.on('end', onBreak);
    fresh.on('notification', (message) => onNotify(message.payload ?? ''));
    try {
      await fresh.connect();
      await bound(fresh, BOUNDS);
      await fresh.query(`LISTEN ${escapeIdentifier(channel)}`);
      stopping.signal.throwIfAborted();
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    live = true;
    return fresh;
  }

  async function resubscribe(): Promise<void> {
    for (let wait = 250; !stopping.signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      try {
        await sleep(wait, undefined, { signal: stopping.signal });
        client = await subscribe();
        onNotify('');
        return;
      } catch {
        // Not back yet, or stopping: the loop's condition decides.
      }
    }
  }
}

/** Codes of the network, and PostgreSQL's where it ends, starts, or has no connection left (classes 08, 57P and 53300). */
const LOST =
  /^(?:E(?:CONN\w+|TIMEDOUT|PIPE|NOTFOUND|HOSTUNREACH|NETUNREACH)|EAI_AGAIN|08\w{3}|57P0[1-3]|53300)$/;
/** The driver's own errors have no code. */
const LOST_WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

/** An error that says that the server is gone is known as that, whatever was asked; jobs are then tried for as long as those of the forge. */
function rethrow(error: unknown): never {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (!LOST.test(String(code)) && !LOST_WORDS.test(String(message))) throw error;
  throw unreachable(typeof code === 'string' ? code : String(message));
}

function unreachable(why: string): PorticoError {
  return new PorticoError('DATABASE_UNREACHABLE', `PostgreSQL does not answer: ${why}`, {
    hint: 'Check DATABASE_URL (postgres://user:password@host:port/database) and that the server runs.',
    blame: 'forge',
  });
}

function reason(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'no connection';
}
