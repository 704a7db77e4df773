import type { ForgeContext } from '../context.ts';
import type { AccountRecord, InstallationRecord, RepositoryRecord } from '../records.ts';
import { forbidden, notFound } from '../refusal.ts';
import { noContent, paginated } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { installationShape, installedRepositories, shortRepository } from '../shapes/installation.ts';
import { repositoryShape } from '../shapes/repository.ts';

/** `/user/installations`: what the owner of an account does in the settings of the installed App. */
export function addInstallationRoutes(context: ForgeContext, router: Router): void {
  const { installations } = context.records;
  router.route('GET', '/user/installations', 'signed-in', (request) => {
    const mine = installations.all().filter((one) => owns(context, request, one));
    return paginated(
      request,
      mine,
      (one) => installationShape(context, one),
      (items, total) => ({ total_count: total, installations: items }),
    );
  });
  router.route('GET', '/user/installations/:id/repositories', 'signed-in', (request) =>
    paginated(
      request,
      installedRepositories(context, installationAt(context, request)),
      (one) => repositoryShape(context, one, request.viewer),
      (items, total) => ({ total_count: total, repositories: items }),
    ),
  );
  const path = '/user/installations/:id/repositories/:repository_id';
  router.route('PUT', path, 'signed-in', (request) => {
    const installation = installationAt(context, request);
    const repository = repositoryAt(context, request, installation);
    if (installation.repositoryIds.includes(repository.id)) return noContent();
    const chosen = [...installation.repositoryIds, repository.id];
    context.store.transaction(() => {
      const updated = installations.update(installation.id, { repositoryIds: chosen });
      tellOfInstalled({
        context,
        sender: request.actor().user,
        installation: updated,
        repository,
        action: 'added',
      });
    });
    return noContent();
  });
  router.route('DELETE', path, 'signed-in', (request) => {
    const installation = installationAt(context, request);
    const repository = repositoryAt(context, request, installation);
    const chosen = installation.repositoryIds.filter((id) => id !== repository.id);
    context.store.transaction(() => {
      const updated = installations.update(installation.id, { repositoryIds: chosen });
      tellOfInstalled({
        context,
        sender: request.actor().user,
        installation: updated,
        repository,
        action: 'removed',
      });
    });
    return noContent();
  });
}

function repositoryAt(
  context: ForgeContext,
  request: ForgeRequest,
  installation: InstallationRecord,
): RepositoryRecord {
  const repository = context.records.repositories.get(Number(request.param('repository_id')) || 0);
  if (repository?.ownerId !== installation.accountId) throw notFound();
  if (installation.selection === 'all')
    throw forbidden('The installation has all repositories of the account.');
  return repository;
}

function owns(context: ForgeContext, request: ForgeRequest, installation: InstallationRecord): boolean {
  const { viewer } = request;
  return (
    viewer.kind === 'user' &&
    (viewer.user.id === installation.accountId || context.access.isOrgAdmin(installation.accountId, viewer))
  );
}

function installationAt(context: ForgeContext, request: ForgeRequest): InstallationRecord {
  const found = context.records.installations.get(Number(request.param('id')) || 0);
  if (found === undefined || !owns(context, request, found)) throw notFound();
  return found;
}

/** `installation_repositories` for one repository. */
export function tellOfInstalled({
  context,
  sender,
  installation,
  repository,
  action,
}: {
  readonly context: ForgeContext;
  readonly sender: AccountRecord;
  readonly installation: InstallationRecord;
  readonly repository: RepositoryRecord;
  readonly action: 'added' | 'removed';
}): void {
  const short = [shortRepository(context, repository)];
  context.emit({
    event: 'installation_repositories',
    action,
    account: context.records.account(installation.accountId),
    sender,
    payload: {
      repository_selection: installation.selection,
      repositories_added: action === 'added' ? short : [],
      repositories_removed: action === 'removed' ? short : [],
      requester: null,
    },
    override: { installation: installationShape(context, installation) },
    onlyApp: true,
  });
}
