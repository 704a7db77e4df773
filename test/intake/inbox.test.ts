import { expect, test } from 'vitest';

import { createInbox } from '../../src/intake/inbox.ts';
import { placeEmbedded } from '../queue/engines.ts';

test('deliveries: what a crash left is found, what is done loses its payload, what is old is forgotten', async () => {
  await using place = await placeEmbedded();
  await using database = await place.open();
  const inbox = createInbox(database);
  for (const id of ['a', 'b', 'c', 'd']) await inbox.store({ id, event: 'push', body: `{"id":"${id}"}` });
  await inbox.claim('b');
  await inbox.claim('c');
  await inbox.complete('c');
  await inbox.claim('d');
  await inbox.fail('d', 'FORGE_DOWN');

  // What this process has claimed, it has claimed once; a later process finds what a dead one left.
  expect(await inbox.claim('b')).toBeUndefined();
  expect(await inbox.pending()).toEqual(['a']);
  const later = createInbox(database);
  expect(await later.pending()).toEqual(['a', 'b']);
  expect(await later.pending(1)).toEqual(['a']);
  expect(await later.claim('b')).toMatchObject({ attempt: 2, body: '{"id":"b"}' });
  // Where there may be other processes, only what has been claimed for long was left by a dead one.
  const shared = createInbox({ engine: 'postgres', query: (sql, values) => database.query(sql, values) });
  expect(await shared.pending()).toEqual(['a']);
  expect(await shared.claim('b')).toBeUndefined();
  await database.query(`UPDATE portico.delivery SET changed_at = now() - interval '61 s' WHERE id = 'b'`);
  expect(await shared.pending()).toEqual(['a', 'b']);
  expect(await inbox.claim('nowhere')).toBeUndefined();

  // A claim is over with its end, also where the database was not there to take the end of it.
  await inbox.store({ id: 'e', event: 'push', body: '{}' });
  let away = false;
  const torn = createInbox({
    engine: 'postgres',
    query: (sql, values) => (away ? Promise.reject(new Error('no connection')) : database.query(sql, values)),
  });
  expect(await torn.claim('e')).toMatchObject({ attempt: 1 });
  await torn.release('e');
  expect(await torn.claim('e')).toMatchObject({ attempt: 2 });
  expect(await torn.pending()).not.toContain('e');
  away = true;
  await expect(torn.complete('e')).rejects.toThrow('no connection');
  await expect(torn.claim('a')).rejects.toThrow('no connection');
  away = false;
  expect(await torn.pending()).toContain('e');
  expect(await torn.claim('e')).toMatchObject({ attempt: 3 });
  await torn.complete('e');
  await database.query(`DELETE FROM portico.delivery WHERE id = 'e'`);

  // Stored and claimed at once: what is under way or done is known, what was released or failed is taken again.
  const put = (id: string): ReturnType<typeof inbox.take> =>
    inbox.take({ id, event: 'push', body: `{"id":"${id}"}` });
  const [one, twice] = await Promise.all([put('f'), put('f')]);
  expect([one, twice]).toEqual([{ id: 'f', event: 'push', body: '{"id":"f"}', attempt: 1 }, undefined]);
  expect(await createInbox(database).take({ id: 'f', event: 'push', body: '{}' })).toBeUndefined();
  await inbox.fail('f', 'FORGE_DOWN');
  expect(await put('f')).toMatchObject({ attempt: 2 });
  await inbox.release('f');
  expect(await put('f')).toMatchObject({ attempt: 3 });
  await inbox.complete('f');
  expect(await put('f')).toBeUndefined();
  await database.query(`DELETE FROM portico.delivery WHERE id = 'f'`);

  // What is done cannot fail any more.
  await inbox.fail('c', 'LATE');
  const rows = await database.query(
    'SELECT id, state, code, payload IS NULL AS empty FROM portico.delivery ORDER BY id',
  );
  expect(rows).toEqual([
    { id: 'a', state: 'stored', code: null, empty: false },
    { id: 'b', state: 'claimed', code: null, empty: false },
    { id: 'c', state: 'completed', code: null, empty: true },
    { id: 'd', state: 'failed', code: 'FORGE_DOWN', empty: false },
  ]);

  expect(await inbox.prune()).toBe(0);
  await database.query(`UPDATE portico.delivery SET changed_at = now() - interval '4 days 1 second'`);
  expect(await inbox.prune()).toBe(2);
  expect(await shared.pending()).toEqual(['a', 'b']);
});
