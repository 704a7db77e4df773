/**
 * The bot without its door: queue, forge, mirrors and reconcilers, wired. An event goes in, and the state of the forge
 * follows.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { createCatalog } from '../catalog/catalog.ts';
import { createSharedCatalog } from '../catalog/shared-catalog.ts';
import { OUTSIDE_MEGABYTES, sealSecrets, type Environment } from '../config/environment.ts';
import { connectForge } from '../forge/forge.ts';
import { containerSettings } from '../function/container/settings.ts';
import { createRuntime } from '../function/runtime.ts';
import { sshSigner } from '../git/ssh-signature.ts';
import { grouped } from '../intake/grouped.ts';
import { createContentWork, type ContentPools } from '../isolation/content.ts';
import { openQuarantine } from '../isolation/quarantine.ts';
import { gitReach } from '../network/git-reach.ts';
import { parseInsideHosts } from '../network/inside-host.ts';
import { createOutsideFetch } from '../network/outside-fetch.ts';
import { createToolMachine } from '../processors/tool-machine.ts';
import { createBudget } from '../queue/budget.ts';
import type { Database } from '../queue/database.ts';
import type { JobHandler, Json, NewJob, Queue } from '../queue/job.ts';
import { startQueue } from '../queue/queue.ts';
import { createVerdicts } from '../queue/verdicts.ts';
import { fleetFigures } from '../reconcile/dashboard/fleet-figures.ts';
import { prepareVariants } from '../reconcile/downstream/prepare-variants.ts';
import { expandElsewhere } from '../reconcile/downstream/variant-expansion.ts';
import type { Git, SiblingRepository } from '../reconcile/git-port.ts';
import { JOB_KINDS, type Job } from '../reconcile/job.ts';
import { isProposalJob, sweepJob } from '../reconcile/jobs.ts';
import { createMemories } from '../reconcile/memories.ts';
import type { RepositoryRef, Ports } from '../reconcile/ports.ts';
import { siblingRepositoryFor } from '../reconcile/repository/sibling-repository.ts';
import { startSharedIndex } from '../replica/shared-index.ts';
import { createSharedLock } from '../replica/shared-lock.ts';
import { createKeyring } from '../revision/keyring.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { VERSION } from '../version.ts';
import { withHead, worthDoing } from '../webhook/event-jobs.ts';
import type { RoutedEvent } from '../webhook/routed-event.ts';
import { boundTo } from './bound-git.ts';
import { createBranchDemands } from './branch-demands.ts';
import { createFreshness } from './freshness.ts';
import { createHandlers, pullKey } from './handlers.ts';
import { createBotIdentity } from './identity.ts';
import { traced, withFreshness, withIndex, withTraces } from './job-context.ts';
import { LANES, tenantOf, withShares, withVariants } from './lanes.ts';
import { createMirrors } from './mirrors.ts';
import { createNotifier } from './notifier.ts';
import { createOrganizations } from './organizations.ts';
import { createOwnBranches } from './own-branches.ts';
import { readJob } from './received-job.ts';
import { createRegistries } from './registries.ts';
import { createRunning } from './running.ts';
import { createSources } from './sources.ts';
import { createTurns } from './turns.ts';
import { createUrlGate } from './url-gate.ts';
import { createVerifiedCommits } from './verified-commits.ts';

export interface BotOptions {
  readonly environment: Environment;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly scrub: (text: string) => string;
  /** Processes for foreign content that several bots of one process share; absent, it has its own. */
  readonly contentPools?: ContentPools | undefined;
  /** Numbers of the repositories to look at; absent: all. Lost webhooks are then not asked for again. */
  readonly only?: ReadonlySet<number> | undefined;
}

export interface Bot extends AsyncDisposable {
  readonly queue: Queue;
  /** Queues the jobs that an event asks for, durably. Work follows in its own time. */
  accept(event: RoutedEvent, signal?: AbortSignal): Promise<void>;
  /** False for an event that asks for nothing; true for one that cannot be read, which `accept` tells. */
  concerns(event: RoutedEvent): boolean;
  /** Looks at everything, as at the start and every `sweepMinutes`. */
  sweep(): Promise<void>;
  /** Starts nothing more, gives running jobs that long, then lets them go back to the queue. */
  stop(graceMs: number): Promise<void>;
}

/** Processes on one PostgreSQL: their clocks are kept by NTP, but not to the millisecond. */
const CLOCKS_APART_MS = 10_000;

/** A new repository with defaults is found at the next sweep, or after so long. */
const ORGANIZATIONS_AGE_MS = 600_000;

