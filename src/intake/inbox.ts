import { randomUUID } from 'node:crypto';

import { grouped } from './grouped.ts';

/** Deliveries as they came in: stored before they are acknowledged, so that no crash can lose one. */

/** The part of a database that the inbox needs; `src/queue/database.ts` fits. */
export interface InboxDatabase {
  /** On `pglite` there is one process, so what another owner has claimed is what a dead one left. */
  readonly engine: 'postgres' | 'pglite';
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A delivery as the door takes it. */
interface Arrived {
  readonly id: string;
  readonly event: string;
  /** What is stored of it: a JSON text, which the inbox does not read. */
  readonly body: string;
}

export interface Delivery {
  /** `X-GitHub-Delivery`; the same for a redelivery. */
  readonly id: string;
  /** `X-GitHub-Event`. */
  readonly event: string;
  /** As it was stored. */
  readonly body: string;
  /** 1 for the first time that it is worked on. */
  readonly attempt: number;
}

/** `stored`: there is work to do (also for a redelivery of one that failed). `known`: it is done, or under way. */
type StoreResult = 'stored' | 'known';

export interface Inbox {
  store(delivery: Arrived): Promise<StoreResult>;
  /** Both at once: stores a delivery and takes it to work on it; undefined where it is `known`. */
  take(delivery: Arrived): Promise<Delivery | undefined>;
  /**
   * Takes a delivery to work on it; undefined when another has it, when it is done or has failed, or was never there.
   * What a dead process had claimed can be claimed again: at once on the embedded engine, after a minute on a server.
   * So can, at once, what this one has ended when the database did not take the end of it.
   */
  claim(id: string): Promise<Delivery | undefined>;
  /** Marks it done and drops the payload. */
  complete(id: string): Promise<void>;
  /** Gives it back: it can be claimed again, by whoever comes first. */
  release(id: string): Promise<void>;
  /** Marks it failed, with a reason code; a redelivery will run it again. */
  fail(id: string, code: string): Promise<void>;
  /** Ids of deliveries that can be claimed, oldest first: what a crash left behind. To be asked at the start and in every sweep. */
  pending(limit?: number): Promise<readonly string[]>;
  /**
   * Forgets ended deliveries older than so many days, and returns how many. 4 when absent: GitHub redelivers for three
   * (https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks).
   */
  prune(days?: number): Promise<number>;
}

/** A claim lasts for the moment that it takes to queue jobs. */
const STALE_SECONDS = 60;

/** How many deliveries share a statement. */
const BATCH_SIZE = 20;
/** Nobody waits for the word that a delivery is done; after a crash it is done again. */
const COMPLETE_MS = 20;
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The inbox in the table `portico.delivery`. What is asked at the same time shares a statement: a burst costs a
 * twentieth.
 */
export function createInbox(database: InboxDatabase): Inbox {
  const owner = randomUUID();
  const stale = database.engine === 'pglite' ? 0 : STALE_SECONDS;
  /** What this process works on. The table may say so of more: of what ended while the database was away. */
  const held = new Set<string>();
  const free = `(state = 'stored' OR state = 'claimed'
    AND (owner = $1 OR changed_at <= now() - make_interval(secs => $2)))`;

  async function store(deliveries: readonly Arrived[]): Promise<StoreResult[]> {
    // In one order for all, so that two processes never wait for each other.
    const one = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    const sorted = [...one.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const stored = new Set<string>();
    for (const part of partsOf(sorted)) {
      // `stored` again is no loss: the job for it may not have been queued before the process died.
      const rows = await database.query<{ id: string }>(
        `INSERT INTO portico.delivery (id, event, payload, state)
         SELECT id, event, payload, 'stored' FROM unnest($1::text[], $2::text[], $3::text[]) AS arrived(id, event, payload)
         ON CONFLICT (id) DO UPDATE SET state = 'stored', event = excluded.event, payload = excluded.payload, changed_at = now()
           WHERE delivery.state IN ('stored', 'failed')
         RETURNING id`,
        [part.map(({ id }) => id), part.map(({ event }) => event), part.map(({ body }) => body)],
      );
      for (const { id } of rows) stored.add(id);
    }
    return deliveries.map(({ id }) => (stored.has(id) ? 'stored' : 'known'));
  }

  async function storeTaken(deliveries: readonly Arrived[]): Promise<(Delivery | undefined)[]> {
    const attempts = new Map<string, number>();
    for (const part of partsOf(deliveries)) {
      const rows = await database.query<{ id: string; attempt: number }>(
        `INSERT INTO portico.delivery (id, event, payload, state, owner, attempt)
         SELECT id, event, payload, 'claimed', $4, 1 FROM unnest($1::text[], $2::text[], $3::text[]) AS arrived(id, event, payload)
         ON CONFLICT (id) DO UPDATE SET state = 'claimed', owner = excluded.owner, attempt = delivery.attempt + 1,
           event = excluded.event, payload = excluded.payload, changed_at = now()
           WHERE delivery.state IN ('stored', 'failed')
         RETURNING id, attempt`,
        [part.map(({ id }) => id), part.map(({ event }) => event), part.map(({ body }) => body), owner],
      );
      for (const { id, attempt } of rows) attempts.set(id, attempt);
    }
    return deliveries.map(({ id, event, body }) => {
      const attempt = attempts.get(id);
      return attempt === undefined ? undefined : { id, event, body, attempt };
    });
  }

  async function take(ids: readonly string[]): Promise<(Delivery | undefined)[]> {
    const rows = await database.query<Delivery>(
      `UPDATE portico.delivery SET state = 'claimed', owner = $1, attempt = attempt + 1, changed_at = now()
       WHERE id IN (SELECT id FROM portico.delivery WHERE id = ANY($3::text[]) AND ${free} ORDER BY id FOR UPDATE SKIP LOCKED)
       RETURNING id, event, payload AS body, attempt`,
      [owner, stale, ids],
    );
    const taken = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => taken.get(id));
  }

  async function end(
    ids: readonly string[],
    state: 'completed' | 'failed' | 'stored',
    code: string | null,
  ): Promise<void[]> {
    await database.query(
      `UPDATE portico.delivery SET state = $2, code = $3, changed_at = now(),
         payload = CASE WHEN $2 = 'completed' THEN NULL ELSE payload END
       WHERE id = ANY($1::text[]) AND state IN ('stored', 'claimed')`,
      [ids, state, code],
    );
    return ids.map(() => undefined);
  }

  const takeOne = grouped(take, BATCH_SIZE);
  const storeTakenOne = grouped(storeTaken, BATCH_SIZE);
  const completeOne = grouped(
    (ids: readonly string[]) => end(ids, 'completed', null),
    BATCH_SIZE,
    COMPLETE_MS,
  );
  /** Nothing is worked on twice at once, however often it came. */
  async function hold(
    id: string,
    taking: () => Promise<Delivery | undefined>,
  ): Promise<Delivery | undefined> {
    if (held.has(id)) return undefined;
    held.add(id);
    let taken: Delivery | undefined;
    try {
      taken = await taking();
    } finally {
      if (taken === undefined) held.delete(id);
    }
    return taken;
  }

  /** However the ending ends, this process does not work on it any more. */
  async function endHold(id: string, ending: Promise<unknown>): Promise<void> {
    try {
      await ending;
    } finally {
      held.delete(id);
    }
  }

  return {
    store: grouped(store, BATCH_SIZE),
    take: (delivery) => hold(delivery.id, () => storeTakenOne(delivery)),
    claim: (id) => hold(id, () => takeOne(id)),
    complete: (id) => endHold(id, completeOne(id)),
    release: (id) => endHold(id, end([id], 'stored', null)),
    fail: (id, code) => endHold(id, end([id], 'failed', code)),
    async pending(limit = 10_000) {
      const rows = await database.query<{ id: string }>(
        `SELECT id FROM portico.delivery WHERE ${free} AND id <> ALL($4::text[]) ORDER BY received_at LIMIT $3`,
        [owner, stale, limit, [...held]],
      );
      return rows.map(({ id }) => id);
    },
    async prune(days = 4) {
      const rows = await database.query(
        `DELETE FROM portico.delivery WHERE state IN ('completed', 'failed') AND changed_at < now() - make_interval(days => $1)
         RETURNING id`,
        [days],
      );
      return rows.length;
    },
  };
}

/** Large bodies are not sent in one statement together: the embedded engine would hold all of them several times. */
function partsOf(deliveries: readonly Arrived[]): Arrived[][] {
  const parts: Arrived[][] = [];
  let size = Infinity;
  for (const delivery of deliveries) {
    size += delivery.body.length;
    if (size > PART_BYTES) {
      parts.push([]);
      size = delivery.body.length;
    }
    parts.at(-1)?.push(delivery);
  }
  return parts;
}
