import type { Records } from './records-store.ts';
import { ROLES } from './records.ts';
import type { AccountRecord, InstallationRecord, Permissions, RepositoryRecord, Role } from './records.ts';
import type { Viewer } from './viewer.ts';

/** A permission of an App, `contents:write`. */
export type AppPermission = `${string}:${'read' | 'write' | 'admin'}`;

/**
 * What a route demands. `app`: any one of these permissions lets an installation in; [] needs none (metadata alone).
 * `user`: the least role of a person in the repository. `jwt`: the App's own signature, nothing else.
 */
export type Needs =
  | { readonly app: readonly AppPermission[]; readonly user: Role }
  | 'app-jwt'
  | 'installation'
  | 'signed-in'
  | 'anyone';

export interface AccessService {
  /** A person's role in a repository, from ownership, membership, teams and collaborators; public gives `read`. */
  roleOf(user: AccountRecord, repository: RepositoryRecord): Role;
  /** The viewer's role. An installation has `write` with contents:write, `read` with access, `none` outside of it (or `read` if public). */
  viewerRole(viewer: Viewer, repository: RepositoryRecord): Role;
  /** Whether an installation token reaches the repository at all (public ones can be read by anybody, which this does not count). */
  inScope(viewer: Viewer, repository: RepositoryRecord): boolean;
  /** The installation that covers a repository. */
  installationFor(repository: RepositoryRecord): InstallationRecord | undefined;
  isOrgMember(orgId: number, userId: number): boolean;
  isOrgAdmin(orgId: number, viewer: Viewer): boolean;
}

export const roleAtLeast = (role: Role, needed: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Whether `granted` contains the permission: write contains read, admin both. */
export function permits(granted: Permissions, permission: AppPermission): boolean {
  const [name = '', level = 'read'] = permission.split(':');
  const order = ['read', 'write', 'admin'];
  const have = name === 'metadata' ? (granted[name] ?? 'read') : granted[name];
  return have !== undefined && order.indexOf(have) >= order.indexOf(level);
}

/** Who may do what in a repository: roles of owners, members, teams and collaborators. */
export function makeAccess(records: Records): AccessService {
  const service: AccessService = {
    roleOf: (user, repository) => {
      if (user.id === repository.ownerId) return 'admin';
      const membership = records.memberships.first('pair', [repository.ownerId, user.id]);
      const teams = records.teamRepositories
        .find('repository', [repository.id])
        .filter((grant) => records.teamMembers.first('pair', [grant.teamId, user.id]) !== undefined);
      return highest([
        repository.private ? 'none' : 'read',
        membership === undefined ? 'none' : membership.role === 'admin' ? 'admin' : 'read',
        records.collaborators.first('pair', [repository.id, user.id])?.role ?? 'none',
        ...teams.map((grant) => grant.role),
      ]);
    },
    viewerRole: (viewer, repository) => {
      const open: Role = repository.private ? 'none' : 'read';
      if (viewer.kind === 'user') return service.roleOf(viewer.user, repository);
      if (viewer.kind !== 'installation' || !service.inScope(viewer, repository)) return open;
      if (permits(viewer.permissions, 'administration:write')) return 'admin';
      return permits(viewer.permissions, 'contents:write') ? 'write' : 'read';
    },
    inScope: (viewer, repository) =>
      viewer.kind === 'installation' &&
      covers(viewer.installation, repository) &&
      (viewer.repositoryIds === null || viewer.repositoryIds.includes(repository.id)),
    installationFor: (repository) =>
      records.installations
        .find('account', [repository.ownerId])
        .find((installation) => installation.suspendedAt === null && covers(installation, repository)),
    isOrgMember: (orgId, userId) => records.memberships.first('pair', [orgId, userId]) !== undefined,
    isOrgAdmin: (orgId, viewer) =>
      viewer.kind === 'user' && records.memberships.first('pair', [orgId, viewer.user.id])?.role === 'admin',
  };
  return service;
}

const highest = (roles: readonly Role[]): Role =>
  roles.reduce<Role>((best, role) => (roleAtLeast(role, best) ? role : best), 'none');

const covers = (installation: InstallationRecord, repository: RepositoryRecord): boolean =>
  installation.accountId === repository.ownerId &&
  (installation.selection === 'all' || installation.repositoryIds.includes(repository.id));
