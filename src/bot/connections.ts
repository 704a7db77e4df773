/** What the server reaches: the forge, its repositories as mirrors, and who it is there. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { OUTSIDE_MEGABYTES } from '../config/environment-variables.ts';
import type { Settings } from '../config/environment.ts';
import type { Forge } from '../forge/forge-api.ts';
import { isForgeError } from '../forge/forge-error.ts';
import type { ForgeCall, ForgePause } from '../forge/forge-types.ts';
import { connectForge } from '../forge/forge.ts';
import { connectWorkflowForge } from '../forge/workflow-forge.ts';
import { sshSigner } from '../git/ssh-signature.ts';
import { gitReach } from '../network/git-reach.ts';
import { parseInsideHosts } from '../network/inside-host.ts';
import { createOutsideFetch } from '../network/outside-fetch.ts';
import { createBudget, type Budget } from '../queue/budget.ts';
import { requireLeases } from '../queue/fence.ts';
import type { BotOptions } from './bot-options.ts';
import { credentialsFor } from './host-credentials.ts';
import { createBotIdentity, type BotIdentity } from './identity.ts';
import { createMirrors, type Mirrors } from './mirrors.ts';
import { createNotifier } from './notifier.ts';
import { createOrganizations, type Organizations } from './organizations.ts';
import { createRegistries } from './registries.ts';
import { createUrlGate } from './url-gate.ts';

/** A new repository with defaults is found at the next sweep, or after so long. */
const ORGANIZATIONS_AGE_MS = 600_000;

export interface Connections {
  readonly budget: Budget;
  readonly forge: Forge;
  readonly identity: BotIdentity;
  /** Hosts of internal networks that the operator allows. */
  readonly inside: ReturnType<typeof parseInsideHosts>;
  readonly mirrors: Mirrors;
  readonly organizations: Organizations;
  readonly registries: ReturnType<typeof createRegistries>;
  /** Asks addresses on hosts that the operator allows. */
  readonly askUrl: ReturnType<typeof createUrlGate>;
  /** The operator's webhook; absent where none is set. */
  readonly notify: ReturnType<typeof createNotifier> | undefined;
}

/** Asks the forge who the App is; throws what the forge answers. Mirrors must be closed. */
export async function connect(options: BotOptions): Promise<Connections> {
  const { environment, database, log } = options;
  const budget = createBudget({
    database,
    perMinute: environment.contentPerMinute,
    perHour: environment.contentPerHour,
  });
  const forge = forgeOf(options, budget);
  const inside = parseInsideHosts(environment.insideHosts);
  return {
    budget,
    forge,
    identity: createBotIdentity({
      app: await answered(() => forge.app(options.signal), options),
      gitUrl: environment.gitUrl,
      committer: environment.committer,
      accountId: (installationId, login, signal) => forge.accountId(installationId, login, signal),
      log,
      now: () => Date.now(),
    }),
    inside,
    mirrors: mirrorsOf(environment, forge, inside),
    organizations: createOrganizations(
      async (installationId) =>
        (await forge.repositories(installationId)).map(({ id, owner, name }) => ({
          installationId,
          id,
          owner,
          name,
        })),
      () => Date.now(),
      ORGANIZATIONS_AGE_MS,
    ),
    registries: createRegistries({ file: environment.credentialsFile, inside }),
    askUrl: createUrlGate(environment.gateHosts ?? [], createOutsideFetch({ inside })),
    notify: environment.notify && createNotifier(environment.notify, createOutsideFetch({ inside })),
  };
}

/** Pauses between two tries of a start: a forge in maintenance is soon known to be back. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** A server waits for a forge that has trouble; everything else ends the start. One run has its own limit of time. */
async function answered<Answer>(
  ask: () => Promise<Answer>,
  { log, once, signal }: Pick<BotOptions, 'log' | 'once' | 'signal'>,
): Promise<Answer> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (once !== undefined || !isForgeError(error, 'FORGE_UNAVAILABLE', 'RATE_LIMITED')) throw error;
      log.warn({ err: error }, 'the forge does not answer: the start waits');
      const wait = error.retryAfter === undefined ? pause : error.retryAfter * 1_000;
      await sleep(wait, undefined, signal && { signal });
    }
  }
}

function forgeOf({ environment, metrics, tracing, once }: BotOptions, budget: Budget): Forge {
  const common = {
    baseUrl: environment.apiUrl,
    budget,
    ...(environment.pointsPerMinute !== undefined && {
      limits: { perMinute: environment.pointsPerMinute },
    }),
    ...(environment.retryMs !== undefined && { backoffMs: environment.retryMs }),
    beforeWrite: requireLeases,
    onPause: ({ installationId, calls, until }: ForgePause) => metrics.paused(installationId, calls, until),
    onCall: ({ method, route, status, ms, repositoryId, writes }: ForgeCall) => {
      metrics.githubCall(`${method} ${route}`, status, ms / 1000);
      // One without an answer may have been done.
      if (writes && repositoryId !== null && status < 400) once?.onWrite(repositoryId);
      const attributes = { 'http.response.status_code': status };
      tracing.ended(`${method} ${route}`, attributes, ms, status === 0 || status >= 500);
    },
  };
  if (environment.workflow !== undefined) return connectWorkflowForge({ ...common, ...environment.workflow });
  const { appId, privateKey } = environment;
  return connectForge({ ...common, appId, privateKey });
}

function mirrorsOf(
  environment: Settings,
  forge: Forge,
  inside: ReturnType<typeof parseInsideHosts>,
): Mirrors {
  return createMirrors({
    directory: join(environment.dataDirectory, 'mirrors'),
    gitUrl: environment.gitUrl,
    signer: environment.signingKey === undefined ? undefined : sshSigner(environment.signingKey),
    maxOutside: (environment.outsideMegabytes ?? OUTSIDE_MEGABYTES) * 1024 * 1024,
    credentialsOf: credentialsFor(environment.credentialsFile),
    reach: gitReach(createOutsideFetch({ inside }), { inside }),
    tokenFor: (repository, refused) =>
      refused === undefined
        ? forge.tokenFor(repository.installationId, repository.id)
        : forge.tokenAfter(refused, repository.installationId, repository.id),
  });
}
