import type { Forge as RepositoryForge } from '../reconcile/forge/forge.ts';
import { createActivityApi } from './activity.ts';
import { createCallGate, GITHUB_LIMITS, type CallGate } from './call-gate.ts';
import { createChecksApi } from './checks.ts';
import { createCommentsApi } from './comments.ts';
import { createCommitsApi } from './commits.ts';
import { listFailedDeliveries } from './deliveries.ts';
import { createEditsApi } from './edits.ts';
import { createEtagCache } from './etag-cache.ts';
import type { Forge } from './forge-api.ts';
import { orNull } from './forge-error.ts';
import type { AppIdentity, ForgeOptions, LookPause } from './forge-types.ts';
import { createHealthApi } from './health.ts';
import { createInstallations, toInstallation } from './installations.ts';
import { createIssuesApi } from './issues.ts';
import { withLooks } from './looks.ts';
import type { ClientShare } from './octokit.ts';
import { allPages } from './octokit.ts';
import { createPullsApi } from './pulls.ts';
import { createReactionsApi } from './reactions.ts';
import { createReleasesApi } from './releases.ts';
import { requestOf, type RepositoryContext } from './repository-context.ts';
import { createRepositoryApi, toRepository } from './repository.ts';
import { createReviewsApi } from './reviews.ts';

/**
 * The App on its forge. Makes no call itself; tokens are made at need, one per repository, and renewed before they
 * end. Throws CONFIG_INVALID where the private key cannot be read.
 */
export function connectForge(options: ForgeOptions): Forge {
  const share = shareOf(options);
  const speakers = createInstallations(share, options.appId, options.privateKey);
  const { apps } = speakers.app.rest;
  let identity: AppIdentity | null = null;

  const app = async (signal?: AbortSignal): Promise<AppIdentity> => {
    if (identity) return identity;
    const { data } = await apps.getAuthenticated({ request: requestOf(signal) });
    const slug = data?.slug ?? '';
    identity = { id: data?.id ?? 0, slug, name: data?.name ?? '', botLogin: `${slug}[bot]` };
    return identity;
  };

  const installationOf: Forge['repositoryInstallation'] = async (owner, repo, signal) => {
    const answer = await orNull(apps.getRepoInstallation({ owner, repo, request: requestOf(signal) }));
    return answer && toInstallation(answer.data);
  };

  return {
    app,
    installations: async (signal) => {
      const found = await allPages((page) => apps.listInstallations({ ...page, request: requestOf(signal) }));
      return found.map(toInstallation);
    },
    repositories: async (installationId, signal) => {
      const { rest } = speakers.installation(installationId);
      const found = await allPages(async (page) => {
        const request = requestOf(signal);
        const { data, headers } = await rest.apps.listReposAccessibleToInstallation({ ...page, request });
        return { data: data.repositories, headers };
      });
      return found.map(toRepository);
    },
    accountId: async (installationId, username, signal) => {
      const { rest } = speakers.installation(installationId);
      const answer = await orNull(rest.users.getByUsername({ username, request: requestOf(signal) }));
      return answer?.data.id ?? null;
    },
    repositoryInstallation: installationOf,
    repositoryAt: async (owner, repo, signal) => {
      // A former name is redirected by both calls.
      const installation = await installationOf(owner, repo, signal);
      if (installation === null || installation.suspended) return null;
      const { rest } = speakers.installation(installation.id);
      const answer = await orNull(rest.repos.get({ owner, repo, request: requestOf(signal) }));
      return answer && { id: answer.data.id };
    },
    failedDeliveries: (since, signal) => listFailedDeliveries(speakers.app, since, signal),
    redeliver: async (delivery_id, signal) => {
      await apps.redeliverWebhookDelivery({ delivery_id, request: requestOf(signal) });
    },
    repository: (installationId, key) => {
      const octokit = speakers.repository(installationId, key.id);
      return assemble({ octokit, key, app, looks: share.looksOf(installationId) }, share.backoffMs);
    },
    tokenFor: (installationId, repositoryId, signal) =>
      speakers.gitToken(installationId, repositoryId, signal),
    tokenAfter: (refused, installationId, repositoryId, signal) =>
      speakers.gitTokenAfter(refused, installationId, repositoryId, signal),
  };
}

/** What all clients of one forge have in common. */
export function shareOf(options: Omit<ForgeOptions, 'appId' | 'privateKey'>): ClientShare {
  return {
    baseUrl: options.baseUrl.replace(/(?<!\/)\/+$/, ''),
    etags: createEtagCache(),
    budget: options.budget,
    gateOf: gatesOf(options),
    looksOf: lookPauses(),
    onCall: options.onCall,
    beforeWrite: options.beforeWrite,
    backoffMs: options.backoffMs ?? 500,
  };
}

/** One gate for each installation, and one for the App itself. */
function gatesOf({
  limits,
  onPause,
}: Pick<ForgeOptions, 'limits' | 'onPause'>): (installationId: number | null) => CallGate {
  const gates = new Map<number | null, CallGate>();
  return (installationId) => {
    const known = gates.get(installationId);
    if (known !== undefined) return known;
    const made = createCallGate({ ...GITHUB_LIMITS, ...limits }, Date.now, (calls, until) =>
      onPause?.({ installationId, calls, until }),
    );
    gates.set(installationId, made);
    return made;
  };
}

/** One for each installation. */
function lookPauses(): (installationId: number) => LookPause {
  const pauses = new Map<number, LookPause>();
  return (installationId) => {
    const known = pauses.get(installationId) ?? { until: 0 };
    pauses.set(installationId, known);
    return known;
  };
}

/** All calls about one repository. */
export function assemble(context: RepositoryContext, backoffMs: number): RepositoryForge {
  return withLooks(context, {
    ...createRepositoryApi(context),
    ...createActivityApi(context),
    ...createPullsApi(context, backoffMs),
    ...createReviewsApi(context),
    ...createEditsApi(context),
    ...createCommentsApi(context),
    ...createReactionsApi(context),
    ...createIssuesApi(context),
    ...createChecksApi(context),
    ...createCommitsApi(context),
    ...createReleasesApi(context),
    ...createHealthApi(context),
  });
}
