/** Where somebody wrote to Portico, and what. */
import type { RepositoryRef } from './ports.ts';

/** A comment or a review with a text. `headSeen`: the head of the pull request when the webhook came. */
export interface CommentTarget {
  readonly repository: RepositoryRef;
  /** Of the pull request or issue. */
  readonly number: number;
  readonly source: {
    /**
     * `form`: the issue itself, written by one of our forms. `opening`: the text of an issue or a pull request that is none.
     * The id of both is the number below zero. `line`: a comment on lines of a change, which is of a review.
     */
    readonly kind: 'comment' | 'review' | 'form' | 'opening' | 'line';
    readonly id: number;
  };
  /** What a form, an opening text or a comment on lines held when it was sent: it may be edited since, also by others. */
  readonly form?: Pick<CommentSource, 'author' | 'authorId' | 'authorIsBot' | 'body' | 'createdAt'>;
  readonly headSeen?: string;
  /** It ends what is under way there, so it does not wait for that. */
  readonly aside?: true;
}

export interface CommentSource {
  readonly kind: CommentTarget['source']['kind'];
  readonly id: number;
  readonly author: string;
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
}
