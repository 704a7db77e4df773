import { z } from 'zod';

import { REACTIONS } from '../collaboration-records.ts';
import type { ReactionSubject } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { issueById } from '../issues/change-issue.ts';
import { forbidden, notFound } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { reactionShape } from '../shapes/issue.ts';
import { issueAt, numberParam, refuseOtherKind } from './writing.ts';

const wanted = z.object({ content: z.enum(REACTIONS) });

interface Subject {
  readonly kind: ReactionSubject;
  readonly path: string;
  readonly permission: 'issues' | 'pull_requests';
  readonly idOf: (request: RepositoryRequest) => number;
}

/** Reactions to issues, comments and review comments. */
export function addReactions(context: ForgeContext, router: Router): void {
  const { comments, reviewComments } = collaborationStore(context.store);
  addSubject(context, router, {
    kind: 'issue',
    path: '/issues/:number/reactions',
    permission: 'issues',
    idOf: (request) => issueAt(context, request).id,
  });
  addSubject(context, router, {
    kind: 'comment',
    path: '/issues/comments/:comment/reactions',
    permission: 'issues',
    idOf: (request) => {
      const comment = comments.get(numberParam(request, 'comment'));
      if (comment !== undefined) refuseOtherKind(request, issueById(context, comment.issueId));
      return within(request, comment);
    },
  });
  addSubject(context, router, {
    kind: 'review_comment',
    path: '/pulls/comments/:comment/reactions',
    permission: 'pull_requests',
    idOf: (request) => within(request, reviewComments.get(numberParam(request, 'comment'))),
  });
}

function addSubject(context: ForgeContext, router: Router, subject: Subject): void {
  const { reactions } = collaborationStore(context.store);
  const { kind, path } = subject;
  const read = { app: [`${subject.permission}:read`, 'pull_requests:read'], user: 'read' } as const;
  const write = { app: [`${subject.permission}:write`, 'pull_requests:write'], user: 'read' } as const;

  router.repo('GET', path, read, (request) => {
    const content = request.query('content');
    const found = reactions
      .find('subject', [kind, subject.idOf(request)])
      .filter((reaction) => content === undefined || reaction.content === content);
    return paginated(request, found, (reaction) => reactionShape(context, reaction));
  });

  router.repo('POST', path, write, (request) => {
    const subjectId = subject.idOf(request);
    const { content } = bodyOf(request, wanted);
    const userId = request.actor().user.id;
    const known = reactions.first('own', [kind, subjectId, userId, content]);
    if (known !== undefined) return ok(reactionShape(context, known));
    const made = reactions.insert({ subject: kind, subjectId, userId, content, createdAt: context.now() });
    return created(reactionShape(context, made));
  });

  router.repo('DELETE', `${path}/:reaction`, write, (request) => {
    const reaction = reactions.get(numberParam(request, 'reaction'));
    const fits = reaction?.subject === kind && reaction.subjectId === subject.idOf(request);
    if (reaction === undefined || !fits) throw notFound();
    if (reaction.userId !== request.actor().user.id)
      throw forbidden('You may only delete your own reactions.');
    reactions.remove(reaction.id);
    return noContent();
  });
}

/** The id of a thing that must be in the request's repository. */
function within(
  request: RepositoryRequest,
  found: { readonly id: number; readonly repositoryId: number } | undefined,
): number {
  if (found === undefined || found.repositoryId !== request.repository.id) throw notFound();
  return found.id;
}
