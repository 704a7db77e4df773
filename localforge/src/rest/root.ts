import type { ForgeContext } from '../context.ts';
import { ok } from '../request.ts';
import type { Route } from '../router.ts';

/** The root of the API, which says where things are; clients ask it to learn what server this is (by its headers). */
export function rootOf({ urls }: ForgeContext): Route {
  return {
    method: 'GET',
    path: '/',
    needs: 'anyone',
    inRepository: false,
    handler: () =>
      ok({
        current_user_url: urls.apiUrl('/user'),
        organization_url: urls.apiUrl('/orgs/{org}'),
        organization_repositories_url: urls.apiUrl('/orgs/{org}/repos{?type,page,per_page,sort}'),
        rate_limit_url: urls.apiUrl('/rate_limit'),
        repository_url: urls.apiUrl('/repos/{owner}/{repo}'),
        current_user_repositories_url: urls.apiUrl('/user/repos{?type,page,per_page,sort}'),
        user_url: urls.apiUrl('/users/{user}'),
        user_organizations_url: urls.apiUrl('/user/orgs'),
      }),
  };
}
