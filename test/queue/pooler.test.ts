// @module-tag postgresql
// @module-tag pgbouncer
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { openDatabase } from '../../src/queue/open-database.ts';
import { createSharedLock } from '../../src/replica/shared-lock.ts';
import { eventually } from '../e2e/eventually.ts';
import { freePort } from '../e2e/portico-process.ts';
import { startPostgres, type PostgresServer } from './postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = (await startPostgres())!;
});
afterAll(() => server[Symbol.asyncDispose]());

interface Pooler extends AsyncDisposable {
  readonly url: string;
}

/** A real PgBouncer before a new database, with as few connections to the server as it can do with. */
async function startPooler(mode: 'session' | 'transaction'): Promise<Pooler> {
  const { hostname, port, pathname } = new URL(await server.createDatabase());
  const root = await mkdtemp(join(tmpdir(), 'portico-pooler-'));
  await chmod(root, 0o777);
  const listening = await freePort();
  const settings = `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 100
default_pool_size = 50
`;
  const file = join(root, 'pgbouncer.ini');
  await writeFile(file, settings.replace('* =', `${pathname.slice(1)} = user=postgres`));
  const isRoot = userInfo().uid === 0;
  const line = isRoot ? ['runuser', '-u', 'postgres', '--', '/usr/sbin/pgbouncer'] : ['pgbouncer'];
  const child = spawn(line[0]!, [...line.slice(1), '-q', file], { cwd: '/', stdio: 'ignore' });
  return {
    url: `postgres://postgres@127.0.0.1:${listening}${pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await rm(root, { recursive: true, force: true });
    },
  };
}

test('PgBouncer that pools by session keeps locks and notifications apart', async () => {
  await using pooler = await startPooler('session');
  await eventually('the pooler', async () => {
    await using database = await openDatabase({ url: pooler.url });
    return database.engine === 'postgres';
  });
  await using one = await openDatabase({ url: pooler.url });
  await using other = await openDatabase({ url: pooler.url });
  const heard = Promise.withResolvers<string>();
  await other.listen('a_channel', heard.resolve);
  await one.query('SELECT pg_notify($1, $2)', ['a_channel', 'hello']);
  expect(await heard.promise).toBe('hello');
  const order: string[] = [];
  const begun = Promise.withResolvers<void>();
  const first = createSharedLock(one).run('key', async () => {
    begun.resolve();
    await new Promise((resolve) => setTimeout(resolve, 300));
    order.push('the first ends');
  });
  await begun.promise;
  await createSharedLock(other).run('key', async () => void order.push('the second begins'));
  await first;
  expect(order).toEqual(['the first ends', 'the second begins']);
});

test('PgBouncer that pools by transaction is refused at the start, with the remedy', async () => {
  await using pooler = await startPooler('transaction');
  await eventually('the refusal', async () => {
    const refusal: unknown = await openDatabase({ url: pooler.url }).catch((error: unknown) => error);
    return (refusal as { code?: string }).code === 'DATABASE_POOLED';
  });
  await expect(openDatabase({ url: pooler.url })).rejects.toMatchObject({
    code: 'DATABASE_POOLED',
    hint: expect.stringContaining('pool_mode = session') as string,
  });
});
