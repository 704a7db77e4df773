import { orNull } from './forge-error.ts';
import { allPages, runGraphql } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** What to react to: a comment, an issue or pull request itself, or a review by its node id. */
type ReactionTarget =
  | { readonly commentId: number }
  | { readonly issue: number }
  | { readonly nodeId: string };

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
  listReactions(
    target: { readonly commentId: number } | { readonly issue: number },
    signal?: AbortSignal,
  ): Promise<Reaction[]>;
}

/** GraphQL spells them differently. */
const GRAPHQL_CONTENT: Readonly<Record<ReactionContent, string>> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
};

/** Reviews have no reactions in REST, so whatever is named by its node id goes through GraphQL. */
export function createReactionsApi(context: RepositoryContext): ReactionsApi {
  const { octokit } = context;
  const { reactions } = octokit.rest;
  const list = async (
    target: { readonly commentId: number } | { readonly issue: number },
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
      if ('nodeId' in target) {
        const input = { id: target.nodeId, content: GRAPHQL_CONTENT[content] };
        await runGraphql(octokit, 'addReaction', ADD, input, signal);
      } else if ('commentId' in target) {
        await reactions.createForIssueComment({ ...at, comment_id: target.commentId, content });
      } else {
        await reactions.createForIssue({ ...at, issue_number: target.issue, content });
      }
    },
    removeReaction: async (target, content, signal) => {
      const at = where(context, signal);
      if ('nodeId' in target) {
        const input = { id: target.nodeId, content: GRAPHQL_CONTENT[content] };
        await orNull(runGraphql(octokit, 'removeReaction', REMOVE, input, signal));
        return;
      }
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

const ADD = `mutation AddReaction($id: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $id, content: $content }) { reaction { content } }
}`;

const REMOVE = `mutation RemoveReaction($id: ID!, $content: ReactionContent!) {
  removeReaction(input: { subjectId: $id, content: $content }) { reaction { content } }
}`;
