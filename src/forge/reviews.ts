import { cutText, MAX_BODY } from '../text/cut-text.ts';
import { isForgeError } from './forge-error.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, where } from './repository-context.ts';

interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  /** The head when the review was given. */
  readonly commitId: string | null;
  readonly submittedAt: string | null;
}

interface NewReview {
  readonly event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly body: string;
  readonly commitId: string;
}

/** A remark on lines of the newer side of a diff. */
interface Remark {
  readonly path: string;
  /** The last line, 1-based; `startLine` is the first of several. */
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

export interface ReviewsApi {
  /** In the order given. */
  listReviews(n: number, signal?: AbortSignal): Promise<Review[]>;
  createReview(n: number, review: NewReview, signal?: AbortSignal): Promise<Review>;
  /** A review that only comments, on lines. Null where the forge refuses one of the lines: then nothing is written. */
  remark(
    n: number,
    review: { readonly commitId: string; readonly body: string; readonly comments: readonly Remark[] },
    signal?: AbortSignal,
  ): Promise<Review | null>;
}

export function createReviewsApi(context: RepositoryContext): ReviewsApi {
  const { pulls } = context.octokit.rest;
  return {
    listReviews: async (pull_number, signal) => {
      const found = await allPages((page) =>
        pulls.listReviews({ ...where(context, signal), pull_number, ...page }),
      );
      return found.map(toReview);
    },
    createReview: async (pull_number, { event, body, commitId }, signal) => {
      const review = { pull_number, event, body: cutText(body, MAX_BODY), commit_id: commitId };
      return toReview((await pulls.createReview({ ...where(context, signal), ...review })).data);
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

interface RawReview {
  readonly id: number;
  readonly node_id: string;
  readonly user: { readonly id?: number; readonly login: string; readonly type?: string } | null;
  readonly state: string;
  readonly body: string;
  readonly commit_id?: string | null;
  readonly submitted_at?: string;
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
