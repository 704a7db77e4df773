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

  // A dead process left `a` and `b`; what it had claimed can be claimed again.
  expect(await inbox.pending()).toEqual(['a', 'b']);
  expect(await inbox.pending(1)).toEqual(['a']);
  expect(await inbox.claim('b')).toMatchObject({ attempt: 2, payload: { id: 'b' } });
  expect(await inbox.claim('nowhere')).toBeUndefined();

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
  expect(await inbox.pending()).toEqual(['a', 'b']);
});
