import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { authorOf, where } from './repository-context.ts';

interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
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

export interface ReviewsApi {
  /** In the order given. */
  listReviews(n: number, signal?: AbortSignal): Promise<Review[]>;
  createReview(n: number, review: NewReview, signal?: AbortSignal): Promise<Review>;
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
      const review = { pull_number, event, body, commit_id: commitId };
      return toReview((await pulls.createReview({ ...where(context, signal), ...review })).data);
    },
  };
}

interface RawReview {
  readonly id: number;
  readonly node_id: string;
  readonly user: { readonly login: string; readonly type?: string } | null;
  readonly state: string;
  readonly body: string;
  readonly commit_id: string | null;
  readonly submitted_at?: string;
}

function toReview(raw: RawReview): Review {
  return {
    id: raw.id,
    nodeId: raw.node_id,
    ...authorOf(raw.user),
    state: raw.state as Review['state'],
    body: raw.body,
    commitId: raw.commit_id,
    submittedAt: raw.submitted_at ?? null,
  };
}
