import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord } from '../records.ts';
import { forbidden, notFound, refusal } from '../refusal.ts';
import { ok, paginated } from '../request.ts';
import type { Router } from '../router.ts';
import { publicUser, simpleOrganization, simpleUser } from '../shapes/account.ts';

type PrivateUser = RestEndpointMethodTypes['users']['getAuthenticated']['response']['data'];

/** `/user` and `/users`. */
export function addUserRoutes(context: ForgeContext, router: Router): void {
  const { records } = context;
  const find = (login: string): AccountRecord => {
    const account = records.accountByLogin(login);
    if (account === undefined) throw notFound();
    return account;
  };
  router.route('GET', '/user', 'anyone', (request) => {
    const { viewer } = request;
    if (viewer.kind === 'anonymous') throw refusal(401, 'Requires authentication');
    if (viewer.kind !== 'user') throw forbidden('Resource not accessible by integration');
    return ok(privateUser(context, viewer.user));
  });
  router.route('GET', '/users', 'anyone', (request) => {
    const since = Number(request.query('since')) || 0;
    const accounts = records.accounts.all().filter((account) => account.id > since && account.type !== 'Bot');
    return paginated(request, accounts, (account) => simpleUser(context, account));
  });
  router.route('GET', '/users/:username', 'anyone', (request) =>
    ok(publicUser(context, find(request.param('username')))),
  );
  router.route('GET', '/user/:account_id{[0-9]+}', 'anyone', (request) => {
    const account = records.accounts.get(Number(request.param('account_id')) || 0);
    if (account === undefined) throw notFound();
    return ok(publicUser(context, account));
  });
  router.route('GET', '/users/:username/orgs', 'anyone', (request) =>
    paginated(request, records.memberships.find('user', [find(request.param('username')).id]), (membership) =>
      simpleOrganization(context, records.account(membership.orgId)),
    ),
  );
  router.route('GET', '/user/orgs', 'signed-in', (request) =>
    paginated(request, records.memberships.find('user', [request.actor().user.id]), (membership) =>
      simpleOrganization(context, records.account(membership.orgId)),
    ),
  );
}

function privateUser(context: ForgeContext, account: AccountRecord): PrivateUser {
  const owned = context.records.repositories.find('owner', [account.id]);
  return {
    ...publicUser(context, account),
    notification_email: account.email,
    private_gists: 0,
    total_private_repos: owned.filter((repository) => repository.private).length,
    owned_private_repos: owned.filter((repository) => repository.private).length,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
    plan: { name: 'enterprise', space: 0, collaborators: 0, private_repos: 0 },
  };
}
