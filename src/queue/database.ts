/** One database interface for the queue, the inbox and the budget, over a PostgreSQL server or the embedded PGlite. */

import { hostname } from 'node:os';

/** Names this process on the server (`application_name`), so that an operator can find one that hangs. PostgreSQL keeps 63 bytes. */
export const PROCESS_NAME: string = `portico ${hostname()}/${process.pid}`.slice(0, 63);

export interface Queryable {
  /** One statement with `$1` placeholders. Rows as the driver gives them: bigint as string on PostgreSQL, so cast in SQL. */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A connection of its own, for what the server keeps by connection. */
export interface Session extends Queryable {
  /** True when it is gone, and all that the server kept for it. */
  broken(): boolean;
  /** Whether the server still keeps it; asked only if the last renewal is not young. */
  isAlive(): Promise<boolean>;
}

export interface Database extends Queryable, AsyncDisposable {
  readonly engine: 'postgres' | 'pglite';
  /** Several statements without parameters; returns the rows of all of them. */
  exec<Row extends object>(sql: string): Promise<Row[]>;
  /**
   * Commits what `work` did, or rolls back when it throws. Inside, only the given handle may be used: the embedded
   * engine has one connection, and asking the database itself from within would wait for ever.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Calls back for every NOTIFY on the channel (lower-case letters and `_`), and once with '' after each reconnection, since some were missed. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  /** Opens one; it ends with the database. Absent where this process has the database to itself. */
  readonly session?: () => Promise<Session>;
  close(): Promise<void>;
}

/** Statements for a transaction that may wait as long as another process needs to install or migrate. */
export const UNBOUNDED: readonly string[] = [
  'SET LOCAL lock_timeout = 0',
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL idle_in_transaction_session_timeout = 0',
];
