export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Reaction = 'eyes' | 'rocket' | 'confused' | '-1';

/** Comments, and how they are answered. Every write may run twice. */
export interface CommentsPort {
  listComments(n: number, signal?: AbortSignal): Promise<readonly Comment[]>;
  getComment(id: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  upsertSticky(n: number, marker: string, body: string, signal?: AbortSignal): Promise<unknown>;
  /** The same among comments that were listed just now. */
  upsertStickyAmong(
    comments: readonly Comment[],
    sticky: { readonly number: number; readonly marker: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** Comments of issues and pull requests of the whole repository changed since then, for the sweep. */
  listRecentComments(
    since: Date,
    signal?: AbortSignal,
  ): Promise<readonly (Comment & { readonly issue: number })[]>;
  /** The same of comments on lines of changes. */
  listRecentLineComments(
    since: Date,
    signal?: AbortSignal,
  ): Promise<readonly (Omit<Comment, 'appId'> & { readonly pull: number })[]>;
  /** Whether a comment was ever changed, or a review after it was given, by whomever; in doubt it was. */
  isEdited(
    text: { readonly nodeId: string; readonly author: string; readonly submittedAt?: string | null },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Whether what stands in a comment is its author's own: never changed, or by the author last; in doubt it is not. */
  isAuthorsOwn(
    text: { readonly nodeId: string; readonly author: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  addReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  removeReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  listReactions(
    target: { readonly commentId: number },
    signal?: AbortSignal,
  ): Promise<readonly { readonly content: string; readonly author: string }[]>;
}