export async function startBot(options: BotOptions): Promise<Bot> {
  const { environment, database, log, metrics, tracing, contentPools, only } = options;
  const budget = createBudget({
    database,
    perMinute: environment.contentPerMinute,
    perHour: environment.contentPerHour,
    metrics,
  });
  const forge = connectForge({
    appId: environment.appId,
    privateKey: environment.privateKey,
    baseUrl: environment.apiUrl,
    budget,
    ...(environment.pointsPerMinute !== undefined && {
      limits: { perMinute: environment.pointsPerMinute },
    }),
    ...(environment.retryMs !== undefined && { backoffMs: environment.retryMs }),
    onPause: ({ installationId, calls, until }) => metrics.paused(installationId, calls, until),
    onCall: ({ method, route, status, ms }) => {
      metrics.githubCall(`${method} ${route}`, status, ms / 1000);
      const attributes = { 'http.response.status_code': status };
      tracing.ended(`${method} ${route}`, attributes, ms, status === 0 || status >= 500);
    },
  });
  const containers = containerSettings(process.env);
  const identity = createBotIdentity({
    app: await forge.app(),
    gitUrl: environment.gitUrl,
    committer: environment.committer,
    accountId: (installationId, login, signal) => forge.accountId(installationId, login, signal),
    log,
    now: () => Date.now(),
  });
  const inside = parseInsideHosts(environment.insideHosts);
  const mirrors = createMirrors({
    directory: join(environment.dataDirectory, 'mirrors'),
    gitUrl: environment.gitUrl,
    signer: environment.signingKey === undefined ? undefined : sshSigner(environment.signingKey),
    maxOutside: (environment.outsideMegabytes ?? OUTSIDE_MEGABYTES) * 1024 * 1024,
    reach: gitReach(createOutsideFetch({ inside }), { inside }),
    tokenFor: (repository, refused) =>
      refused === undefined
        ? forge.tokenFor(repository.installationId, repository.id)
        : forge.tokenAfter(refused, repository.installationId, repository.id),
  });
  const shared = environment.databaseUrl !== undefined;
  const freshness = createFreshness(() => Date.now(), shared ? CLOCKS_APART_MS : 0);
  const running = await createRunning(database, (key) => [`proposal:${key}`, `proposal:${key}:again:%`]);
  const organizations = createOrganizations(
    async (installationId) =>
      (await forge.repositories(installationId)).map(({ id, owner, name }) => ({
        installationId,
        id,
        owner,
        name,
      })),
    () => Date.now(),
    ORGANIZATIONS_AGE_MS,
  );
  const organizationOf = async (
    ref: RepositoryRef,
    signal?: AbortSignal,
  ): Promise<{ readonly git: Git; readonly defaultBranch: string } | null> => {
    const home = await organizations.organizationRepositoryOf(ref);
    if (home === null) return null;
    const git = freshness.wrap(home.id, boundTo(home.id, await mirrors.open(home, signal)));
    const [facts] = await Promise.all([
      forge.repository(home.installationId, home).get(signal),
      git.fetch({}, signal),
    ]);
    return { git, defaultBranch: facts.defaultBranch };
  };
  const known = shared ? createSharedCatalog() : undefined;
  const catalog = known?.catalog ?? createCatalog();
  expandElsewhere(catalog);
  const index = known && (await startSharedIndex(database, known));
  const lock = createSharedLock(database);
  const branchDemands = createBranchDemands(() => Date.now());
  const ownBranches = createOwnBranches();
  const verified = createVerifiedCommits(() => Date.now());
  const turns = createTurns(() => Date.now());
  const inTurn = (job: Job): Job => {
    if (!isProposalJob(job) || job.data.author === undefined) return job;
    const { priority, waits } = turns.next(job.data.author);
    return { ...job, priority, data: { ...job.data, ...(waits && { waits }) } };
  };
  const work = await createContentWork({
    version: `portico ${VERSION}`,
    processes: Math.max(2, Math.min(4, availableParallelism())),
    ...(contentPools && { pools: contentPools }),
    quarantine: await openQuarantine(createVerdicts(database)),
    ended: (share, outcome, cpuSeconds) => metrics.contentWork(share, outcome, cpuSeconds),
  });
  void work.warm();
  const ports: Ports = {
    catalog,
    memories: createMemories(),
    async open(ref, signal) {
      await identity.learn(ref.installationId, signal);
      const mirror = boundTo(ref.id, await mirrors.open(ref, signal));
      const repository = forge.repository(ref.installationId, ref);
      const plain = freshness.wrap(ref.id, traced(tracing, mirror));
      // With a key of its own every commit is signed already.
      const demands = branchDemands.of(ref.id, repository);
      const place = { id: ref.id, forge: repository, demands };
      const signed = environment.signingKey === undefined ? verified.wrap(place, plain) : plain;
      const git = ownBranches.wrap(ref.id, signed);
      const organization = (s?: AbortSignal): ReturnType<typeof organizationOf> => organizationOf(ref, s);
      const siblingRepository = async (name: string, s?: AbortSignal): Promise<SiblingRepository | null> => {
        const found = await organizations.find(ref.installationId, name);
        return found === null
          ? null
          : siblingRepositoryFor(await ports.open(ref, s), await ports.open(found, s), s);
      };
      return {
        ref,
        git: { ...git, organization, siblingRepository, content: work.content },
        forge: repository,
        demands,
      };
    },
    askUrl: createUrlGate(environment.gateHosts ?? [], createOutsideFetch({ inside })),
    ...(environment.notify && {
      notify: createNotifier(environment.notify, createOutsideFetch({ inside })),
    }),
    openAddress: async (url, signal) => boundTo(0, await mirrors.openAddress(url, signal)),
    cancel: ({ id }, number) => running.cancel(pullKey({ repository: { id }, number })),
    async repositories(signal) {
      organizations.forget();
      const found: RepositoryRef[] = [];
      for (const installation of await forge.installations(signal)) {
        if (installation.suspended) continue;
        for (const { id, owner, name } of await forge.repositories(installation.id, signal)) {
          if (only?.has(id) !== false) found.push({ installationId: installation.id, id, owner, name });
        }
      }
      return found;
    },
    repositoryAt: async (owner, name, signal) => (await forge.repositoryAt(owner, name, signal))?.id ?? null,
    pruneMirrors: (present) => mirrors.pruneMirrors(present),
    failedDeliveries: async (since, signal) =>
      only === undefined ? forge.failedDeliveries(since, signal) : [],
    redeliver: (id, signal) => forge.redeliver(id, signal),
    secondsUntilContentAllowed: (installationId) => budget.eta(installationId),
    ...(environment.dashboardSeconds !== undefined && { dashboardSeconds: environment.dashboardSeconds }),
    sweepMinutes: environment.sweepMinutes,
    ...(environment.settleSeconds !== undefined && { settleSeconds: environment.settleSeconds }),
    runExclusive: (key, work) => lock.run(key, work),
    enqueue: async (jobs) => {
      // Whoever runs them is to see what they are asked for about.
      await index?.flush();
      const trace = tracing.carry();
      const about = { at: freshness.stamp(), ...(trace !== undefined && { trace }) };
      const stored = [jobs]
        .flat()
        .map(inTurn)
        .map((job) => ({ ...job, ...tenantOf(job), data: { ...job.data, ...about } as Json }));
      return enqueue(stored);
    },
    registries: createRegistries({
      file: environment.credentialsFile,
      inside,
    }),
    sources: createSources({
      file: environment.credentialsFile,
      inside,
      calls: work.content.sources,
      machine: createToolMachine({ needsSandbox: true }),
      sweepMinutes: environment.sweepMinutes,
      sourceMinutes: environment.sourceMinutes,
    }),
    content: work.content,
    runtime: createRuntime({
      needsSandbox: process.env['PORTICO_WASM_SANDBOX'] !== 'optional',
      ...(containers !== undefined && { containers }),
    }),
    builtins: createRuntime({}),
    runtimeVersion: `portico ${VERSION}`,
    app: identity.app,
    seals: createKeyring(sealSecrets(environment)),
    now: () => new Date(),
    log,
    metrics,
  };
  // Events of a burst mostly ask for the same jobs, and share a transaction.
  const enqueue = grouped(async (lists: readonly (readonly NewJob[])[]) => {
    await enqueueAll(queue, lists.flat());
    return lists.map(() => undefined);
  }, 50);
  const reconcilers = createHandlers(ports, running, lock, turns);
  const prepared = withVariants(reconcilers, () => prepareVariants(ports));
  const within = withShares(prepared, (share, job) => work.within(share, job));
  const indexed = index === undefined ? within : withIndex(within, index);
  const run = withTraces(withFreshness(indexed, freshness), tracing);
  const handlers = Object.fromEntries(
    JOB_KINDS.map((kind): [string, JobHandler] => [kind, (job, signal) => run(readJob(job), signal)]),
  );
  const queue = await startQueue({ database, log, metrics, handlers, lanes: LANES, scrub: options.scrub });
  metrics.observeDepth(() => queue.depth());
  metrics.observeFleet(() => fleetFigures(ports.catalog));
  const sweep = (): Promise<void> => ports.enqueue(sweepJob());
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.error({ err: error }, 'the sweep could not be queued'));
    budget.prune().catch((error: unknown) => log.warn({ err: error }, 'old calls could not be forgotten'));
  }, environment.sweepMinutes * 60_000);
  timer.unref();
  await sweep();

  async function stop(graceMs: number): Promise<void> {
    clearInterval(timer);
    await queue.stop(graceMs);
    await running[Symbol.asyncDispose]();
    await mirrors.close();
    work[Symbol.dispose]();
  }

  return {
    queue,
    sweep,
    stop,
    concerns: ({ jobs, unreadable }) => worthDoing(ports, jobs).length > 0 || unreadable !== undefined,
    async accept({ id, name, repository, jobs, unreadable: reason }, signal) {
      if (reason !== undefined) {
        metrics.delivery(name, 'unreadable');
        log.warn({ delivery: id, event: name, repository, reason }, 'webhook: cannot be read');
      }
      for (const job of worthDoing(ports, jobs)) await ports.enqueue(await withHead(ports, job, signal));
    },
    [Symbol.asyncDispose]: () => stop(5_000),
  };
}

/** Jobs that are stored in one transaction at most. */
const BATCH_SIZE = 500;

async function enqueueAll(queue: Queue, jobs: readonly NewJob[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += BATCH_SIZE) await queue.enqueue(jobs.slice(at, at + BATCH_SIZE));
}
