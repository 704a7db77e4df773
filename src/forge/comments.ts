/** A comment of an issue or pull request. */
export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly authorIsBot: boolean;
  /** Id of the App that wrote it, where an App did. */
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly htmlUrl: string;
}

export interface CommentsApi {
  /** Oldest first. */
  listComments(n: number, signal?: AbortSignal): Promise<Comment[]>;
  getComment(commentId: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  updateComment(commentId: number, body: string, signal?: AbortSignal): Promise<Comment>;
  /**
   * Keeps exactly one comment of ours that carries `marker` (an HTML comment such as `<!-- portico:summary -->`, put at
   * the top of the body). Comments of others are never touched, whatever they carry. `written` tells if a call was made.
   */
  upsertSticky(
    n: number,
    marker: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<{
    readonly id: number;
    readonly written: 'created' | 'updated' | 'unchanged';
    readonly htmlUrl: string;
  }>;
  /** Folds a comment away as outdated. */
  minimizeComment(nodeId: string, signal?: AbortSignal): Promise<void>;
}
