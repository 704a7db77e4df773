import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { TeamRecord } from '../records.ts';

type Team = RestEndpointMethodTypes['teams']['list']['response']['data'][number];

/** `team`. */
export function teamShape(context: ForgeContext, team: TeamRecord): Team {
  const org = context.records.account(team.orgId);
  const api = context.urls.apiUrl(`/organizations/${org.id}/team/${team.id}`);
  return {
    id: team.id,
    node_id: nodeId('Team', team.id),
    name: team.name,
    slug: team.slug,
    description: team.description,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    permission: 'pull',
    url: api,
    html_url: context.urls.webUrl(`/orgs/${org.login}/teams/${team.slug}`),
    members_url: `${api}/members{/member}`,
    repositories_url: `${api}/repos`,
    type: 'organization',
    organization_id: org.id,
    parent: null,
  };
}
