import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Octokit } from '@octokit/rest';
import { startForge, type LocalForge } from '@portico/localforge';
import type { RealisticOption } from '@portico/localforge/realism/settings';

import type { Environment } from '../../src/config/environment.ts';
import { createContentPools } from '../../src/isolation/content.ts';
import { serve, type RunningServer } from '../../src/main.ts';
import type { Job } from '../../src/reconcile/job.ts';
import {
  dashboardJob,
  downstreamJob,
  organizationBoardJob,
  repositorySweepJob,
} from '../../src/reconcile/jobs.ts';
import type { RepositoryRef } from '../../src/reconcile/ports.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { octokitAs } from '../e2e/octokit-as.ts';
import { configuration } from '../e2e/packages.ts';
import { copyStarted } from '../queue/store-templates.ts';
import { REALISTIC, RETRY_MS } from '../realistic.ts';
import { openForgeDoor, type Watch } from './forge-door.ts';
import { stageRepository, type StageRepository } from './stage-repository.ts';

export type Login = 'alice' | 'bob' | 'carol' | 'rita' | 'mona' | 'mallory' | 'stan' | 'octo_acme';

/** A write that took effect on the forge, token minting left out. */
export interface Write {
  readonly repo: string;
  readonly what: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The bot and the local forge in one process. alice owns the organization, bob and carol may write, rita may read; the
 * others may do what a repository's options say. octo_acme has the login of a person whom an enterprise manages.
 * Starting costs seconds, so a test file has one stage and many repositories on it.
 */
export interface Stage extends AsyncDisposable {
  readonly forge: LocalForge;
  /** Of the server that runs now. */
  server(): RunningServer;
  /** Of the bot. */
  readonly dataDirectory: string;
  /** Every line that the bot has logged. */
  readonly log: readonly string[];
  as(login: Login): Octokit;
  repository(name: string): StageRepository;
  /** Nothing is under way any more. */
  idle(): Promise<void>;
  /** Looks at everything, and waits for the end of it. */
  sweep(): Promise<void>;
  /** Looks at one repository, and waits for the end of it. */
  look(name: string): Promise<void>;
  /** Brings a repository's dashboard up to date now, or the one of the organisation that it keeps. */
  dashboard(name: string, which?: 'organization'): Promise<void>;
  /** Says now where the newest revisions of a package went. */
  downstream(name: string, directory: string): Promise<void>;
  /** What was written while that went on and until all is quiet; to one repository where it is named. */
  writesOf(work: () => Promise<unknown>, repo?: string): Promise<Write[]>;
  /** Sees every call that the bot makes of the API while the work goes on, and may answer in the forge's place. The stage must be `watched`. */
  watching<Result>(watch: Watch, work: () => Promise<Result>): Promise<Result>;
  stopBot(): Promise<void>;
  /** With other settings than before, where they are named; they stay. */
  startBot(changed?: Partial<Environment>): Promise<void>;
}

export interface StageRepositoryOptions {
  /** `spec` of the configuration; null: not registered. Default: main, one approval. */
  readonly spec?: string | null;
  readonly files?: Readonly<Record<string, string>>;
  readonly private?: boolean;
  /** Another organisation than the one that the others belong to. */
  readonly owner?: string;
  /** Roles of people, in place of the usual ones. */
  readonly collaborators?: Readonly<Partial<Record<Login, Role>>>;
}

type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export interface StageSettings {
  readonly tracesTo?: string;
  /** The bot reaches the forge through a door, for `watching`. */
  readonly watched?: boolean;
  /** The organisation's defaults say that its repositories share among themselves, and obey each other's documents. */
  readonly shares?: boolean;
  /** How real the forge is, in the place of the usual; false where a test says why. */
  readonly realistic?: RealisticOption | false;
  /** What the bot logs. Default: everything. */
  readonly logLevel?: 'trace' | 'warn';
  /** Of the bot, in the place of the usual. */
  readonly environment?: Partial<Environment>;
  /** `own`: the API is on another origin than git, as on github.com. */
  readonly apiOrigin?: 'own';
}

const OWNER = 'acme';
const USUAL = { bob: 'write', carol: 'write', rita: 'read' } as const;
const SHARES: StageRepositoryOptions = {
  spec: 'branch: main\nsharing: { within: organization }\ncontrolledBy: [acme/*]',
};
const PEOPLE: readonly Login[] = ['alice', 'bob', 'carol', 'rita', 'mona', 'mallory', 'stan', 'octo_acme'];

/** For all stages of a test process: starting them takes as long as many a test. They end with it. */
const contentPools = createContentPools();

/** The App's key in all of them: making one takes a tenth of a second. */
const appKey = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

/** Starts both with these repositories; each has a first commit on main. */
export async function startStage(
  wanted: Readonly<Record<string, StageRepositoryOptions>>,
  settings: StageSettings = {},
): Promise<Stage> {
  const repositories = settings.shares === true ? { '.github': SHARES, ...wanted } : wanted;
  const root = mkdtempSync(join(tmpdir(), 'portico-stage-'));
  const ownerOf = (name: string): string => repositories[name]?.owner ?? OWNER;
  const owners = [...new Set([OWNER, ...Object.keys(repositories).map(ownerOf)])];
  mkdirSync(join(root, 'forge'));
  writeFileSync(join(root, 'forge', 'app-private-key.pem'), appKey, { mode: 0o600 });
  const forge = await startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    ...(settings.apiOrigin && { apiOrigin: settings.apiOrigin }),
    realistic: settings.realistic ?? REALISTIC,
    config: {
      tokens: Object.fromEntries(PEOPLE.map((login) => [`${login}-token`, { login }])),
      users: PEOPLE.map((login) => ({ login })),
      orgs: owners.map((login) => ({
        login,
        members: { alice: 'admin' },
        teams: [{ slug: 'platform', members: ['alice'] }],
      })),
      repos: Object.entries(repositories).map(([name, options]) => ({
        owner: ownerOf(name),
        name,
        private: options.private ?? true,
        collaborators: { ...(options.collaborators ?? USUAL) },
      })),
      app: { installations: owners.map((account) => ({ account })) },
    },
  });
  await copyStarted(join(root, 'bot', 'store'));
  const door = settings.watched === true ? await openForgeDoor(forge.apiUrl) : null;
  let events = 0;
  const { emit } = forge.context;
  Object.assign(forge.context, {
    emit: (event: Parameters<typeof emit>[0]) => {
      events += 1;
      emit(event);
    },
  });
  const log: string[] = [];
  let server: RunningServer | undefined;
  const clients = new Map(PEOPLE.map((login) => [login, octokitAs(forge.apiUrl, `${login}-token`)]));
  const as = (login: Login): Octokit => clients.get(login)!;
  const repository = (name: string): StageRepository =>
    stageRepository({ forge, as, idle, owner: ownerOf(name), name });

  let settled: Partial<Environment> = settings.environment ?? {};

  async function startBot(changed: Partial<Environment> = {}): Promise<void> {
    settled = { ...settled, ...changed };
    server = await serve({
      contentPools,
      environment: {
        appId: forge.app.id,
        privateKey: forge.app.privateKeyPem,
        webhookSecrets: [forge.app.webhookSecret],
        apiUrl: door?.apiUrl ?? forge.apiUrl,
        gitUrl: forge.gitUrl,
        port: 0,
        host: '127.0.0.1',
        databaseUrl: undefined,
        dataDirectory: join(root, 'bot'),
        logLevel: settings.logLevel ?? 'trace',
        logFormat: 'json',
        contentPerMinute: 1_000_000,
        contentPerHour: 1_000_000,
        pointsPerMinute: 10_000_000,
        settleSeconds: 0,
        sweepMinutes: 1_000,
        retryMs: RETRY_MS,
        // Tests ask for dashboards; else they would be written in the middle of what is counted.
        dashboardSeconds: 1_000,
        metrics: true,
        tracesTo: settings.tracesTo,
        ...settled,
      },
      log: createLog({
        level: settings.logLevel ?? 'trace',
        secrets: [forge.app.webhookSecret, forge.app.privateKeyPem],
        stream: {
          write: (line) => {
            log.push(line);
            if (process.env['PORTICO_TEST_LOG'] === '1') process.stderr.write(line);
          },
        },
      }),
    });
    forge.setAppWebhookUrl(`${server.url}/api/github/webhooks`);
    await idle();
  }

  async function stopBot(): Promise<void> {
    forge.setAppWebhookUrl(null);
    await server?.stop(5_000);
    server = undefined;
  }

  async function idle(): Promise<void> {
    // Work makes events and events make work: quiet is when a whole round has made nothing new.
    let before: number;
    do {
      before = events;
      await forge.settled();
      await server?.idle();
      await forge.settled();
    } while (events !== before);
  }

  function refOf(name: string): RepositoryRef {
    const owner = ownerOf(name);
    const { id, ownerId } = forge.context.records.repositoryByName(owner, name)!;
    const installation = forge.context.records.installations
      .all()
      .find(({ accountId }) => accountId === ownerId)!;
    return { installationId: installation.id, id, owner, name };
  }

  async function enqueue(job: Job): Promise<void> {
    await server?.bot.queue.enqueue({ ...job, data: { ...job.data } as never });
    await idle();
  }

  async function writesOf(work: () => Promise<unknown>, repo?: string): Promise<Write[]> {
    const writes: Write[] = [];
    const off = forge.onEffect((effect) => {
      if (effect.repo === '' || (repo !== undefined && effect.repo !== `${ownerOf(repo)}/${repo}`)) return;
      writes.push({ repo: effect.repo, what: `${effect.method} ${effect.route}`, detail: effect.detail });
    });
    try {
      await work();
      await idle();
    } finally {
      off();
    }
    return writes;
  }

  for (const [name, { spec = DEFAULT_SPEC, files = {} }] of Object.entries(repositories)) {
    await repository(name).seed({
      ...files,
      ...(spec === null ? {} : { '.github/portico.yaml': configuration(name, spec) }),
    });
  }
  await startBot();
  return {
    dataDirectory: join(root, 'bot'),
    forge,
    server: () => server!,
    log,
    as,
    repository,
    idle,
    async sweep() {
      await server?.bot.sweep();
      await idle();
    },
    async look(name) {
      await enqueue(repositorySweepJob(refOf(name)));
    },
    async dashboard(name, which) {
      const asked = which === undefined ? dashboardJob(refOf(name)) : organizationBoardJob(refOf(name));
      const { startAfterSeconds: _later, ...job } = asked;
      await enqueue(job);
    },
    async downstream(name, directory) {
      await enqueue(downstreamJob({ repository: refOf(name), directory: repositoryDirectory(directory) }, 0));
    },
    writesOf,
    async watching(watch, work) {
      if (door === null) throw new Error('start the stage as watched');
      door.watch(watch);
      try {
        return await work();
      } finally {
        door.watch(null);
      }
    },
    stopBot,
    startBot,
    async [Symbol.asyncDispose]() {
      await stopBot();
      await door?.[Symbol.asyncDispose]();
      await forge.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const DEFAULT_SPEC = 'branch: main\npublish: { requireApprovals: 1 }';
