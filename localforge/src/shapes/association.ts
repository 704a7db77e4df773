import { REACTIONS } from '../collaboration-records.ts';
import type { ReactionSubject } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import type { Shape } from './shape.ts';

/** What an account is to a repository: `OWNER`, `MEMBER`, `COLLABORATOR` or `NONE`. */
export function authorAssociation(
  context: ForgeContext,
  repository: RepositoryRecord,
  userId: number,
): string {
  if (userId === repository.ownerId) return 'OWNER';
  if (context.access.isOrgMember(repository.ownerId, userId)) return 'MEMBER';
  const collaborator = context.records.collaborators.first('pair', [repository.id, userId]);
  return collaborator === undefined ? 'NONE' : 'COLLABORATOR';
}

/** `reaction-rollup`: how many reactions of each kind a thing has. `url` is the thing's own address. */
export function reactionRollup(
  context: ForgeContext,
  subject: ReactionSubject,
  id: number,
  url: string,
): Shape {
  const found = collaborationStore(context.store).reactions.find('subject', [subject, id]);
  const counts = REACTIONS.map((content) => [content, found.filter((one) => one.content === content).length]);
  return { url: `${url}/reactions`, total_count: found.length, ...Object.fromEntries(counts) };
}
