import { orNull } from './forge-error.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** What to react to: a comment, or an issue or pull request itself. */
type ReactionTarget = { readonly commentId: number } | { readonly issue: number };

interface Reaction {
  readonly id: number;
  readonly content: ReactionContent;
  readonly author: string;
}

export interface ReactionsApi {
  /** Doing it twice leaves one. */
  addReaction(target: ReactionTarget, content: ReactionContent, signal?: AbortSignal): Promise<void>;
  /** Takes back our own reaction; nothing happens where there is none. */
  removeReaction(target: ReactionTarget, content: ReactionContent, signal?: AbortSignal): Promise<void>;
  listReactions(target: ReactionTarget, signal?: AbortSignal): Promise<Reaction[]>;
}

/** Reactions on comments and issues. Reviews have none in REST, and Portico answers them in words. */
export function createReactionsApi(context: RepositoryContext): ReactionsApi {
  const { reactions } = context.octokit.rest;
  const list = async (
    target: ReactionTarget,
    content: ReactionContent | undefined,
    signal?: AbortSignal,
  ): Promise<Reaction[]> => {
    const filter = { ...where(context, signal), ...(content === undefined ? {} : { content }) };
    const found = await allPages((page) =>
      'commentId' in target
        ? reactions.listForIssueComment({ ...filter, comment_id: target.commentId, ...page })
        : reactions.listForIssue({ ...filter, issue_number: target.issue, ...page }),
    );
    return found.map((raw) => ({ id: raw.id, content: raw.content, author: raw.user?.login ?? 'ghost' }));
  };

  return {
    addReaction: async (target, content, signal) => {
      const at = where(context, signal);
      if ('commentId' in target) {
        await reactions.createForIssueComment({ ...at, comment_id: target.commentId, content });
      } else {
        await reactions.createForIssue({ ...at, issue_number: target.issue, content });
      }
    },
    removeReaction: async (target, content, signal) => {
      const at = where(context, signal);
      const { botLogin } = await context.app(signal);
      const ours = (await list(target, content, signal)).filter(
        (reaction) => reaction.author === botLogin && reaction.content === content,
      );
      for (const { id: reaction_id } of ours) {
        await orNull<unknown>(
          'commentId' in target
            ? reactions.deleteForIssueComment({ ...at, comment_id: target.commentId, reaction_id })
            : reactions.deleteForIssue({ ...at, issue_number: target.issue, reaction_id }),
        );
      }
    },
    listReactions: (target, signal) => list(target, undefined, signal),
  };
}
