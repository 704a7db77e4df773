import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord, Role, TeamRecord } from '../records.ts';
import { forbidden, notFound, refusal } from '../refusal.ts';
import { bodyOf, noContent, ok } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleOrganization, simpleUser } from '../shapes/account.ts';
import { teamShape } from '../shapes/team.ts';
import { organization } from './repositories.ts';

const MEMBERS = { app: ['members:write'], user: 'read' } as const;
const orgRole = z.object({ role: z.enum(['admin', 'member']).default('member') });
const teamRole = z.object({ role: z.enum(['member', 'maintainer']).default('member') });
const grant = z.object({
  permission: z.enum(['pull', 'triage', 'push', 'maintain', 'admin']).default('push'),
});

/** Changing who is in an organization and its teams, and what teams may do. For administrators. */
export function addTeamChangeRoutes(context: ForgeContext, router: Router): void {
  const { records } = context;
  router.route('PUT', '/orgs/:org/memberships/:username', MEMBERS, (request) => {
    const org = administered(context, request);
    const user = person(context, request);
    const { role } = bodyOf(request, orgRole);
    const present = records.memberships.first('pair', [org.id, user.id]);
    context.store.transaction(() => {
      if (present !== undefined) records.memberships.update(present.id, { role });
      else {
        records.memberships.insert({ orgId: org.id, userId: user.id, role });
        tellOrganization({ context, request, org, user, action: 'member_added' });
      }
    });
    const url = context.urls.apiUrl(`/orgs/${org.login}/memberships/${user.login}`);
    return ok({
      url,
      state: 'active',
      role,
      organization_url: context.urls.apiUrl(`/orgs/${org.login}`),
      organization: simpleOrganization(context, org),
      user: simpleUser(context, user),
    });
  });
  router.route('DELETE', '/orgs/:org/memberships/:username', MEMBERS, (request) => {
    const org = administered(context, request);
    const user = person(context, request);
    const present = records.memberships.first('pair', [org.id, user.id]);
    if (present === undefined) throw notFound();
    context.store.transaction(() => {
      records.memberships.remove(present.id);
      for (const team of records.teams.find('org', [org.id])) leave(context, request, team, user);
      tellOrganization({ context, request, org, user, action: 'member_removed' });
    });
    return noContent();
  });

  const inTeam = '/orgs/:org/teams/:team_slug/memberships/:username';
  router.route('PUT', inTeam, MEMBERS, (request) => {
    const team = teamOf(context, request);
    const user = person(context, request);
    const { role } = bodyOf(request, teamRole);
    if (!context.access.isOrgMember(team.orgId, user.id)) {
      throw refusal(422, 'The user is not a member of the organization.');
    }
    context.store.transaction(() => {
      const present = records.teamMembers.first('pair', [team.id, user.id]);
      if (present !== undefined) records.teamMembers.update(present.id, { role });
      else {
        records.teamMembers.insert({ teamId: team.id, userId: user.id, role });
        tell({ context, request, team, user, action: 'added' });
      }
    });
    return ok({
      url: context.urls.apiUrl(request.url.pathname.replace(/^\/api\/v3/, '')),
      role,
      state: 'active',
    });
  });
  router.route('DELETE', inTeam, MEMBERS, (request) => {
    const team = teamOf(context, request);
    const user = person(context, request);
    context.store.transaction(() => leave(context, request, team, user));
    return noContent();
  });
  router.route('PUT', '/orgs/:org/teams/:team_slug/repos/:owner/:repo', MEMBERS, (request) => {
    const team = teamOf(context, request);
    const repository = records.repositoryByName(request.param('owner'), request.param('repo'));
    if (repository?.ownerId !== team.orgId) throw notFound();
    const { permission } = bodyOf(request, grant);
    const role: Role = permission === 'pull' ? 'read' : permission === 'push' ? 'write' : permission;
    const present = records.teamRepositories.first('pair', [team.id, repository.id]);
    context.store.transaction(() => {
      if (present === undefined) {
        records.teamRepositories.insert({ teamId: team.id, repositoryId: repository.id, role });
      } else records.teamRepositories.update(present.id, { role });
      context.emit({
        event: 'team',
        action: present === undefined ? 'added_to_repository' : 'edited',
        repository,
        sender: request.actor().user,
        payload: {
          team: teamShape(context, team),
          ...(present !== undefined && { changes: { repository: { permissions: { from: {} } } } }),
        },
      });
    });
    return noContent();
  });
}

/** The organization, which the viewer must administer. */
function administered(context: ForgeContext, request: ForgeRequest): AccountRecord {
  const org = organization(context, request);
  const { viewer } = request;
  const allowed =
    viewer.kind === 'installation'
      ? viewer.installation.accountId === org.id
      : context.access.isOrgAdmin(org.id, viewer);
  if (!allowed) throw forbidden('You must be an admin to change the organization.');
  return org;
}

function person(context: ForgeContext, request: ForgeRequest): AccountRecord {
  const user = context.records.accountByLogin(request.param('username'));
  if (user?.type !== 'User') throw notFound();
  return user;
}

function teamOf(context: ForgeContext, request: ForgeRequest): TeamRecord {
  const org = administered(context, request);
  const team = context.records.teams.first('slug', [org.id, request.param('team_slug')]);
  if (team === undefined) throw notFound();
  return team;
}

function leave(context: ForgeContext, request: ForgeRequest, team: TeamRecord, user: AccountRecord): void {
  const present = context.records.teamMembers.first('pair', [team.id, user.id]);
  if (present === undefined) return;
  context.records.teamMembers.remove(present.id);
  tell({ context, request, team, user, action: 'removed' });
}

function tellOrganization({
  context,
  request,
  org,
  user,
  action,
}: {
  readonly context: ForgeContext;
  readonly request: ForgeRequest;
  readonly org: AccountRecord;
  readonly user: AccountRecord;
  readonly action: 'member_added' | 'member_removed';
}): void {
  const role = context.records.memberships.first('pair', [org.id, user.id])?.role ?? 'unaffiliated';
  context.emit({
    event: 'organization',
    action,
    account: org,
    sender: request.actor().user,
    payload: {
      membership: {
        url: context.urls.apiUrl(`/orgs/${org.login}/memberships/${user.login}`),
        state: action === 'member_added' ? 'active' : 'inactive',
        role,
        organization_url: context.urls.apiUrl(`/orgs/${org.login}`),
        user: simpleUser(context, user),
      },
    },
  });
}

function tell({
  context,
  request,
  team,
  user,
  action,
}: {
  readonly context: ForgeContext;
  readonly request: ForgeRequest;
  readonly team: TeamRecord;
  readonly user: AccountRecord;
  readonly action: 'added' | 'removed';
}): void {
  context.emit({
    event: 'membership',
    action,
    account: context.records.account(team.orgId),
    sender: request.actor().user,
    payload: { scope: 'team', member: simpleUser(context, user), team: teamShape(context, team) },
  });
}
