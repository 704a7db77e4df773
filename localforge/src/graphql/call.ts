import { permits, roleAtLeast } from '../access.ts';
import type { AppPermission } from '../access.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord, Role } from '../records.ts';
import type { Actor } from '../viewer.ts';
import { graphqlError } from './graphql-error.ts';

/** Who asks what. */
export interface GraphqlCall {
  readonly context: ForgeContext;
  readonly actor: Actor;
}

/** The repository of that id if the actor may know of it. */
export function visible(call: GraphqlCall, repositoryId: number): RepositoryRecord | undefined {
  const repository = call.context.records.repositories.get(repositoryId);
  if (repository === undefined) return undefined;
  return call.context.access.viewerRole(call.actor, repository) === 'none' ? undefined : repository;
}

/** What a mutation demands. */
export interface Demand {
  /** The mutation's name as GitHub writes it in the error. */
  readonly name: string;
  readonly app: readonly AppPermission[];
  readonly role: Role;
  /** May do it whatever their role. */
  readonly authorId?: number;
}

/** @throws FORBIDDEN when the actor may not do it */
export function demand(call: GraphqlCall, repository: RepositoryRecord, wanted: Demand): void {
  const { access } = call.context;
  const { actor } = call;
  if (actor.kind === 'installation') {
    const allowed =
      access.inScope(actor, repository) && wanted.app.every((one) => permits(actor.permissions, one));
    if (!allowed) throw graphqlError('FORBIDDEN', 'Resource not accessible by integration');
    return;
  }
  if (actor.user.id === wanted.authorId) return;
  if (roleAtLeast(access.roleOf(actor.user, repository), wanted.role)) return;
  const who = actor.user.login;
  throw graphqlError(
    'FORBIDDEN',
    `${who} does not have the correct permissions to execute \`${wanted.name}\``,
  );
}
