import type { PullRecord, ReviewCommentRecord, ReviewRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from './account.ts';
import { authorAssociation, reactionRollup } from './association.ts';
import type { Shape } from './shape.ts';

/** `pull-request-review`. Webhooks write the state in lower case: `forWebhook`. */
export function reviewShape({
  context,
  repository,
  pull,
  review,
  forWebhook = false,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly review: ReviewRecord;
  readonly forWebhook?: boolean | undefined;
}): Shape {
  const { records, urls } = context;
  const pullUrl = urls.repoApi(repository, `/pulls/${pull.number}`);
  const htmlUrl = urls.repoWeb(repository, `/pull/${pull.number}#pullrequestreview-${review.id}`);
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: simpleUser(context, records.account(review.userId)),
    body: forWebhook && review.body === '' ? null : review.body,
    state: forWebhook ? review.state.toLowerCase() : review.state,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: authorAssociation(context, repository, review.userId),
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    ...(forWebhook ? { updated_at: review.updatedAt } : {}),
    commit_id: review.commitId,
  };
}

/** `pull-request-review-comment`. */
export function reviewCommentShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  comment: ReviewCommentRecord,
): Shape {
  const { records, urls } = context;
  const url = urls.repoApi(repository, `/pulls/comments/${comment.id}`);
  const pullUrl = urls.repoApi(repository, `/pulls/${pull.number}`);
  const htmlUrl = urls.repoWeb(repository, `/pull/${pull.number}#discussion_r${comment.id}`);
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    commit_id: comment.commitId,
    original_commit_id: comment.originalCommitId,
    user: simpleUser(context, records.account(comment.userId)),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: authorAssociation(context, repository, comment.userId),
    _links: { self: { href: url }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    reactions: reactionRollup(context, 'review_comment', comment.id, url),
    start_line: comment.startLine,
    original_start_line: comment.startLine,
    start_side: comment.startSide,
    line: comment.line,
    original_line: comment.originalLine,
    side: comment.side,
    position: comment.position,
    original_position: comment.originalPosition,
    subject_type: comment.subject,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  };
}
