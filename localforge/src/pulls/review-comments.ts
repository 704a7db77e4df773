import { emitFor } from '../acting.ts';
import type { DiffSide, PullRecord, ReviewCommentRecord, ReviewRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { DiffFile } from '../git-repository.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { invalid } from '../refusal.ts';
import { simplePull } from '../shapes/pull.ts';
import { reviewCommentShape } from '../shapes/review.ts';
import type { Actor } from '../viewer.ts';
import { findPlace } from './diff-position.ts';
import { baseOf } from './mergeability.ts';

interface NewComment {
  readonly path: string;
  readonly body: string;
  readonly position?: number | undefined;
  readonly line?: number | undefined;
  readonly side?: DiffSide | undefined;
  readonly start_line?: number | undefined;
  readonly start_side?: DiffSide | undefined;
  /** `file`: on the file as a whole. */
  readonly subject?: 'line' | 'file';
}

export interface NewReview {
  readonly commitId: string;
  readonly body: string;
  readonly comments: readonly NewComment[];
}

/** What GitHub gives as position of a comment on a whole file. */
const WHOLE_FILE = 1;

type Placed = Omit<ReviewCommentRecord, 'id' | 'reviewId'>;

/**
 * Stores a pending review with its comments.
 * @throws 422 when the commit is not the pull request's or a line is not in its diff
 */
export async function addReviewComments({
  context,
  repository,
  pull,
  actor,
  wanted,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly wanted: NewReview;
}): Promise<ReviewRecord> {
  const git = context.git(repository);
  const base = await baseOf(context, repository, pull);
  const commit = /^[0-9a-f]{40}$/.test(wanted.commitId) ? await git.commit(wanted.commitId) : undefined;
  if (commit === undefined || !(await git.isAncestor(commit.sha, pull.headSha))) {
    throw wrong('commit_id', 'commit_id is not part of the pull request');
  }
  const from = (await git.mergeBase(base, commit.sha)) ?? base;
  const files = wanted.comments.length === 0 ? [] : await git.diff(from, commit.sha, { patch: true });
  const placed = wanted.comments.map((comment) =>
    place({ context, pull, actor, comment, sha: commit.sha, files }),
  );
  const store = collaborationStore(context.store);
  return context.store.transaction(() => {
    const now = context.now();
    const review = store.reviews.insert({
      repositoryId: repository.id,
      pullId: pull.id,
      userId: actor.user.id,
      viaApp: actor.kind === 'installation',
      body: wanted.body,
      state: 'PENDING',
      commitId: commit.sha,
      minimized: null,
      createdAt: now,
      updatedAt: now,
      submittedAt: null,
    });
    for (const comment of placed) store.reviewComments.insert({ ...comment, reviewId: review.id });
    return review;
  });
}

/** Emits `pull_request_review_comment.created` for the comments of a review that was just submitted. */
export function publishComments({
  context,
  repository,
  pull,
  review,
  sender,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly review: ReviewRecord;
  readonly sender: AccountRecord;
}): void {
  for (const comment of collaborationStore(context.store).reviewComments.find('review', [review.id])) {
    emitComment({ context, repository, pull, comment, sender, action: 'created' });
  }
}

/** Emits `pull_request_review_comment` with `action`. */
export function emitComment({
  context,
  repository,
  pull,
  comment,
  sender,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly comment: ReviewCommentRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}): void {
  emitFor({
    context,
    repository,
    sender,
    event: 'pull_request_review_comment',
    action,
    payload: {
      comment: reviewCommentShape(context, repository, pull, comment),
      pull_request: simplePull(context, repository, pull),
      ...extra,
    },
  });
}

function place({
  context,
  pull,
  actor,
  comment,
  sha,
  files,
}: {
  readonly context: ForgeContext;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly comment: NewComment;
  readonly sha: string;
  readonly files: readonly DiffFile[];
}): Placed {
  const file = files.find((each) => each.path === comment.path);
  if (file === undefined)
    throw wrong('pull_request_review_thread.path', 'pull_request_review_thread.path is invalid');
  const whole = comment.subject === 'file';
  const found = whole ? undefined : findPlace(file.patch ?? '', comment);
  const start =
    comment.start_line === undefined
      ? undefined
      : findPlace(file.patch ?? '', { line: comment.start_line, side: comment.start_side ?? comment.side });
  if (!whole && found === undefined) throw notInDiff('line');
  if (comment.start_line !== undefined && start === undefined) throw notInDiff('start_line');
  const now = context.now();
  return {
    repositoryId: pull.repositoryId,
    pullId: pull.id,
    userId: actor.user.id,
    viaApp: actor.kind === 'installation',
    body: comment.body,
    path: comment.path,
    diffHunk: found?.hunk ?? '',
    subject: whole ? 'file' : 'line',
    position: found?.position ?? WHOLE_FILE,
    originalPosition: found?.position ?? WHOLE_FILE,
    line: found?.line ?? null,
    originalLine: found?.line ?? null,
    startLine: start?.line ?? null,
    side: found?.side ?? 'RIGHT',
    startSide: start?.side ?? null,
    commitId: sha,
    originalCommitId: sha,
    inReplyTo: null,
    minimized: null,
    createdAt: now,
    updatedAt: now,
  };
}

const notInDiff = (name: string): Error =>
  wrong(`pull_request_review_thread.${name}`, `pull_request_review_thread.${name} must be part of the diff`);

const wrong = (field: string, message: string): Error =>
  invalid({ resource: 'PullRequestReviewComment', code: 'custom', field, message });
