import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Client } from 'pg';

const run = promisify(execFile);

export interface PostgresServer extends AsyncDisposable {
  /** The address of the database `postgres`. */
  readonly url: string;
  /** The address of a new, empty database. The server listens at 127.0.0.2, too. */
  createDatabase(): Promise<string>;
  /** Ends it without warning, as a crash does, and starts it again at the same address. */
  restart(): Promise<void>;
}

/**
 * Starts a throw-away PostgreSQL server on a free port of 127.0.0.1, from Debian's or the PATH's binaries.
 * Null where there are none; callers must then skip loudly.
 */
export async function startPostgres(): Promise<PostgresServer | null> {
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
  if (bin === undefined || !existsSync(join(bin, 'initdb'))) return null;
  const root = await mkdtemp(join(tmpdir(), 'portico-postgres-'));
  // PostgreSQL refuses to run as root.
  const asRoot = userInfo().uid === 0;
  const as = (program: string, ...args: string[]) => {
    const line = [join(bin, program), ...args];
    return asRoot
      ? run('runuser', ['-u', 'postgres', '--', ...line], { cwd: '/' })
      : run(line[0]!, line.slice(1));
  };
  await chmod(root, 0o777);
  const data = join(root, 'data');
  const port = await freePort();
  await as('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C');
  const settings = `-p ${port} -h 127.0.0.1,127.0.0.2 -k ${root} -F -c max_connections=60`;
  const start = () => as('pg_ctl', '-D', data, '-w', '-l', join(root, 'log'), '-o', settings, 'start');
  await start();
  const address = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let databases = 0;
  return {
    url: address('postgres'),
    async createDatabase() {
      const name = `test${(databases += 1)}`;
      const client = new Client(address('postgres'));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return address(name);
    },
    async restart() {
      await as('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      await start();
    },
    async [Symbol.asyncDispose]() {
      await as('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => {});
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
