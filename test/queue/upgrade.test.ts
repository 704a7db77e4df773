import { readFileSync } from 'node:fs';

import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';

import { createInbox } from '../../src/intake/inbox.ts';
import { createBudget } from '../../src/queue/budget.ts';
import { openEmbedded } from '../../src/queue/embedded.ts';
import type { JobHandler } from '../../src/queue/job.ts';
import { migrate } from '../../src/queue/migrations.ts';
import { openPostgres } from '../../src/queue/postgres.ts';
import { startQueue } from '../../src/queue/queue.ts';
import { placeEmbedded, startEngines, type Place } from './engines.ts';

/**
 * The present Portico on the store of the first one that had one: the deliveries and jobs that lay there go on.
 * On PostgreSQL the job of the dead process is free only when its heartbeats are missed: with PORTICO_LONG=1.
 */
const FIRST = readFileSync(new URL('store-1.sql', import.meta.url), 'utf8');
/** Jobs are kept for a month, and a fixture for years. */
const TODAY = `UPDATE pgboss.job_common SET keep_until = now() + interval '1 day'; RESET ALL;`;

const engines = process.env['PORTICO_LONG'] === '1' ? await startEngines() : undefined;
const places: readonly (() => Promise<Place>)[] = engines?.all.map((engine) => () => engine.place()) ?? [
  placeEmbedded,
];
afterAll(() => engines?.[Symbol.asyncDispose]());

test.each(places)(
  'a store of the first version is brought up to date, and its work goes on',
  async (open) => {
    await using place = await open();
    // Opened once: a second start of the engine would be most of the time.
    const { url, dataDir } = place.options;
    await using database = url === undefined ? await openEmbedded(dataDir!) : await openPostgres(url);
    await database.exec(`${FIRST}\n${TODAY}`);
    await migrate(database);

    const inbox = createInbox(database);
    expect(await inbox.pending()).toEqual(['stored-1', 'claimed-1']);
    expect(await inbox.claim('claimed-1')).toMatchObject({
      event: 'pull_request',
      body: '{"action":"opened","number":2}',
      attempt: 2,
    });
    await inbox.complete('claimed-1');
    expect(await inbox.store({ id: 'completed-1', event: 'push', body: '{}' })).toBe('known');
    expect(await inbox.store({ id: 'failed-1', event: 'issue_comment', body: '{"number":3}' })).toBe(
      'stored',
    );
    expect(await inbox.pending()).toContain('failed-1');
    await createBudget({ database, perMinute: 10, perHour: 10 }).take(1);

    const ran: string[] = [];
    const note: JobHandler = async ({ key, data }) => {
      expect(data).toMatchObject({ repository: { owner: 'acme' } });
      ran.push(key);
    };
    const lanes = [
      { name: 'proposals', kinds: ['proposal'], concurrency: 2 },
      { name: 'commands', kinds: ['comment'], concurrency: 2 },
      { name: 'new-lane', kinds: ['new-kind'], concurrency: 1 },
    ];
    const handlers = { proposal: note, comment: note, 'new-kind': note };
    await using queue = await startQueue({ database, log: pino({ level: 'silent' }), lanes, handlers });
    await queue.enqueue({ kind: 'new-kind', key: 'new', data: { repository: { owner: 'acme' } } });
    await queue.idle();
    expect(ran.toSorted()).toEqual(['new', ...[1, 1, 2, 3, 4].map((number) => `proposal:1#${number}`)]);
    expect(await queue.dead()).toMatchObject([{ kind: 'comment', key: 'comment:1#1', code: 'NO' }]);
  },
);
