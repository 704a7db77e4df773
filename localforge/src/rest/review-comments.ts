import { z } from 'zod';

import type { PullRecord, ReviewCommentRecord, ReviewRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { emitReview, pullById } from '../pulls/pull-events.ts';
import { addReviewComments, emitComment, publishComments } from '../pulls/review-comments.ts';
import { firstUpdate } from '../realism/moved-times.ts';
import { invalid, notFound, refusal } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { issueOf } from '../shapes/pull.ts';
import { reviewCommentShape } from '../shapes/review.ts';
import { bodyText, editor, numberParam, pullAt, refuseLocked, sorted } from './writing.ts';

const side = z.enum(['LEFT', 'RIGHT']);

const creation = z.object({
  body: bodyText.min(1),
  commit_id: z.string().optional(),
  path: z.string().min(1).optional(),
  position: z.int().positive().optional(),
  side: side.optional(),
  line: z.int().positive().optional(),
  start_line: z.int().positive().optional(),
  start_side: z.enum(['LEFT', 'RIGHT', 'side']).optional(),
  in_reply_to: z.int().optional(),
  subject_type: z.enum(['line', 'file']).optional(),
});

const text = z.object({ body: bodyText.min(1) });

/** Comments on lines of a diff. */
export function addReviewCommentRoutes(context: ForgeContext, router: Router): void {
  const read = { app: ['pull_requests:read'], user: 'read' } as const;
  const write = { app: ['pull_requests:write'], user: 'read' } as const;
  const { reviewComments } = collaborationStore(context.store);

  router.repo('GET', '/pulls/comments', read, (request) => {
    const found = reviewComments.find('repository', [request.repository.id]);
    return list(
      context,
      request,
      found.filter((comment) => isPublished(context, comment)),
    );
  });

  router.repo('GET', '/pulls/comments/:comment', read, (request) => {
    const comment = commentAt(context, request);
    return ok(reviewCommentShape(context, request.repository, pullById(context, comment.pullId), comment));
  });

  router.repo('PATCH', '/pulls/comments/:comment', write, (request) => {
    const comment = commentAt(context, request);
    const actor = editor(request, comment.userId);
    const { body } = bodyOf(request, text);
    const pull = pullById(context, comment.pullId);
    const changed = context.store.transaction(() => {
      const edited = reviewComments.update(comment.id, {
        body,
        updatedAt: context.now(),
        edit: { at: context.now(), byId: actor.user.id },
      });
      const changes = { body: { from: comment.body } };
      emitComment({
        context,
        repository: request.repository,
        pull,
        comment: edited,
        sender: actor.user,
        action: 'edited',
        extra: { changes },
      });
      return edited;
    });
    return ok(reviewCommentShape(context, request.repository, pull, changed));
  });

  router.repo('DELETE', '/pulls/comments/:comment', write, (request) => {
    const comment = commentAt(context, request);
    const actor = editor(request, comment.userId);
    context.store.transaction(() => {
      reviewComments.remove(comment.id);
      const pull = pullById(context, comment.pullId);
      emitComment({
        context,
        repository: request.repository,
        pull,
        comment,
        sender: actor.user,
        action: 'deleted',
      });
    });
    return noContent();
  });

  router.repo('GET', '/pulls/:number/comments', read, (request) => {
    const found = reviewComments.find('pull', [pullAt(context, request).id]);
    return list(
      context,
      request,
      found.filter((comment) => isPublished(context, comment)),
    );
  });

  router.repo('POST', '/pulls/:number/comments', write, async (request) => {
    const pull = pullAt(context, request);
    const wanted = bodyOf(request, creation);
    if (wanted.in_reply_to !== undefined) {
      return reply({ context, request, pull, to: wanted.in_reply_to, body: wanted.body });
    }
    if (wanted.path === undefined || wanted.commit_id === undefined) {
      const field = wanted.path === undefined ? 'path' : 'commit_id';
      throw invalid({ resource: 'PullRequestReviewComment', code: 'missing_field', field });
    }
    const actor = request.actor();
    refuseLocked(request, issueOf(context, pull), actor);
    const { commit_id: commitId, start_side: startSide, subject_type: subject, ...place } = wanted;
    const review = await addReviewComments({
      context,
      repository: request.repository,
      pull,
      actor,
      wanted: {
        commitId,
        body: '',
        comments: [
          {
            ...place,
            path: wanted.path,
            start_side: startSide === 'side' ? undefined : startSide,
            subject: subject ?? 'line',
          },
        ],
      },
    });
    return publish(context, request, pull, review);
  });

  router.repo('POST', '/pulls/:number/comments/:comment/replies', write, (request) => {
    const pull = pullAt(context, request);
    const { body } = bodyOf(request, text);
    return reply({ context, request, pull, to: numberParam(request, 'comment'), body });
  });
}

function list(
  context: ForgeContext,
  request: RepositoryRequest,
  found: readonly ReviewCommentRecord[],
): Reply {
  const since = request.query('since') ?? '';
  const sort = request.query('sort');
  const direction = sort === undefined ? 'asc' : (request.query('direction') ?? 'desc');
  const items = sorted(
    found.filter((comment) => comment.updatedAt >= since),
    (comment) => (sort === 'updated' ? comment.updatedAt : comment.id),
    direction,
  );
  return paginated(request, items, (comment) =>
    reviewCommentShape(context, request.repository, pullById(context, comment.pullId), comment),
  );
}

function commentAt(context: ForgeContext, request: RepositoryRequest): ReviewCommentRecord {
  const comment = collaborationStore(context.store).reviewComments.get(numberParam(request, 'comment'));
  if (comment === undefined || comment.repositoryId !== request.repository.id) throw notFound();
  return comment;
}

/** The comments of a pending review are not shown to others. */
function isPublished(context: ForgeContext, comment: ReviewCommentRecord): boolean {
  return collaborationStore(context.store).reviews.get(comment.reviewId)?.state !== 'PENDING';
}

function reply({
  context,
  request,
  pull,
  to,
  body,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly pull: PullRecord;
  readonly to: number;
  readonly body: string;
}): Reply {
  const store = collaborationStore(context.store);
  const parent = store.reviewComments.get(to);
  if (parent === undefined || parent.pullId !== pull.id) throw notFound();
  if (parent.inReplyTo !== null) throw refusal(422, 'Can not reply to a reply.');
  const actor = request.actor();
  refuseLocked(request, issueOf(context, pull), actor);
  const own = { userId: actor.user.id, viaApp: actor.kind === 'installation', minimized: null };
  const now = context.now();
  const review = context.store.transaction(() => {
    const made = store.reviews.insert({
      ...own,
      repositoryId: pull.repositoryId,
      pullId: pull.id,
      body: '',
      state: 'PENDING',
      commitId: pull.headSha,
      createdAt: now,
      updatedAt: now,
      submittedAt: null,
    });
    const { id: _id, ...rest } = parent;
    const times = { createdAt: now, updatedAt: firstUpdate(context, now) };
    store.reviewComments.insert({ ...rest, ...own, ...times, body, inReplyTo: to, reviewId: made.id });
    return made;
  });
  return publish(context, request, pull, review);
}

/** Submits the review that carries a single comment, and answers with the comment. */
function publish(
  context: ForgeContext,
  request: RepositoryRequest,
  pull: PullRecord,
  review: ReviewRecord,
): Reply {
  const { repository } = request;
  const store = collaborationStore(context.store);
  const sender = request.actor().user;
  context.store.transaction(() => {
    const now = context.now();
    const done = store.reviews.update(review.id, { state: 'COMMENTED', submittedAt: now, updatedAt: now });
    emitReview({ context, repository, pull, review: done, sender, action: 'submitted' });
    publishComments({ context, repository, pull, review: done, sender });
  });
  const [comment] = store.reviewComments.find('review', [review.id]);
  if (comment === undefined) throw notFound();
  const body = reviewCommentShape(context, repository, pull, comment);
  return created(body, { location: String(body['url']) });
}
