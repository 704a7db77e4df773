import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Octokit } from '@octokit/rest';
import { startForge, type LocalForge } from '@portico/localforge';

import { copyStarted } from '../queue/store-templates.ts';
import { REALISTIC } from '../realistic.ts';
import { stageRepository, type StageRepository } from '../reconcile/stage-repository.ts';
import type { Login } from '../reconcile/stage.ts';
import { quiet, startBotProcess, type BotSettings } from './bot-process.ts';
import { openFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { octokitAs } from './octokit-as.ts';
import { freePort, type PorticoProcess } from './portico-process.ts';

export const OWNER = 'acme';
const PEOPLE: readonly Login[] = ['alice', 'bob', 'carol', 'rita'];

/** A forge, a proxy in front of it that the bot takes for the forge, and the data of both, which can be copied. */
export interface FaultStage extends AsyncDisposable {
  /** Names of the repositories on the forge. */
  readonly repositories: readonly string[];
  readonly data: string;
  readonly forge: LocalForge;
  readonly proxy: FaultProxy;
  repository(name: string): StageRepository;
  as(login: Login): Octokit;
  startBot(settings?: Pick<BotSettings, 'env' | 'databaseUrl'>): Promise<PorticoProcess>;
  /** The bot that runs has nothing left to do. */
  quiet(seconds?: number): Promise<void>;
  /** Ends everything and keeps the data; disposing removes them too. */
  close(): Promise<void>;
}

export interface Ground {
  readonly root: string;
  readonly forgePort: number;
  readonly proxyPort: number;
  readonly botPort: number;
  /** Opens new data, or a copy of what was prepared. */
  open(name: string, copyOf?: string): Promise<FaultStage>;
  remove(): void;
}

/** Ports that stay the same, because addresses stand in the content; `env` is of every bot on it. */
export async function makeGround(
  repositories: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ground> {
  const root = mkdtempSync(join(tmpdir(), 'portico-faults-'));
  const [forgePort, proxyPort, botPort] = [await freePort(), await freePort(), await freePort()];
  let opened = 0;
  return {
    root,
    forgePort,
    proxyPort,
    botPort,
    async open(name, copyOf) {
      const data = join(root, name === copyOf || copyOf === undefined ? name : `${name}-${(opened += 1)}`);
      if (copyOf === undefined) await copyStarted(join(data, 'bot', 'store'));
      else cpSync(join(root, copyOf), data, { recursive: true });
      const forge = await startForge({
        dataDir: join(data, 'forge'),
        manifestFile: 'app.yml',
        port: forgePort,
        realistic: REALISTIC,
        ...(copyOf === undefined && { config: configOf(repositories) }),
      });
      const proxy = await openFaultProxy(forgePort, proxyPort);
      forge.setAppWebhookUrl(`http://127.0.0.1:${botPort}/api/github/webhooks`);
      return stageOf({ repositories, data, forge, proxy, botPort, env });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function configOf(repositories: readonly string[]): NonNullable<Parameters<typeof startForge>[0]['config']> {
  return {
    tokens: Object.fromEntries(PEOPLE.map((login) => [`${login}-token`, { login }])),
    users: PEOPLE.map((login) => ({ login })),
    orgs: [{ login: OWNER, members: { alice: 'admin' }, teams: [] }],
    repos: repositories.map((name) => ({
      owner: OWNER,
      name,
      private: true,
      collaborators: { bob: 'write' as const, carol: 'write' as const, rita: 'read' as const },
    })),
    app: { installations: [{ account: OWNER, repositories: 'all' as const }] },
  };
}

function stageOf(parts: {
  readonly repositories: readonly string[];
  readonly data: string;
  readonly forge: LocalForge;
  readonly proxy: FaultProxy;
  readonly botPort: number;
  readonly env: Readonly<Record<string, string>>;
}): FaultStage {
  const { repositories, data, forge, proxy, botPort, env } = parts;
  const clients = new Map(PEOPLE.map((login) => [login, octokitAs(forge.apiUrl, `${login}-token`)]));
  const as = (login: Login): Octokit => clients.get(login)!;
  let running: PorticoProcess | undefined;
  const idle = async (): Promise<void> => {
    if (running !== undefined && running.child.exitCode === null) await quiet(forge, botPort);
  };
  return {
    repositories,
    data,
    forge,
    proxy,
    as,
    repository: (name) => stageRepository({ forge, as, idle, owner: OWNER, name }),
    async startBot(settings = {}) {
      running = await startBotProcess({
        forge,
        data,
        port: botPort,
        host: new URL(proxy.url).host,
        ...settings,
        // Compiled code is kept for the next start.
        env: { XDG_CACHE_HOME: dirname(data), ...env, ...settings.env },
      });
      return running;
    },
    quiet: (seconds) => quiet(forge, botPort, seconds),
    close,
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(data, { recursive: true, force: true });
    },
  };

  async function close(): Promise<void> {
    await running?.end('SIGKILL');
    await proxy[Symbol.asyncDispose]();
    await forge.close();
  }
}
