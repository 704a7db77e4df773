import { z } from 'zod';

import type { PullRecord, ReviewRecord, ReviewState } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { retryAutoMerge } from '../pulls/auto-merge.ts';
import { emitReview, pullById } from '../pulls/pull-events.ts';
import { addReviewComments } from '../pulls/review-comments.ts';
import { publishComments } from '../pulls/review-comments.ts';
import { dismissReview, touch } from '../pulls/transitions.ts';
import { forbidden, notFound, refusal } from '../refusal.ts';
import { bodyOf, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { issueOf } from '../shapes/pull.ts';
import { reviewCommentShape, reviewShape } from '../shapes/review.ts';
import type { Shape } from '../shapes/shape.ts';
import type { Actor } from '../viewer.ts';
import { bodyText, hasRole, numberParam, pullAt, refuseLocked } from './writing.ts';

const EVENTS = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

const event = z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);

const creation = z.object({
  commit_id: z.string().optional(),
  body: bodyText.nullish(),
  event: event.optional(),
  comments: z
    .array(
      z.object({
        path: z.string().min(1),
        position: z.int().positive().optional(),
        body: bodyText.min(1),
        line: z.int().positive().optional(),
        side: z.enum(['LEFT', 'RIGHT']).optional(),
        start_line: z.int().positive().optional(),
        start_side: z.enum(['LEFT', 'RIGHT']).optional(),
      }),
    )
    .default([]),
});

const submission = z.object({ body: bodyText.nullish(), event });
const text = z.object({ body: bodyText });
const dismissal = z.object({ message: z.string().min(1), event: z.literal('DISMISS').optional() });

/** Reviews of pull requests. */
export function addReviews(context: ForgeContext, router: Router): void {
  const read = { app: ['pull_requests:read'], user: 'read' } as const;
  const write = { app: ['pull_requests:write'], user: 'read' } as const;
  const { reviews, reviewComments } = collaborationStore(context.store);
  const path = '/pulls/:number/reviews';
  const shape = (request: RepositoryRequest, pull: PullRecord, review: ReviewRecord): Shape =>
    reviewShape({ context, repository: request.repository, pull, review });

  router.repo('GET', path, read, (request) => {
    const pull = pullAt(context, request);
    const visible = reviews.find('pull', [pull.id]).filter((review) => isVisible(request, review));
    return paginated(request, visible, (review) => shape(request, pull, review));
  });

  router.repo('POST', path, write, async (request) => {
    const pull = pullAt(context, request);
    const actor = request.actor();
    const wanted = bodyOf(request, creation);
    refuseLocked(request, issueOf(context, pull), actor);
    const state = wanted.event === undefined ? 'PENDING' : EVENTS[wanted.event];
    refuseReview({
      context,
      pull,
      actor,
      state,
      body: wanted.body ?? '',
      hasComments: wanted.comments.length > 0,
    });
    const pending = reviews
      .find('pull', [pull.id])
      .some((review) => review.userId === actor.user.id && review.state === 'PENDING');
    if (pending) {
      throw refusal(422, 'Unprocessable Entity', {
        errors: ['User can only have one pending review per pull request'],
      });
    }
    const commitId = wanted.commit_id ?? pull.headSha;
    const review = await addReviewComments({
      context,
      repository: request.repository,
      pull,
      actor,
      wanted: {
        commitId,
        body: wanted.body ?? '',
        comments: wanted.comments,
      },
    });
    const done =
      state === 'PENDING' ? review : submit({ context, request, pull, review, state, body: review.body });
    return ok(shape(request, pull, done));
  });

  router.repo('GET', `${path}/:review`, read, (request) => {
    const pull = pullAt(context, request);
    return ok(shape(request, pull, reviewAt(context, request, pull)));
  });

  router.repo('PUT', `${path}/:review`, write, (request) => {
    const pull = pullAt(context, request);
    const review = reviewAt(context, request, pull);
    if (review.userId !== request.actor().user.id) throw forbidden('You may only edit your own review.');
    const { body } = bodyOf(request, text);
    const edited = context.store.transaction(() => {
      const now = context.now();
      const edit = { at: now, byId: request.actor().user.id };
      const changed = reviews.update(review.id, { body, updatedAt: now, edit });
      const changes = { body: { from: review.body } };
      if (review.state !== 'PENDING') {
        emitReview({
          context,
          repository: request.repository,
          pull,
          review: changed,
          sender: request.actor().user,
          action: 'edited',
          extra: { changes },
        });
      }
      return changed;
    });
    return ok(shape(request, pull, edited));
  });

  router.repo('DELETE', `${path}/:review`, write, (request) => {
    const pull = pullAt(context, request);
    const review = reviewAt(context, request, pull);
    if (review.state !== 'PENDING') throw refusal(422, 'Can not delete a non-pending pull request review');
    context.store.transaction(() => {
      for (const comment of reviewComments.find('review', [review.id])) reviewComments.remove(comment.id);
      reviews.remove(review.id);
    });
    return ok(shape(request, pull, review));
  });

  router.repo('POST', `${path}/:review/events`, write, (request) => {
    const pull = pullAt(context, request);
    const review = reviewAt(context, request, pull);
    const wanted = bodyOf(request, submission);
    const actor = request.actor();
    if (review.state !== 'PENDING' || review.userId !== actor.user.id) {
      throw refusal(422, 'Unprocessable Entity', { errors: ['The review has been submitted already'] });
    }
    const state = EVENTS[wanted.event];
    const body = wanted.body ?? review.body;
    refuseReview({
      context,
      pull,
      actor,
      state,
      body,
      hasComments: reviewComments.count('review', [review.id]) > 0,
    });
    return ok(shape(request, pull, submit({ context, request, pull, review, state, body })));
  });

  router.repo('PUT', `${path}/:review/dismissals`, write, (request) => {
    const pull = pullAt(context, request);
    const review = reviewAt(context, request, pull);
    const actor = request.actor();
    bodyOf(request, dismissal);
    if (!hasRole(request, actor, 'write')) throw forbidden('Must have write access to dismiss a review.');
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
      throw refusal(422, 'Validation Failed', {
        errors: ['Can not dismiss a commented pull request review'],
      });
    }
    return ok(
      shape(
        request,
        pull,
        dismissReview({ context, repository: request.repository, pull, review, by: actor.user }),
      ),
    );
  });

  router.repo('GET', `${path}/:review/comments`, read, (request) => {
    const pull = pullAt(context, request);
    const review = reviewAt(context, request, pull);
    return paginated(request, reviewComments.find('review', [review.id]), (comment) => {
      // GitHub leaves the lines out of this one list.
      const {
        line: _line,
        side: _side,
        ...rest
      } = reviewCommentShape(context, request.repository, pull, comment);
      return rest;
    });
  });
}

