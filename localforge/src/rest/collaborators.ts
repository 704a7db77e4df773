import { z } from 'zod';

import { roleAtLeast } from '../access.ts';
import { setCollaborator } from '../apply-config.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, Role } from '../records.ts';
import { forbidden, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleUser } from '../shapes/account.ts';
import { permissionFlags } from '../shapes/repository.ts';

const WRITE = { app: ['administration:write'], user: 'admin' } as const;
const body = z.object({
  permission: z.enum(['pull', 'triage', 'push', 'maintain', 'admin', 'read', 'write']).default('push'),
});

/** `/collaborators` and `/collaborators/{username}/permission`. */
export function addCollaboratorRoutes(context: ForgeContext, router: Router): void {
  const { access, records } = context;
  const read = { app: [], user: 'write' } as const;

  router.repo('GET', '/collaborators', read, (request) => {
    const people = new Map<number, AccountRecord>();
    for (const one of records.collaborators.find('repository', [request.repository.id])) {
      people.set(one.userId, records.account(one.userId));
    }
    if (request.query('affiliation') !== 'direct') {
      for (const user of records.accounts.all()) {
        const isMember = access.isOrgMember(request.repository.ownerId, user.id);
        if (isMember || user.id === request.repository.ownerId) people.set(user.id, user);
      }
    }
    const users = [...people.values()].filter((user) => user.type === 'User');
    return paginated(request, users, (user) => {
      const role = access.roleOf(user, request.repository);
      return { ...simpleUser(context, user), permissions: permissionFlags(role), role_name: role };
    });
  });
  router.repo('GET', '/collaborators/:username', read, (request) => {
    const user = records.accountByLogin(request.param('username'));
    if (user === undefined || !isCollaborator(context, request, user)) throw notFound();
    return noContent();
  });
  router.repo('GET', '/collaborators/:username/permission', { app: [], user: 'read' }, (request) => {
    // People ask only with push access; anybody may ask about themselves.
    const user = records.accountByLogin(request.param('username'));
    const isSelf = request.viewer.kind === 'user' && request.viewer.user.id === user?.id;
    if (request.viewer.kind !== 'installation' && !isSelf && !roleAtLeast(request.role, 'write')) {
      throw forbidden('Must have push access to view collaborator permission.');
    }
    if (user === undefined || user.type === 'Organization') throw notFound();
    const role = user.type === 'Bot' ? 'none' : access.roleOf(user, request.repository);
    return ok({
      permission: legacy(role),
      role_name: role,
      user: { ...simpleUser(context, user), permissions: permissionFlags(role), role_name: role },
    });
  });
  router.repo('PUT', '/collaborators/:username', WRITE, (request) => {
    const { permission } = bodyOf(request, body);
    const user = records.accountByLogin(request.param('username'));
    if (user === undefined) throw notFound();
    if (user.type !== 'User') throw unprocessable('Only people can be collaborators.');
    const known = isCollaborator(context, request, user);
    const role: Role = permission === 'pull' ? 'read' : permission === 'push' ? 'write' : permission;
    context.store.transaction(() => {
      // There are no invitations here: who is asked has accepted.
      setCollaborator(context, request.repository.id, user.id, role);
      context.emit({
        event: 'member',
        action: known ? 'edited' : 'added',
        repository: request.repository,
        sender: request.actor().user,
        payload: {
          member: simpleUser(context, user),
          changes: { permission: { to: legacy(role) }, role_name: { to: role } },
        },
      });
    });
    return noContent();
  });
  router.repo('DELETE', '/collaborators/:username', WRITE, (request) => {
    const user = records.accountByLogin(request.param('username'));
    const present = user && records.collaborators.first('pair', [request.repository.id, user.id]);
    if (user === undefined || present === undefined) return noContent();
    context.store.transaction(() => {
      records.collaborators.remove(present.id);
      context.emit({
        event: 'member',
        action: 'removed',
        repository: request.repository,
        sender: request.actor().user,
        payload: { member: simpleUser(context, user) },
      });
    });
    return noContent();
  });
}

const isCollaborator = (context: ForgeContext, request: RepositoryRequest, user: AccountRecord): boolean =>
  user.id === request.repository.ownerId ||
  context.access.isOrgMember(request.repository.ownerId, user.id) ||
  context.records.collaborators.first('pair', [request.repository.id, user.id]) !== undefined;

/** `permission` knows four words only; `role_name` knows all. */
function legacy(role: Role): string {
  if (role === 'maintain') return 'write';
  return role === 'triage' ? 'read' : role;
}
