import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { InstallationRecord, RepositoryRecord } from '../records.ts';
import type { Viewer } from '../viewer.ts';
import { simpleUser } from './account.ts';

type Installation = RestEndpointMethodTypes['apps']['getInstallation']['response']['data'];

/** `installation`: the answer of `GET /app/installations/{id}`. */
export function installationShape(context: ForgeContext, installation: InstallationRecord): Installation {
  const account = context.records.account(installation.accountId);
  const organization = account.type === 'Organization';
  return {
    id: installation.id,
    client_id: context.app.clientId,
    account: simpleUser(context, account),
    repository_selection: installation.selection,
    access_tokens_url: context.urls.apiUrl(`/app/installations/${installation.id}/access_tokens`),
    repositories_url: context.urls.apiUrl('/installation/repositories'),
    html_url: context.urls.webUrl(
      organization
        ? `/organizations/${account.login}/settings/installations/${installation.id}`
        : `/settings/installations/${installation.id}`,
    ),
    app_id: context.app.id,
    app_slug: context.app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: { ...installation.permissions },
    events: [...installation.events],
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: installation.suspendedAt,
  };
}

/** The repositories that an installation, or a token of it, reaches. */
export function installedRepositories(
  context: ForgeContext,
  installation: InstallationRecord,
  viewer?: Extract<Viewer, { kind: 'installation' }>,
): RepositoryRecord[] {
  const chosen = viewer?.repositoryIds ?? null;
  return context.records.repositories
    .find('owner', [installation.accountId])
    .filter(
      (repository) =>
        (installation.selection === 'all' || installation.repositoryIds.includes(repository.id)) &&
        (chosen === null || chosen.includes(repository.id)),
    );
}

/** What `installation` webhooks carry: the installation whole and its repositories in short. */
export function installationPayload(
  context: ForgeContext,
  installation: InstallationRecord,
): Record<string, unknown> {
  return {
    installation: installationShape(context, installation),
    repositories: installedRepositories(context, installation).map((one) => shortRepository(context, one)),
    requester: null,
  };
}

/** A repository as `installation` and `installation_repositories` list it. */
export const shortRepository = (
  context: ForgeContext,
  repository: RepositoryRecord,
): Record<string, unknown> => ({
  id: repository.id,
  node_id: nodeId('Repository', repository.id),
  name: repository.name,
  full_name: context.urls.fullName(repository),
  private: repository.private,
});