function reviewAt(context: ForgeContext, request: RepositoryRequest, pull: PullRecord): ReviewRecord {
  const review = collaborationStore(context.store).reviews.get(numberParam(request, 'review'));
  if (review === undefined || review.pullId !== pull.id || !isVisible(request, review)) throw notFound();
  return review;
}

/** A pending review is its author's alone. */
function isVisible(request: RepositoryRequest, review: ReviewRecord): boolean {
  const { viewer } = request;
  const id = viewer.kind === 'user' || viewer.kind === 'installation' ? viewer.user.id : undefined;
  return review.state !== 'PENDING' || review.userId === id;
}

function refuseReview({
  context,
  pull,
  actor,
  state,
  body,
  hasComments,
}: {
  readonly context: ForgeContext;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly state: ReviewState;
  readonly body: string;
  readonly hasComments: boolean;
}): void {
  const own = issueOf(context, pull).userId === actor.user.id;
  if (own && (state === 'APPROVED' || state === 'CHANGES_REQUESTED')) {
    const what = state === 'APPROVED' ? 'approve' : 'request changes on';
    throw refusal(422, 'Unprocessable Entity', { errors: [`Can not ${what} your own pull request`] });
  }
  const silent = body === '' && !hasComments;
  if (silent && (state === 'CHANGES_REQUESTED' || state === 'COMMENTED')) {
    throw refusal(422, 'Unprocessable Entity', { errors: ['Body can not be blank'] });
  }
}

function submit({
  context,
  request,
  pull,
  review,
  state,
  body,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly pull: PullRecord;
  readonly review: ReviewRecord;
  readonly state: ReviewState;
  readonly body: string;
}): ReviewRecord {
  const { repository } = request;
  const store = collaborationStore(context.store);
  const done = context.store.transaction(() => {
    const now = context.now();
    const submitted = store.reviews.update(review.id, { state, body, submittedAt: now, updatedAt: now });
    const reviewerIds = pullById(context, pull.id).reviewerIds.filter((id) => id !== review.userId);
    store.pulls.update(pull.id, { reviewerIds });
    touch(context, pull);
    emitReview({
      context,
      repository,
      pull,
      review: submitted,
      sender: request.actor().user,
      action: 'submitted',
    });
    publishComments({ context, repository, pull, review: submitted, sender: request.actor().user });
    return submitted;
  });
  retryAutoMerge(context, repository, pullById(context, pull.id));
  return done;
}
