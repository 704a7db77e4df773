import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { getRequestListener } from '@hono/node-server';

import { makeAccess } from './access.ts';
import { runActions } from './actors/actions.ts';
import { openApp, replaceAppKey } from './app-identity.ts';
import { readManifest, type AppManifest } from './app-manifest.ts';
import { applyConfig } from './apply-config.ts';
import { issueWorkflowToken } from './auth.ts';
import { hurryBackground } from './background.ts';
import { openBareRepository } from './bare-repository.ts';
import { pressAction } from './checks/rerequest.ts';
import { addCollaboration, collaborationSettled } from './collaboration.ts';
import { parseForgeConfig } from './config.ts';
import type { ForgeConfig } from './config.ts';
import type { AppIdentity, Effect, ForgeContext } from './context.ts';
import { addCoreRoutes } from './core-routes.ts';
import { ForgeError } from './error.ts';
import { observed } from './exchanges.ts';
import type { ExchangeListener } from './exchanges.ts';
import { foreignObjection } from './foreign-request.ts';
import { makeGitHttp } from './git-http.ts';
import { demandGit } from './git-process.ts';
import type { GitRepository } from './git-repository.ts';
import { holdGitStarter } from './git-starter.ts';
import { writePushHook } from './push-hook.ts';
import { withNulls } from './realism/nulls.ts';
import { writeLateHeads } from './realism/pull-ref-lag.ts';
import { pointsOf, realismOf } from './realism/settings.ts';
import type { RealisticOption } from './realism/settings.ts';
import { openRecords } from './records-store.ts';
import type { Permissions } from './records.ts';
import { makeRefService } from './ref-service.ts';
import { forgetOldDeliveries } from './rest/deliveries.ts';
import { makeRouter } from './router.ts';
import { makeApi } from './server.ts';
import { openStore } from './store.ts';
import { makeUrls } from './urls.ts';
import { withPages } from './web/web-face.ts';
import { startSender } from './webhook-sender.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { Knobs } from './webhook-types.ts';
import { appHook, appHooks, storeDeliveries } from './webhook.ts';

export interface ForgeOptions {
  /**
   * Everything is kept here; started again on it, the forge goes on where it was. Default: a temporary directory that is removed
   * when the forge is closed.
   */
  readonly dataDir?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The host name in its own addresses, where clients reach it by another than `host`. */
  readonly name?: string;
  readonly config?: ForgeConfig;
  /** Where relative `from` paths of the configuration start. Default: the working directory. */
  readonly configDirectory?: string;
  /** Who the App is and what it asks for. Default: `Local App`, with what bots of pull requests commonly ask for. */
  readonly manifest?: AppManifest;
  /** The manifest of a GitHub App to read it from instead, in YAML or JSON. */
  readonly manifestFile?: string;
  /** Behaves as people have seen GitHub behave: late, out of step, refusing for a moment. Default: off. */
  readonly realistic?: RealisticOption | false;
  /**
   * `own`: the API is at the root of another origin than git and the pages, as on github.com (`api.github.com`) and for tenants
   * with data residency (`api.SUBDOMAIN.ghe.com`; integrations/terraform-provider-github#2546). Default: below `/api/v3`, as on
   * GitHub Enterprise Server.
   */
  readonly apiOrigin?: 'own' | 'same';
  readonly log?: (message: string, detail?: Readonly<Record<string, unknown>>) => void;
}

export interface LocalForge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `…/api/v3`, or the API's own origin. */
  readonly apiUrl: string;
  /** Before `/<owner>/<repo>.git`. */
  readonly gitUrl: string;
  readonly app: AppIdentity;
  readonly knobs: Knobs;
  /** For the web face and for tests of the forge itself. */
  readonly context: ForgeContext;
  /** Where the App's webhooks go; null: nowhere. Kept. */
  setAppWebhookUrl(url: string | null): void;
  /**
   * Gives the App another private key in the place of the one that it has, as its owner does on the page of the App
   * (docs.github.com, "Managing private keys for GitHub Apps"), and answers the new one. Tokens that were made stay good.
   */
  replaceAppKey(): string;
  /**
   * Makes a token as a workflow of that repository (`owner/name`) has it, with what its `permissions` say.
   * @throws ForgeError FORGE_CONFIG where there is no such repository
   */
  workflowToken(repository: string, permissions: Permissions): string;
  /** The listener is awaited after each write took effect and before it is answered. Returns a function that takes it off. */
  onEffect(listener: (effect: Effect) => void | Promise<void>): () => void;
  /** The listener sees every REST and GraphQL call. Returns a function that takes it off. */
  onExchange(listener: ExchangeListener): () => void;
  /**
   * Presses a button of a completed check run as that user does on its page: GitHub has no REST for it.
   * @throws a 422 refusal when the run has no such button
   */
  pressCheckAction(runId: number, identifier: string, login: string): void;
  /** Resolves when nothing is computed in the background and no webhook is pending or in flight. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts GitHub in a box: REST, git over HTTP and webhooks over the data directory.
 * @throws ForgeError FORGE_CONFIG, FORGE_MANIFEST, FORGE_DATA_IN_USE, IMPORT_FAILED, GIT_MISSING, GIT_TOO_OLD, or FORGE_PORT when it cannot listen
 */
