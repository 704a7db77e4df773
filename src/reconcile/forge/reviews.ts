import type { Authored } from './comments.ts';

export interface Review extends Authored {
  readonly id: number;
  readonly nodeId: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  /** The head when the review was given. */
  readonly commitId: string | null;
  readonly submittedAt: string | null;
}

/** A remark on lines of a pull request's newer side; of several lines, `startLine` is the first. */
export interface ReviewRemark {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

/** Reviews, and remarks on lines. Every write may run twice. */
export interface ReviewsPort {
  /** In the order given. */
  listReviews(n: number, signal?: AbortSignal): Promise<readonly Review[]>;
  /**
   * A review that only comments, on lines. Null where the forge refuses one of the lines, because it is not in the diff any more:
   * then nothing is written.
   */
  remark(
    n: number,
    review: {
      readonly commitId: string;
      readonly body: string;
      readonly comments: readonly ReviewRemark[];
    },
    signal?: AbortSignal,
  ): Promise<unknown>;
}
