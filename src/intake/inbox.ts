/** Deliveries as they came in: stored before they are acknowledged, so that no crash can lose one. */

/** The part of a database that the inbox needs; `src/queue/database.ts` fits. */
export interface InboxDatabase {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Delivery {
  /** `X-GitHub-Delivery`; the same for a redelivery. */
  readonly id: string;
  /** `X-GitHub-Event`. */
  readonly event: string;
  /** The parsed body: a JSON object. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** 1 for the first time that it is worked on. */
  readonly attempt: number;
}

/** `stored`: to be worked on (also a redelivery of a failed one). `known`: already done or under way. */
export type StoreResult = 'stored' | 'known';

export interface Inbox {
  store(delivery: {
    id: string;
    event: string;
    payload: Readonly<Record<string, unknown>>;
  }): Promise<StoreResult>;
  /** Takes a stored delivery to work on it; undefined when it is done, or another has it. */
  claim(id: string): Promise<Delivery | undefined>;
  /** Marks it done and drops the payload. */
  complete(id: string): Promise<void>;
  /** Marks it failed, with a reason code; a redelivery will run it again. */
  fail(id: string, code: string): Promise<void>;
  /** Ids of deliveries that were stored or claimed and not ended: what a crash left behind. Oldest first. */
  pending(limit?: number): Promise<readonly string[]>;
  /** Forgets ids of ended deliveries older than so many days (4 when absent, the time in which GitHub redelivers, plus one). */
  prune(days?: number): Promise<number>;
}
export function createInbox(_database: InboxDatabase): Inbox {
  throw new Error('not yet');
}
