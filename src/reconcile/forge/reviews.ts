export interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  readonly commitId: string | null;
  readonly submittedAt: string | null;
}

/** A remark on lines of a pull request's newer side; of several lines, `startLine` is the first. */
export interface ReviewRemark {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

/** Reviews, and remarks on lines. Every write may run twice. */
export interface ReviewsPort {
  listReviews(n: number, signal?: AbortSignal): Promise<readonly Review[]>;
  /** A review that only comments. Null where the forge refuses it, because a line is not in the diff any more. */
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
