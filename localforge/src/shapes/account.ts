import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { AccountRecord } from '../records.ts';

type SimpleUserCore = RestEndpointMethodTypes['activity']['listStargazersForRepo']['response']['data'];
export type UserShape = Exclude<Extract<SimpleUserCore, unknown[]>[number], { starred_at: string } | null>;

/** GitHub's `simple-user`: as it stands in every payload. Organizations and bots have the same shape. */
export function simpleUser(context: ForgeContext, account: AccountRecord): UserShape {
  const { urls } = context;
  const segment = encodeURIComponent(account.login);
  const api = urls.apiUrl(`/users/${segment}`);
  const bot = account.type === 'Bot';
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: urls.webUrl(`/avatars/${account.id}`),
    gravatar_id: '',
    url: api,
    html_url: urls.webUrl(bot ? `/apps/${account.login.replace('[bot]', '')}` : `/${segment}`),
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: account.type,
    site_admin: false,
    user_view_type: 'public',
  };
}

/** `public-user`: the answer of `GET /users/{username}`. */
export function publicUser(
  context: ForgeContext,
  account: AccountRecord,
): RestEndpointMethodTypes['users']['getByUsername']['response']['data'] {
  return {
    ...simpleUser(context, account),
    name: account.name,
    company: null,
    blog: '',
    location: null,
    email: account.email,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: context.records.repositories.find('owner', [account.id]).filter((one) => !one.private)
      .length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

/** `organization-simple`: as in webhook payloads and lists. */
export function simpleOrganization(
  context: ForgeContext,
  account: AccountRecord,
): RestEndpointMethodTypes['orgs']['listForUser']['response']['data'][number] {
  const api = context.urls.apiUrl(`/orgs/${account.login}`);
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('Organization', account.id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: context.urls.webUrl(`/avatars/${account.id}`),
    description: null,
  };
}
