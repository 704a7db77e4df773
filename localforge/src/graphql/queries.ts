import { collaborationStore } from '../collaboration-store.ts';
import { parseNodeId } from '../node-id.ts';
import type { GraphqlCall } from './call.ts';
import { visible } from './call.ts';
import { graphqlError } from './graphql-error.ts';
import {
  accountNode,
  commentNode,
  issueNode,
  pullNode,
  repositoryNode,
  reviewCommentNode,
  reviewNode,
} from './nodes.ts';
import type { Node } from './nodes.ts';

/** The fields of `Query`. */
export function queries(call: GraphqlCall): Record<string, unknown> {
  const { context, actor } = call;
  return {
    id: 'Q_1',
    node: ({ id }: { id: string }) => nodeAt(call, id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => nodeAt(call, id)),
    viewer: () => ({ ...accountNode(call, actor.user.id), __typename: 'User' }),
    rateLimit: () => {
      const limit = context.knobs.rateLimit;
      const resetAt = new Date(context.clock().getTime() + 3_600_000).toISOString();
      return { cost: 1, limit, nodeCount: 0, remaining: limit, resetAt, used: 0 };
    },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const found = context.records.repositoryByName(owner, name);
      const repository = found && visible(call, found.id);
      if (repository === undefined) {
        throw graphqlError(
          'NOT_FOUND',
          `Could not resolve to a Repository with the name '${owner}/${name}'.`,
        );
      }
      return repositoryNode(call, repository);
    },
  };
}

/** The node of a global id. @throws NOT_FOUND */
export function nodeAt(call: GraphqlCall, id: string): Node {
  const node = findNode(call, id);
  if (node === undefined) {
    throw graphqlError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  }
  return node;
}

function findNode(call: GraphqlCall, id: string): Node | undefined {
  const parsed = parseNodeId(id);
  const number = Number(parsed?.id);
  if (parsed === undefined || !Number.isSafeInteger(number)) return undefined;
  const store = collaborationStore(call.context.store);
  const { records } = call.context;
  switch (parsed.type) {
    case 'User':
    case 'Bot': {
      return records.accounts.get(number) === undefined ? undefined : accountNode(call, number);
    }
    case 'Repository': {
      const repository = visible(call, number);
      return repository && repositoryNode(call, repository);
    }
    case 'Issue': {
      const issue = seen(call, store.issues.get(number));
      return issue && issueNode(call, issue);
    }
    case 'PullRequest': {
      const pull = seen(call, store.pulls.get(number));
      return pull && pullNode(call, pull);
    }
    case 'IssueComment': {
      const comment = seen(call, store.comments.get(number));
      return comment && commentNode(call, comment);
    }
    case 'PullRequestReview': {
      const review = seen(call, store.reviews.get(number));
      return review && reviewNode(call, review);
    }
    case 'PullRequestReviewComment': {
      const comment = seen(call, store.reviewComments.get(number));
      return comment && reviewCommentNode(call, comment);
    }
    default: {
      return undefined;
    }
  }
}

function seen<T extends { readonly repositoryId: number }>(
  call: GraphqlCall,
  record: T | undefined,
): T | undefined {
  return record !== undefined && visible(call, record.repositoryId) !== undefined ? record : undefined;
}
