import { z } from 'zod';

import { emitFor } from '../acting.ts';
import type { CommentRecord, IssueRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { issueById } from '../issues/change-issue.ts';
import { firstUpdate } from '../realism/moved-times.ts';
import { notFound } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { commentShape, issueShape } from '../shapes/issue.ts';
import type { Shape } from '../shapes/shape.ts';
import { bodyText, editor, issueAt, numberParam, refuseLocked, refuseOtherKind, sorted } from './writing.ts';

const text = z.object({ body: bodyText.min(1, 'write some text: the comment is empty') });

/** Comments on issues and pull requests. */
export function addIssueComments(context: ForgeContext, router: Router): void {
  const read = { app: ['issues:read', 'pull_requests:read'], user: 'read' } as const;
  const write = { app: ['issues:write', 'pull_requests:write'], user: 'read' } as const;
  const { comments, issues } = collaborationStore(context.store);
  const shape = (request: RepositoryRequest, comment: CommentRecord): Shape =>
    commentShape(context, request.repository, issueById(context, comment.issueId), comment);

  router.repo('GET', '/issues/comments', read, (request) => {
    const since = request.query('since') ?? '';
    const found = comments
      .find('repository', [request.repository.id])
      .filter((one) => one.updatedAt >= since);
    const sort = request.query('sort');
    const direction = sort === undefined ? 'asc' : (request.query('direction') ?? 'desc');
    const items = sorted(found, (one) => (sort === 'updated' ? one.updatedAt : one.id), direction);
    return paginated(request, items, (comment) => shape(request, comment));
  });

  router.repo('GET', '/issues/comments/:comment', read, (request) =>
    ok(shape(request, commentAt(context, request))),
  );

  router.repo('PATCH', '/issues/comments/:comment', write, (request) => {
    const comment = commentAt(context, request);
    const actor = editor(request, comment.userId);
    const { body } = bodyOf(request, text);
    const changed = context.store.transaction(() => {
      const now = context.now();
      const edit = { at: now, byId: actor.user.id };
      const edited = comments.update(comment.id, { body, updatedAt: now, edit });
      tell({
        context,
        request,
        comment: edited,
        action: 'edited',
        extra: { changes: { body: { from: comment.body } } },
      });
      return edited;
    });
    return ok(shape(request, changed));
  });

  router.repo('DELETE', '/issues/comments/:comment', write, (request) => {
    const comment = commentAt(context, request);
    editor(request, comment.userId);
    context.store.transaction(() => {
      comments.remove(comment.id);
      tell({ context, request, comment, action: 'deleted' });
    });
    return noContent();
  });

  router.repo('GET', '/issues/:number/comments', read, (request) => {
    const issue = issueAt(context, request);
    const since = request.query('since') ?? '';
    const found = comments.find('issue', [issue.id]).filter((one) => one.updatedAt >= since);
    return paginated(request, found, (comment) => shape(request, comment));
  });

  router.repo('POST', '/issues/:number/comments', write, (request) => {
    const issue = issueAt(context, request);
    const actor = request.actor();
    refuseLocked(request, issue, actor);
    const { body } = bodyOf(request, text);
    const now = context.now();
    const comment = context.store.transaction(() => {
      const made = comments.insert({
        repositoryId: request.repository.id,
        issueId: issue.id,
        userId: actor.user.id,
        viaApp: actor.kind === 'installation',
        body,
        minimized: null,
        createdAt: now,
        updatedAt: firstUpdate(context, now),
      });
      issues.update(issue.id, { updatedAt: now });
      tell({ context, request, comment: made, action: 'created' });
      return made;
    });
    const reply = shape(request, comment);
    return created(reply, { location: String(reply['url']) });
  });
}

function commentAt(context: ForgeContext, request: RepositoryRequest): CommentRecord {
  const comment = collaborationStore(context.store).comments.get(numberParam(request, 'comment'));
  if (comment === undefined || comment.repositoryId !== request.repository.id) throw notFound();
  refuseOtherKind(request, issueById(context, comment.issueId));
  return comment;
}

function tell({
  context,
  request,
  comment,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly comment: CommentRecord;
  readonly action: string;
  readonly extra?: Shape | undefined;
}): void {
  const { repository } = request;
  const issue: IssueRecord = issueById(context, comment.issueId);
  emitFor({
    context,
    repository,
    sender: request.actor().user,
    event: 'issue_comment',
    action,
    payload: {
      issue: issueShape(context, repository, issue),
      comment: commentShape(context, repository, issue, comment),
      ...extra,
    },
  });
}
