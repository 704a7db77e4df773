import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord, MembershipRecord, TeamMemberRecord, TeamRecord } from '../records.ts';
import { notFound, refusal } from '../refusal.ts';
import { noContent, ok, paginated } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleOrganization, simpleUser } from '../shapes/account.ts';
import { permissionFlags, repositoryShape } from '../shapes/repository.ts';
import { teamShape } from '../shapes/team.ts';
import { organization } from './repositories.ts';

type Organization = RestEndpointMethodTypes['orgs']['get']['response']['data'];
type FullTeam = RestEndpointMethodTypes['teams']['getByName']['response']['data'];
type OrgMembership = RestEndpointMethodTypes['orgs']['getMembershipForUser']['response']['data'];

const MEMBERS = { app: ['members:read'], user: 'read' } as const;

/** `/orgs`: the organization, its members and its teams. */
export function addOrgRoutes(context: ForgeContext, router: Router): void {
  const { records } = context;
  router.route('GET', '/orgs/:org', 'anyone', (request) =>
    ok(fullOrganization(context, organization(context, request))),
  );
  router.route('GET', '/orgs/:org/members', MEMBERS, (request) => {
    const org = insideOf(context, request);
    const role = request.query('role');
    const members = records.memberships
      .find('org', [org.id])
      .filter((membership) => role === undefined || role === 'all' || membership.role === role);
    return paginated(request, members, (membership) =>
      simpleUser(context, records.account(membership.userId)),
    );
  });
  router.route('GET', '/orgs/:org/members/:username', MEMBERS, (request) => {
    membershipAt(context, request, insideOf(context, request));
    return noContent();
  });
  router.route('GET', '/orgs/:org/memberships/:username', MEMBERS, (request) => {
    const org = insideOf(context, request);
    return ok(membershipShape(context, org, membershipAt(context, request, org)));
  });
  router.route('GET', '/user/memberships/orgs/:org', 'signed-in', (request) => {
    const org = organization(context, request);
    const membership = records.memberships.first('pair', [org.id, request.actor().user.id]);
    if (membership === undefined) throw notFound();
    return ok(membershipShape(context, org, membership));
  });

  router.route('GET', '/orgs/:org/teams', MEMBERS, (request) =>
    paginated(request, records.teams.find('org', [insideOf(context, request).id]), (team) =>
      teamShape(context, team),
    ),
  );
  router.route('GET', '/orgs/:org/teams/:team_slug', MEMBERS, (request) =>
    ok(fullTeam(context, teamAt(context, request))),
  );
  router.route('GET', '/orgs/:org/teams/:team_slug/members', MEMBERS, (request) =>
    paginated(request, records.teamMembers.find('team', [teamAt(context, request).id]), (member) =>
      simpleUser(context, records.account(member.userId)),
    ),
  );
  router.route('GET', '/orgs/:org/teams/:team_slug/memberships/:username', MEMBERS, (request) => {
    const team = teamAt(context, request);
    const user = records.accountByLogin(request.param('username'));
    const member = user && records.teamMembers.first('pair', [team.id, user.id]);
    if (user === undefined || member === undefined) throw notFound();
    return ok(teamMembership(context, request, user, member));
  });
  router.route('GET', '/orgs/:org/teams/:team_slug/repos', MEMBERS, (request) =>
    paginated(request, records.teamRepositories.find('team', [teamAt(context, request).id]), (grant) => {
      const repository = records.repositories.get(grant.repositoryId);
      if (repository === undefined) throw notFound();
      return {
        ...repositoryShape(context, repository),
        permissions: permissionFlags(grant.role),
        role_name: grant.role,
      };
    }),
  );
}

/** The organization, for those who may look inside: members, and installations on it. */
function insideOf(context: ForgeContext, request: ForgeRequest): AccountRecord {
  const org = organization(context, request);
  const { viewer } = request;
  const allowed =
    viewer.kind === 'installation'
      ? viewer.installation.accountId === org.id
      : viewer.kind === 'user' && context.access.isOrgMember(org.id, viewer.user.id);
  if (!allowed) throw refusal(403, 'You must be a member of the organization to see this.');
  return org;
}

function membershipAt(context: ForgeContext, request: ForgeRequest, org: AccountRecord): MembershipRecord {
  const user = context.records.accountByLogin(request.param('username'));
  const membership = user && context.records.memberships.first('pair', [org.id, user.id]);
  if (membership === undefined) throw notFound();
  return membership;
}

function membershipShape(
  context: ForgeContext,
  org: AccountRecord,
  membership: MembershipRecord,
): OrgMembership {
  const user = context.records.account(membership.userId);
  return {
    url: context.urls.apiUrl(`/orgs/${org.login}/memberships/${user.login}`),
    state: 'active',
    role: membership.role,
    organization_url: context.urls.apiUrl(`/orgs/${org.login}`),
    organization: simpleOrganization(context, org),
    user: simpleUser(context, user),
  };
}

function teamAt(context: ForgeContext, request: ForgeRequest): TeamRecord {
  const org = insideOf(context, request);
  const team = context.records.teams.first('slug', [org.id, request.param('team_slug')]);
  if (team === undefined) throw notFound();
  return team;
}

function fullTeam(context: ForgeContext, team: TeamRecord): FullTeam {
  const { records } = context;
  const plain = teamShape(context, team);
  return {
    ...plain,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    members_count: records.teamMembers.count('team', [team.id]),
    repos_count: records.teamRepositories.count('team', [team.id]),
    created_at: team.createdAt,
    updated_at: team.createdAt,
    organization: fullOrganization(context, records.account(team.orgId)),
  };
}

const teamMembership = (
  context: ForgeContext,
  request: ForgeRequest,
  user: AccountRecord,
  member: TeamMemberRecord,
): Record<string, unknown> => ({
  url: context.urls.apiUrl(
    `/orgs/${request.param('org')}/teams/${request.param('team_slug')}/memberships/${user.login}`,
  ),
  role: member.role,
  state: 'active',
});

function fullOrganization(context: ForgeContext, org: AccountRecord): Organization {
  const simple = simpleOrganization(context, org);
  const repositories = context.records.repositories.find('owner', [org.id]);
  return {
    ...simple,
    name: org.name ?? org.login,
    has_organization_projects: true,
    has_repository_projects: true,
    public_repos: repositories.filter((repository) => !repository.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    html_url: context.urls.webUrl(`/${org.login}`),
    type: 'Organization',
    created_at: org.createdAt,
    updated_at: org.createdAt,
    archived_at: null,
  };
}
