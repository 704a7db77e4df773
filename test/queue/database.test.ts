import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Session } from '../../src/queue/database.ts';
import { openDatabase } from '../../src/queue/open-database.ts';
import { createSharedLock } from '../../src/replica/shared-lock.ts';
import { placeEmbedded, onEach, startEngines } from './engines.ts';
import { startPostgres } from './postgres.ts';

const engines = await startEngines();
afterAll(() => engines[Symbol.asyncDispose]());

onEach(engines, (engine) => {
  test('opens, migrates once, opens again with its content', async () => {
    await using place = await engine.place();
    {
      await using database = await place.open();
      await database.query(`INSERT INTO portico.delivery (id, event, state) VALUES ($1, 'push', 'stored')`, [
        'a',
      ]);
    }
    await using database = await place.open();
    expect(await database.query('SELECT id FROM portico.delivery')).toEqual([{ id: 'a' }]);
    expect(
      await database.query('SELECT count(*)::int AS steps, max(version) AS last FROM portico.migration'),
    ).toEqual([{ steps: 4, last: 4 }]);
  });

  test('a transaction that throws leaves nothing, and the database usable', async () => {
    await using place = await engine.place();
    await using database = await place.open();
    await database.exec('CREATE TABLE t (a int primary key)');
    const failing = database.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      await tx.query('INSERT INTO t VALUES (1)');
    });
    await expect(failing).rejects.toThrow(/duplicate/);
    await expect(database.exec('BEGIN; INSERT INTO t VALUES (2); SELECT 1/0; COMMIT;')).rejects.toThrow(
      /zero/,
    );
    expect(await database.query('SELECT * FROM t')).toEqual([]);
    expect(
      await database.transaction((tx) => tx.query('INSERT INTO t VALUES ($1) RETURNING a', [7])),
    ).toEqual([{ a: 7 }]);
    await database.exec('VACUUM');
    expect(await database.exec('SELECT 1 AS a; SELECT 2 AS a')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('a NOTIFY reaches a listener', async () => {
    await using place = await engine.place();
    await using database = await place.open();
    const heard = Promise.withResolvers<string>();
    const stop = await database.listen('a_channel', heard.resolve);
    await database.query('SELECT pg_notify($1, $2)', ['a_channel', 'hello']);
    expect(await heard.promise).toBe('hello');
    await stop();
  });

  test('a database of a later version is refused', async () => {
    await using place = await engine.place();
    {
      await using database = await place.open();
      await database.query('INSERT INTO portico.migration (version) VALUES (99)');
    }
    await expect(place.open()).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
  });
});

describe('PostgreSQL alone', { tags: ['postgresql'] }, () => {
  test('ten that start at once on an empty database all succeed', async () => {
    await using place = await engines.postgres.place();
    const all = await Promise.all(Array.from({ length: 10 }, () => place.open()));
    expect(await all[0]!.query('SELECT count(*)::int AS n FROM portico.migration')).toEqual([{ n: 4 }]);
    for (const database of all) await database.close();
  });

  test('a listener whose connection was cut hears again, and is told that it may have missed something', async () => {
    await using place = await engines.postgres.place();
    await using database = await place.open();
    const heard: string[] = [];
    let next = Promise.withResolvers<void>();
    const stop = await database.listen('c', (payload) => {
      heard.push(payload);
      next.resolve();
    });
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`);
    await next.promise;
    next = Promise.withResolvers();
    await database.query(`SELECT pg_notify('c', 'again')`);
    await next.promise;
    expect(heard).toEqual(['', 'again']);
    await stop();
  });

  test('an unreachable server is an error without the address', async () => {
    const opening = openDatabase({ url: 'postgres://me:hunter22@127.0.0.1:1/x' });
    await expect(opening).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE', blame: 'forge' });
    expect(JSON.stringify(await opening.catch((error: Error) => [error.message, error.stack]))).not.toContain(
      'hunter22',
    );
  });
});

describe('PGlite alone', () => {
  let parent = '';
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'portico-first-'));
  });
  afterAll(() => rm(parent, { recursive: true }));

  test('makes a directory that is not there, and forgets one that was half made', async () => {
    const dataDir = join(parent, 'some', 'where');
    await (await openDatabase({ dataDir })).close();
    expect((await readdir(dataDir)).filter((name) => name.includes('new'))).toEqual([]);
  });

  test('a second opener is refused with the holder named, until the first has closed', async () => {
    await using place = await placeEmbedded();
    const first = await place.open();
    await expect(place.open()).rejects.toMatchObject({
      code: 'DATABASE_LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await first.close();
    await (await place.open()).close();
  });

  test('another process is refused while this one lives, and a killed one leaves no lock behind', async () => {
    await using place = await placeEmbedded();
    const module = new URL('../../src/queue/open-database.ts', import.meta.url).href;
    const script = `
      import { openDatabase } from '${module}';
      await openDatabase(${JSON.stringify(place.options)}).then(
        () => { console.log('opened'); process.kill(process.pid, 'SIGKILL'); },
        (error) => console.log(error.code));`;
    const attempt = async () => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
      const said = text(child.stdout);
      await once(child, 'exit');
      return (await said).trim();
    };
    {
      await using _held = await place.open();
      expect(await attempt()).toBe('DATABASE_LOCKED');
    }
    expect(await attempt()).toBe('opened');
    await (await place.open()).close();
  });

  test('no place at all is an error that names the variables', async () => {
    await expect(openDatabase({})).rejects.toMatchObject({
      code: 'CONFIG_DATABASE',
      hint: expect.stringContaining('DATABASE_URL'),
    });
  });
});

test(
  'a lock holds in all processes, and goes with the connection of a process that dies',
  { tags: ['postgresql'] },
  async () => {
    await using place = await engines.postgres.place();
    await using a = await place.open();
    await using b = await place.open();
    const sessions: Session[] = [];
    const session = async (): Promise<Session> => {
      sessions.push(await a.session!());
      return sessions.at(-1)!;
    };
    const [first, second] = [createSharedLock({ ...a, session }), createSharedLock(b)];
    const order: string[] = [];
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = first.run('key', async () => {
      order.push('first begins');
      begun.resolve();
      await end.promise;
      order.push('first ends');
    });
    await begun.promise;
    const waits = second.run('key', async () => void order.push('second'));
    await second.run('another key', async () => void order.push('another'));
    end.resolve();
    await Promise.all([held, waits]);
    expect(order).toEqual(['first begins', 'another', 'first ends', 'second']);

    const never = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const dead = first.run('key', async () => {
      taken.resolve();
      await never.promise;
    });
    await taken.promise;
    const [{ pid }] = (await sessions.at(-1)!.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')) as [
      { pid: number },
    ];
    await b.query('SELECT pg_terminate_backend($1)', [pid]);
    await second.run('key', async () => void order.push('after the death'));
    expect(order.at(-1)).toBe('after the death');
    never.resolve();
    await dead;
    // The next one takes a new connection.
    await first.run('key', async () => void order.push('again'));
    expect(sessions).toHaveLength(2);
  },
);

test('a server that ends is known as unreachable, whatever was asked', { tags: ['postgresql'] }, async () => {
  await using server = (await startPostgres())!;
  await using database = await openDatabase({ url: await server.createDatabase() });
  const asks = [
    () => database.query('SELECT pg_sleep(60)'),
    () => database.exec('SELECT pg_sleep(60)'),
    () => database.transaction((tx) => tx.query('SELECT pg_sleep(60)')),
  ];
  const asked = Promise.all(asks.map((ask) => ask().catch((error: unknown) => error)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await server.restart();
  for (const error of await asked)
    expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE', blame: 'forge' });
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test(
  'a process that hangs inside a transaction and a lock holds up the others for seconds, not for as long as it hangs',
  { tags: ['postgresql'] },
  async () => {
    await using place = await engines.postgres.place();
    await using healthy = await place.open();
    const script = `
      const { openDatabase } = await import(${JSON.stringify(new URL('../../src/queue/open-database.ts', import.meta.url).href)});
      const { createSharedLock } = await import(${JSON.stringify(new URL('../../src/replica/shared-lock.ts', import.meta.url).href)});
      const database = await openDatabase(${JSON.stringify(place.options)});
      await createSharedLock(database).run('key', () => database.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(42)');
        console.log('holds both');
        await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      }));`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
    try {
      await once(child.stdout, 'data');
      child.kill('SIGSTOP');
      const [{ holders }] = (await healthy.query<{ holders: number }>(
        `SELECT count(DISTINCT pid)::int AS holders FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE locktype = 'advisory' AND application_name LIKE '%/${child.pid}'`,
      )) as [{ holders: number }];
      expect(holders).toBe(2);
      await Promise.all([
        createSharedLock(healthy).run('key', () => Promise.resolve()),
        healthy.query('SELECT pg_advisory_lock(42)'),
      ]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

test(
  'a lock that its process renews is kept while the process works',
  { tags: ['postgresql', 'story'] },
  async () => {
    await using place = await engines.postgres.place();
    await using a = await place.open();
    await using b = await place.open();
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const long = createSharedLock(a).run('key', async () => {
      begun.resolve();
      // Longer than the server waits for a session that says nothing.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      order.push('the first ends');
    });
    await begun.promise;
    await createSharedLock(b).run('key', async () => void order.push('the second begins'));
    await long;
    expect(order).toEqual(['the first ends', 'the second begins']);
  },
);
