export interface Review {
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

export interface NewReview {
  readonly event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly body: string;
  readonly commitId: string;
}

export interface ReviewsApi {
  /** In the order given. */
  listReviews(n: number, signal?: AbortSignal): Promise<Review[]>;
  createReview(n: number, review: NewReview, signal?: AbortSignal): Promise<Review>;
}
