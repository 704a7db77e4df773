import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';

import { permits } from '../access.ts';
import type { AppPermission } from '../access.ts';
import { ACTIONS_APP, appShape } from '../actors/apps.ts';
import { issueInstallationToken } from '../auth.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, InstallationRecord, Permissions, RepositoryRecord } from '../records.ts';
import { forbidden, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { installationShape, installationPayload, installedRepositories } from '../shapes/installation.ts';
import { integration } from '../shapes/integration.ts';
import { repositoryShape } from '../shapes/repository.ts';
import { organization } from './repositories.ts';

type InstallationToken = RestEndpointMethodTypes['apps']['createInstallationAccessToken']['response']['data'];

/** A token names at most this many repositories. */
const MAX_REPOSITORIES = 500;

const tokenBody = z.object({
  repositories: z.array(z.string()).max(MAX_REPOSITORIES).optional(),
  repository_ids: z.array(z.number().int()).max(MAX_REPOSITORIES).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

/** `/app`, `/installation` and the ways from a repository or account to its installation. */
export function addAppRoutes(context: ForgeContext, router: Router): void {
  const { records } = context;
  const byPath = (request: ForgeRequest): InstallationRecord =>
    needInstallation(records.installations.get(Number(request.param('id')) || 0));
  const ofAccount = (account: AccountRecord | undefined): InstallationRecord =>
    needInstallation(account && records.installations.first('account', [account.id]));

  router.route('GET', '/app', 'app-jwt', () => {
    const installations = records.installations.all();
    return ok({ ...integration(context), installations_count: installations.length });
  });
  router.route('GET', '/apps/:slug', 'anyone', (request) => {
    const slug = request.param('slug');
    if (slug === ACTIONS_APP.slug) return ok(appShape(context, ACTIONS_APP.id));
    if (slug !== context.app.slug) throw notFound();
    return ok(integration(context));
  });
  router.route('GET', '/app/installations', 'app-jwt', (request) =>
    paginated(request, records.installations.all(), (one) => installationShape(context, one)),
  );
  router.route('GET', '/app/installations/:id', 'app-jwt', (request) =>
    ok(installationShape(context, byPath(request))),
  );
  router.route('DELETE', '/app/installations/:id', 'app-jwt', (request) => {
    const installation = byPath(request);
    context.store.transaction(() => {
      tellOfInstallation(context, installation, 'deleted');
      records.installations.remove(installation.id);
    });
    return noContent();
  });
  router.route('PUT', '/app/installations/:id/suspended', 'app-jwt', (request) => {
    setSuspended(context, byPath(request), context.now());
    return noContent();
  });
  router.route('DELETE', '/app/installations/:id/suspended', 'app-jwt', (request) => {
    setSuspended(context, byPath(request), null);
    return noContent();
  });
  router.route('POST', '/app/installations/:id/access_tokens', 'app-jwt', (request) => {
    const installation = byPath(request);
    if (installation.suspendedAt !== null) throw forbidden('This installation has been suspended');
    return created(issueToken(context, request, installation));
  });

  router.repo('GET', '/installation', 'app-jwt', (request) =>
    ok(installationShape(context, needInstallation(context.access.installationFor(request.repository)))),
  );
  router.route('GET', '/orgs/:org/installation', 'app-jwt', (request) =>
    ok(installationShape(context, ofAccount(organization(context, request)))),
  );
  router.route('GET', '/users/:username/installation', 'app-jwt', (request) =>
    ok(installationShape(context, ofAccount(records.accountByLogin(request.param('username'))))),
  );

  router.route('GET', '/installation/repositories', 'installation', (request) => {
    const { viewer } = request;
    if (viewer.kind !== 'installation') throw notFound();
    return paginated(
      request,
      installedRepositories(context, viewer.installation, viewer),
      (repository) => repositoryShape(context, repository, viewer),
      (repositories, total) => ({
        total_count: total,
        repository_selection: viewer.repositoryIds === null ? viewer.installation.selection : 'selected',
        repositories,
      }),
    );
  });
  router.route('DELETE', '/installation/token', 'installation', (request) => {
    if (request.viewer.kind === 'installation') records.tokens.remove(request.viewer.tokenId);
    return noContent();
  });
}

function needInstallation(found: InstallationRecord | undefined): InstallationRecord {
  if (found === undefined) throw notFound();
  return found;
}

function issueToken(
  context: ForgeContext,
  request: ForgeRequest,
  installation: InstallationRecord,
): InstallationToken {
  const body = bodyOf(request, tokenBody);
  const reachable = installedRepositories(context, installation);
  const chosen = chosenRepositories(reachable, body);
  const permissions = checkedPermissions(installation, body.permissions);
  const { token, record } = issueInstallationToken(context, installation, {
    repositoryIds: chosen?.map((repository) => repository.id) ?? null,
    permissions,
  });
  return {
    token,
    expires_at: record.expiresAt ?? '',
    permissions: { ...(permissions ?? installation.permissions) },
    repository_selection: chosen === null ? installation.selection : 'selected',
    ...(chosen === null ? {} : { repositories: chosen.map((one) => repositoryShape(context, one)) }),
  };
}

/** null: all of them. */
function chosenRepositories(
  reachable: readonly RepositoryRecord[],
  body: z.output<typeof tokenBody>,
): RepositoryRecord[] | null {
  if (body.repositories === undefined && body.repository_ids === undefined) return null;
  const find = (matches: (repository: RepositoryRecord) => boolean): RepositoryRecord => {
    const found = reachable.find(matches);
    if (found === undefined) {
      throw unprocessable(
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      );
    }
    return found;
  };
  const named = (body.repositories ?? []).map((name) =>
    find((one) => one.name.toLowerCase() === name.toLowerCase()),
  );
  const numbered = (body.repository_ids ?? []).map((id) => find((one) => one.id === id));
  return [...new Set([...named, ...numbered])];
}

/** What a token may be given is what the installation has. Metadata is always in it. */
function checkedPermissions(
  installation: InstallationRecord,
  wanted: Permissions | undefined,
): Permissions | null {
  if (wanted === undefined) return null;
  for (const [name, level] of Object.entries(wanted)) {
    const permission: AppPermission = `${name}:${level}`;
    if (!permits(installation.permissions, permission)) {
      throw unprocessable('The permissions requested are not granted to this installation.');
    }
  }
  return { ...wanted, metadata: wanted['metadata'] ?? 'read' };
}

function setSuspended(context: ForgeContext, installation: InstallationRecord, at: string | null): void {
  context.store.transaction(() => {
    const updated = context.records.installations.update(installation.id, {
      suspendedAt: at,
      updatedAt: context.now(),
    });
    tellOfInstallation(context, updated, at === null ? 'unsuspend' : 'suspend');
  });
}

/** `installation` webhooks, which come from whoever owns the account. */
export function tellOfInstallation(
  context: ForgeContext,
  installation: InstallationRecord,
  action: string,
): void {
  const account = context.records.account(installation.accountId);
  const { installation: shape, ...payload } = installationPayload(context, installation);
  context.emit({
    event: 'installation',
    action,
    account,
    sender: ownerOf(context, account),
    payload,
    override: { installation: shape },
    onlyApp: true,
  });
}

/** A person, or the first administrator of an organization. */
function ownerOf(context: ForgeContext, account: AccountRecord): AccountRecord {
  if (account.type !== 'Organization') return account;
  const admin = context.records.memberships.find('org', [account.id]).find((one) => one.role === 'admin');
  return admin === undefined ? account : context.records.account(admin.userId);
}
