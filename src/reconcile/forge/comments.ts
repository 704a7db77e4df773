/** Whose a text is. */
export interface Authored {
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
}

/** A comment of an issue or pull request. */
export interface Comment extends Authored {
  readonly id: number;
  readonly nodeId: string;
  /** Id of the App that wrote it, where an App did. */
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Reaction = 'eyes' | 'rocket' | 'confused' | '-1';

/** Comments, and how they are answered. Every write may run twice. */
export interface CommentsPort {
  /** Oldest first. */
  listComments(n: number, signal?: AbortSignal): Promise<readonly Comment[]>;
  getComment(id: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  /**
   * Keeps exactly one comment of ours that carries `marker` (an HTML comment such as `<!-- portico:summary -->`, put at
   * the top of the body). Comments of others are never touched, whatever they carry. An equal one costs no write.
   */
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
  /** Whether a comment or an issue was ever changed, or a review after it was given, by whomever. What the forge does not show was. */
  isEdited(
    text: { readonly nodeId: string; readonly author: string; readonly submittedAt?: string | null },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Whether what stands in a comment is its author's own: never changed, or by the author last. What the forge does not show is not. */
  isAuthorsOwn(
    text: { readonly nodeId: string; readonly author: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Doing it twice leaves one. */
  addReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** Takes back our own reaction; nothing happens where there is none. */
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
