export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** What to react to: a comment, an issue or pull request itself, or a review by its node id. */
export type ReactionTarget =
  | { readonly commentId: number }
  | { readonly issue: number }
  | { readonly nodeId: string };

export interface Reaction {
  readonly id: number;
  readonly content: ReactionContent;
  readonly author: string;
}

export interface ReactionsApi {
  /** Doing it twice leaves one. */
  addReaction(target: ReactionTarget, content: ReactionContent, signal?: AbortSignal): Promise<void>;
  /** Takes back our own reaction; nothing happens where there is none. */
  removeReaction(target: ReactionTarget, content: ReactionContent, signal?: AbortSignal): Promise<void>;
  listReactions(
    target: { readonly commentId: number } | { readonly issue: number },
    signal?: AbortSignal,
  ): Promise<Reaction[]>;
}
