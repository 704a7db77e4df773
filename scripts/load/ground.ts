/** The local forge with many repositories in this process, and the bot beside it: one process, or two on one PostgreSQL. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';

import { startBotProcess } from '../../test/e2e/bot-process.ts';
import { freePort, type PorticoProcess } from '../../test/e2e/portico-process.ts';
import { startPostgres } from '../../test/queue/postgres.ts';

export const OWNER = 'acme';
export const TOKEN = 'alice-token';

export interface Bot {
  readonly process: PorticoProcess;
  readonly port: number;
  readonly pid: number;
  readonly data: string;
}

export interface LoadGround extends AsyncDisposable {
  readonly forge: LocalForge;
  readonly repositories: readonly string[];
  readonly bots: readonly Bot[];
  /** Of the server that the bots share; undefined where each has an embedded one. */
  readonly databaseUrl: string | undefined;
}

/** @throws when PostgreSQL is asked for and is not installed */
export async function startLoad(options: {
  readonly repositories: number;
  readonly postgres: boolean;
  /** A directory for CPU profiles of the bots; they are written when those end. */
  readonly profile?: string | undefined;
}): Promise<LoadGround> {
  await using started = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'portico-load-'));
  started.defer(() => rmSync(root, { recursive: true, force: true }));
  const names = Array.from({ length: options.repositories }, (_, at) => `r${at}`);
  const seed = join(root, 'seed');
  writeSeed(seed);
  const forge = started.use(
    await startForge({
      dataDir: join(root, 'forge'),
      manifestFile: 'app.yml',
      config: {
        tokens: { [TOKEN]: { login: 'alice' }, 'bob-token': { login: 'bob' } },
        users: [{ login: 'alice' }, { login: 'bob' }],
        orgs: [{ login: OWNER, members: { alice: 'admin' }, teams: [] }],
        repos: names.map((name) => ({
          owner: OWNER,
          name,
          private: true,
          collaborators: { bob: 'write' as const },
          from: seed,
        })),
        app: { installations: [{ account: OWNER, repositories: 'all' }] },
      },
    }),
  );
  const server = options.postgres ? await startPostgres() : undefined;
  if (server === null) throw new Error('no PostgreSQL binaries in /usr/lib/postgresql');
  if (server !== undefined) started.use(server);
  const databaseUrl = await server?.createDatabase();
  const bots: Bot[] = [];
  for (const name of options.postgres ? ['a', 'b'] : ['a']) {
    const data = join(root, name);
    mkdirSync(data);
    const port = await freePort();
    const process = await startBotProcess({
      forge,
      data,
      port,
      ...(databaseUrl !== undefined && { databaseUrl }),
      env: {
        LOG_LEVEL: 'error',
        SWEEP_MINUTES: '15',
        ...(options.profile !== undefined && {
          NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(options.profile)}`,
        }),
      },
    });
    started.use(process);
    bots.push({ process, port, pid: process.child.pid ?? 0, data });
  }
  const front = started.use(await inTurns(bots.map(({ port }) => port)));
  forge.setAppWebhookUrl(`${front.url}/api/github/webhooks`);
  const parts = started.move();
  return { forge, repositories: names, bots, databaseUrl, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

function writeSeed(folder: string): void {
  const files = {
    'README.md': '# Packages\n',
    '.github/portico.yaml':
      'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: load }\nspec: { branch: main, publish: { requireApprovals: 0 } }\n',
    'web/Kptfile':
      'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n  labels:\n    team: shop\npipeline:\n  mutators:\n    - image: set-labels:v0.2\n      configMap: { team: shop }\n',
    'web/config.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  labels:\n    team: shop\ndata:\n  run: "0"\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Hands each request to the next of the ports, as a balancer does. */
async function inTurns(ports: readonly number[]): Promise<AsyncDisposable & { readonly url: string }> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const port = ports[(turn += 1) % ports.length];
    const { url, method, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