export async function startForge(options: ForgeOptions): Promise<LocalForge> {
  using starting = new DisposableStack();
  starting.use(holdGitStarter());
  const dataDir = options.dataDir ?? temporaryDirectory(starting);
  const config = parseForgeConfig(options.config ?? {});
  const manifest = options.manifest ?? readManifest(options.manifestFile);
  await demandGit();
  mkdirSync(join(dataDir, 'repos'), { recursive: true });
  const host = options.host ?? '127.0.0.1';
  const store = openStore(join(dataDir, 'forge.sqlite'));
  const records = openRecords(store);
  const listeners = new Set<(effect: Effect) => void | Promise<void>>();
  const exchangeListeners = new Set<ExchangeListener>();
  const repositories = new Map<number, GitRepository>();
  const refs = makeRefService(() => context);
  let origin = '';
  let apiOrigin: string | undefined;
  let sender: WebhookSender | undefined;

  const context: ForgeContext = {
    store,
    records,
    refs,
    app: openApp(dataDir, { store, records, now: secondsOf(new Date()) }, manifest),
    access: makeAccess(records),
    urls: makeUrls(
      () => origin,
      (ownerId) => records.account(ownerId).login,
      () => apiOrigin,
    ),
    knobs: defaultKnobs(options.realistic),
    dataDir,
    git: (repository) => {
      const present = repositories.get(repository.id);
      if (present !== undefined) return present;
      const opened = openBareRepository(join(dataDir, 'repos', `${repository.id}.git`));
      repositories.set(repository.id, opened);
      return opened;
    },
    clock: () => new Date(),
    now: () => secondsOf(new Date()),
    emit: (event) => {
      const deliveries = storeDeliveries(context, withNulls(context, event));
      store.afterCommit(() => {
        deliveries.forEach((delivery) => sender?.enqueue(delivery));
        runActions(context, event);
      });
    },
    effect: async (effect) => {
      for (const listener of listeners) await listener(effect);
    },
    log: options.log ?? (() => {}),
  };

  const router = makeRouter();
  addCoreRoutes(context, router, (delivery) => sender?.enqueue(delivery));
  addCollaboration(context, router);
  const gitHttp = makeGitHttp(context, refs, await writePushHook(dataDir));
  const api = observed(exchangeListeners, makeApi(context, router).fetch);
  const rest = getRequestListener(withPages(context, router, api));
  const apiAlone = getRequestListener(api);
  const isRefused = (request: IncomingMessage, response: ServerResponse): boolean => {
    const objection = foreignObjection(request, origin);
    if (objection === undefined) return false;
    const { status, message } = objection;
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ message }));
    return true;
  };
  const apiServer =
    options.apiOrigin === 'own'
      ? createServer((request, response) => {
          if (!isRefused(request, response)) void apiAlone(request, response);
        })
      : undefined;
  const server = createServer((request, response) => {
    if (isRefused(request, response)) return;
    if (apiServer !== undefined && request.url?.startsWith('/api/') === true) {
      response.writeHead(404).end();
    } else if (!gitHttp.handle(request, response)) void rest(request, response);
  });
  const stopAll = async (): Promise<void> => {
    await stop(server);
    if (apiServer !== undefined) await stop(apiServer);
  };

  try {
    const name = options.name ?? nameOf(host);
    origin = `http://${name}:${await listen(server, options.port ?? 0, host)}`;
    if (apiServer !== undefined) apiOrigin = `http://${name}:${await listen(apiServer, 0, host)}`;
    await refs.recover();
    await writeLateHeads(context);
    await applyConfig(context, config, {
      configDirectory: options.configDirectory ?? process.cwd(),
      manifest,
    });
  } catch (error) {
    await stopAll();
    store.close();
    throw error;
  }
  forgetOldDeliveries(context);
  const running = startSender(context);
  for (const delivery of records.deliveries.find('state', ['pending'])) running.enqueue(delivery);
  sender = running;

  const held = starting.move();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      await stopAll();
      hurryBackground(context);
      await collaborationSettled(context);
      await running.close();
      for (const repository of repositories.values()) await repository.close();
      store.close();
      held.dispose();
    })();
    return closed;
  };
  return {
    url: origin,
    apiUrl: context.urls.api,
    gitUrl: origin,
    app: context.app,
    knobs: context.knobs,
    context,
    setAppWebhookUrl: (url) => {
      appHooks(context).update(appHook(context).id, { url });
    },
    replaceAppKey() {
      Object.assign(context.app, replaceAppKey(context.app));
      return context.app.privateKeyPem;
    },
    workflowToken(repository, permissions) {
      const [owner = '', name = ''] = repository.split('/');
      const found = records.repositoryByName(owner, name);
      if (found === undefined) throw new ForgeError('FORGE_CONFIG', `There is no repository ${repository}.`);
      return issueWorkflowToken(context, found, permissions);
    },
    onEffect: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onExchange: (listener) => {
      exchangeListeners.add(listener);
      return () => exchangeListeners.delete(listener);
    },
    pressCheckAction: (runId, identifier, login) => {
      pressAction(context, runId, identifier, login);
    },
    settled: async () => {
      await collaborationSettled(context);
      await running.settled();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function temporaryDirectory(until: DisposableStack): string {
  const directory = mkdtempSync(join(tmpdir(), 'localforge-'));
  until.defer(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const secondsOf = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

const defaultKnobs = (realistic: ForgeOptions['realistic']): Knobs => ({
  webhooks: { lose: 0, duplicate: 0, reorder: 0, delay: 0, seed: 1 },
  secondaryLimit: null,
  nextMerges: null,
  realism: realismOf(realistic),
  rateLimit: 1_000_000,
  points: pointsOf(realistic),
  graphqlFault: null,
});

/** How this machine reaches an address to listen on: one that means every address has no name of its own. */
function nameOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host;
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new ForgeError('FORGE_PORT', `Cannot listen on ${host}:${port}.`, {
      hint: 'Choose another port, or 0 for a free one.',
      cause,
    });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
