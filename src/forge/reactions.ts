import type { CommentsPort, Reaction } from '../reconcile/forge/comments.ts';
import { orNull } from './forge-error.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** Reactions on comments. Reviews have none in REST, and Portico answers them in words. */
export function createReactionsApi(
  context: RepositoryContext,
): Pick<CommentsPort, 'addReaction' | 'removeReaction' | 'listReactions'> {
  const { reactions } = context.octokit.rest;
  const list = async (comment_id: number, content?: Reaction, signal?: AbortSignal) => {
    const filter = { comment_id, ...(content === undefined ? {} : { content }) };
    const found = await allPages((page) =>
      reactions.listForIssueComment({ ...where(context, signal), ...filter, ...page }),
    );
    return found.map((raw) => ({ id: raw.id, content: raw.content, author: raw.user?.login ?? 'ghost' }));
  };

  return {
    addReaction: async ({ commentId: comment_id }, content, signal) => {
      await reactions.createForIssueComment({ ...where(context, signal), comment_id, content });
    },
    removeReaction: async ({ commentId: comment_id }, content, signal) => {
      const at = where(context, signal);
      const { botLogin } = await context.app(signal);
      const ours = (await list(comment_id, content, signal)).filter(
        (reaction) => reaction.author === botLogin && reaction.content === content,
      );
      for (const { id: reaction_id } of ours) {
        await orNull<unknown>(reactions.deleteForIssueComment({ ...at, comment_id, reaction_id }));
      }
    },
    listReactions: ({ commentId }, signal) => list(commentId, undefined, signal),
  };
}
