import type { Review, ReviewsPort } from '../reconcile/forge/reviews.ts';
import { cutText, MAX_BODY } from '../text/cut-text.ts';
import type { RawReview } from './answer-shapes.ts';
import { isForgeError } from './forge-error.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, where } from './repository-context.ts';

/** Reviews, and remarks on lines. */
export function createReviewsApi(context: RepositoryContext): ReviewsPort {
  const { pulls } = context.octokit.rest;
  return {
    listReviews: async (pull_number, signal) => {
      const found = await allPages((page) =>
        pulls.listReviews({ ...where(context, signal), pull_number, ...page }),
      );
      return found.map(toReview);
    },
    remark: async (pull_number, { commitId, body, comments }, signal) => {
      const review = {
        pull_number,
        event: 'COMMENT' as const,
        commit_id: commitId,
        body: cutText(body, MAX_BODY),
        comments: comments.map((one) => ({
          path: one.path,
          line: one.line,
          side: 'RIGHT',
          ...(one.startLine !== undefined &&
            one.startLine < one.line && { start_line: one.startLine, start_side: 'RIGHT' }),
          body: cutText(one.body, MAX_BODY),
        })),
      };
      try {
        return toReview((await pulls.createReview({ ...where(context, signal), ...review })).data);
      } catch (error) {
        if (isForgeError(error, 'FORGE_INVALID')) return null;
        throw error;
      }
    },
  };
}

function toReview(raw: RawReview): Review {
  return {
    id: raw.id,
    nodeId: raw.node_id,
    ...authorOf(raw.user),
    state: raw.state as Review['state'],
    body: raw.body,
    commitId: raw.commit_id ?? null,
    submittedAt: raw.submitted_at ?? null,
  };
}
