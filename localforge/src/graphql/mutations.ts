import type { MergeMethod, PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import { parseNodeId } from '../node-id.ts';
import { retryAutoMerge } from '../pulls/auto-merge.ts';
import { mergePull } from '../pulls/merge-pull.ts';
import { dequeue, enqueue, entryOf, hasQueue } from '../pulls/merge-queue.ts';
import { verdictOf } from '../pulls/mergeability.ts';
import { pullById } from '../pulls/pull-events.ts';
import { requirementsOf, unmet } from '../pulls/requirements.ts';
import { setAutoMerge, setDraft } from '../pulls/transitions.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import { demand } from './call.ts';
import type { GraphqlCall } from './call.ts';
import { graphqlError } from './graphql-error.ts';
import { accountNode, pullNode, queueEntryNode } from './nodes.ts';
import type { Node } from './nodes.ts';
import { nodeAt } from './queries.ts';

interface PullInput {
  readonly pullRequestId: string;
  readonly clientMutationId?: string | null;
}

interface MergeInput extends PullInput {
  readonly mergeMethod?: 'MERGE' | 'SQUASH' | 'REBASE' | null;
  readonly commitHeadline?: string | null;
  readonly commitBody?: string | null;
  readonly authorEmail?: string | null;
  readonly expectedHeadOid?: string | null;
}

interface DequeueInput {
  readonly id: string;
  readonly clientMutationId?: string | null;
}

interface CommentInput {
  readonly subjectId: string;
  readonly classifier?: string;
  readonly clientMutationId?: string | null;
}

/** The fields of `Mutation`. */
export function mutations(call: GraphqlCall): Record<string, unknown> {
  return {
    markPullRequestReadyForReview: ({ input }: { input: PullInput }) =>
      draft(call, input, false, 'MarkPullRequestReadyForReview'),
    convertPullRequestToDraft: ({ input }: { input: PullInput }) =>
      draft(call, input, true, 'ConvertPullRequestToDraft'),
    enablePullRequestAutoMerge: ({ input }: { input: MergeInput }) => enableAutoMerge(call, input),
    disablePullRequestAutoMerge: ({ input }: { input: PullInput }) => disableAutoMerge(call, input),
    enqueuePullRequest: ({ input }: { input: MergeInput }) => enterQueue(call, input),
    dequeuePullRequest: ({ input }: { input: DequeueInput }) => leaveQueue(call, input),
    mergePullRequest: ({ input }: { input: MergeInput }) => merge(call, input),
    minimizeComment: ({ input }: { input: CommentInput }) => {
      const reason = (input.classifier ?? 'OUTDATED').toLowerCase().replace('_', '-');
      return { ...echo(input), minimizedComment: minimize(call, input, reason, 'MinimizeComment') };
    },
    unminimizeComment: ({ input }: { input: CommentInput }) => ({
      ...echo(input),
      unminimizedComment: minimize(call, input, null, 'UnminimizeComment'),
    }),
  };
}

async function draft(call: GraphqlCall, input: PullInput, wanted: boolean, name: string): Promise<Node> {
  const { pull, repository } = pullAt(call, input.pullRequestId);
  const { userId: authorId, state } = issueOf(call.context, pull);
  demand(call, repository, { name, app: ['pull_requests:write'], role: 'write', authorId });
  if (state === 'closed') throw graphqlError('UNPROCESSABLE', 'Pull request is closed');
  if (pull.draft !== wanted) {
    await setDraft({ context: call.context, repository, pull, by: call.actor.user, draft: wanted });
    retryAutoMerge(call.context, repository, pullById(call.context, pull.id));
  }
  return { ...echo(input), pullRequest: pullNode(call, pullById(call.context, pull.id)) };
}

async function enableAutoMerge(call: GraphqlCall, input: MergeInput): Promise<Node> {
  const { context, actor } = call;
  const { pull, repository } = pullAt(call, input.pullRequestId);
  demandMerge(call, repository, 'EnablePullRequestAutoMerge');
  if (!repository.allowAutoMerge) throw refusedAs('Auto merge is not allowed for this repository');
  if (issueOf(context, pull).state === 'closed') throw refusedAs('Pull request is closed');
  if (pull.draft) throw refusedAs('Pull request is in draft state');
  const { state } = verdictOf(context, repository, pull);
  if (state === 'clean' || state === 'unstable' || state === 'dirty') {
    throw refusedAs(`Pull request is in ${state} status`);
  }
  refuseOtherHead(pull, input);
  await setAutoMerge({
    context,
    repository,
    pull,
    by: actor.user,
    settings: {
      enabledById: actor.user.id,
      enabledAt: context.now(),
      method: methodOf(input),
      title: input.commitHeadline ?? null,
      message: input.commitBody ?? null,
      authorEmail: input.authorEmail ?? null,
    },
  });
  return {
    ...echo(input),
    actor: accountNode(call, actor.user.id),
    pullRequest: pullNode(call, pullById(context, pull.id)),
  };
}

async function disableAutoMerge(call: GraphqlCall, input: PullInput): Promise<Node> {
  const { context, actor } = call;
  const { pull, repository } = pullAt(call, input.pullRequestId);
  demandMerge(call, repository, 'DisablePullRequestAutoMerge');
  if (pull.autoMerge === null) {
    throw graphqlError('UNPROCESSABLE', "Can't disable auto-merge for this pull request.");
  }
  await setAutoMerge({ context, repository, pull, by: actor.user, settings: null });
  return {
    ...echo(input),
    actor: accountNode(call, actor.user.id),
    pullRequest: pullNode(call, pullById(context, pull.id)),
  };
}

async function enterQueue(call: GraphqlCall, input: MergeInput): Promise<Node> {
  const { context, actor } = call;
  const { pull, repository } = pullAt(call, input.pullRequestId);
  demandMerge(call, repository, 'EnqueuePullRequest');
  if (!hasQueue(context, repository, pull.baseRef)) {
    throw graphqlError('UNPROCESSABLE', 'Merge queue is not enabled for the base branch.');
  }
  if (issueOf(context, pull).state === 'closed') throw refusedAs('Pull request is closed');
  if (pull.draft) throw refusedAs('Pull request is in draft state');
  refuseOtherHead(pull, input);
  const [problem] = unmet(context, repository, pull, requirementsOf(context, repository, pull.baseRef));
  if (problem !== undefined) throw graphqlError('UNPROCESSABLE', problem);
  const entry = await enqueue(context, repository, pull, actor.user.id);
  return { ...echo(input), mergeQueueEntry: queueEntryNode(call, entry) };
}

async function leaveQueue(call: GraphqlCall, input: DequeueInput): Promise<Node> {
  const { context } = call;
  const { pull, repository } = pullAt(call, input.id);
  demandMerge(call, repository, 'DequeuePullRequest');
  const entry = entryOf(context, pull);
  if (entry === undefined) throw graphqlError('UNPROCESSABLE', 'Pull request is not in the merge queue.');
  await dequeue(context, repository, entry, 'MANUAL');
  return { ...echo(input), mergeQueueEntry: queueEntryNode(call, entry) };
}

async function merge(call: GraphqlCall, input: MergeInput): Promise<Node> {
  const { context, actor } = call;
  const { pull, repository } = pullAt(call, input.pullRequestId);
  demandMerge(call, repository, 'MergePullRequest');
  refuseOtherHead(pull, input);
  const outcome = await mergePull(context, repository, pull.id, {
    actor,
    method: methodOf(input),
    ...(typeof input.commitHeadline === 'string' ? { title: input.commitHeadline } : {}),
    ...(typeof input.commitBody === 'string' ? { message: input.commitBody } : {}),
  });
  if (!outcome.merged) throw graphqlError('UNPROCESSABLE', outcome.message);
  return {
    ...echo(input),
    actor: accountNode(call, actor.user.id),
    pullRequest: pullNode(call, pullById(context, pull.id)),
  };
}

function minimize(call: GraphqlCall, input: CommentInput, reason: string | null, name: string): Node {
  // The look-up refuses what the actor may not see.
  nodeAt(call, input.subjectId);
  const subject = parseNodeId(input.subjectId);
  const store = collaborationStore(call.context.store);
  const { comments, reviews, reviewComments } = store;
  const kinds = {
    IssueComment: comments,
    PullRequestReview: reviews,
    PullRequestReviewComment: reviewComments,
  };
  const kind = kinds[subject?.type as keyof typeof kinds] as typeof comments | undefined;
  const record = kind?.get(Number(subject?.id));
  const repository = record && call.context.records.repositories.get(record.repositoryId);
  if (kind === undefined || record === undefined || repository === undefined) {
    throw graphqlError('UNPROCESSABLE', `The node ${input.subjectId} cannot be minimized.`);
  }
  const onPull = kind !== comments || store.issues.get(record.issueId)?.pullId !== null;
  demand(call, repository, {
    name,
    app: [onPull ? 'pull_requests:write' : 'issues:write'],
    role: 'write',
    authorId: record.userId,
  });
  kind.update(record.id, { minimized: reason });
  return nodeAt(call, input.subjectId);
}

function pullAt(call: GraphqlCall, id: string): { pull: PullRecord; repository: RepositoryRecord } {
  nodeAt(call, id);
  const parsed = parseNodeId(id);
  const pull = collaborationStore(call.context.store).pulls.get(Number(parsed?.id));
  const repository = pull && call.context.records.repositories.get(pull.repositoryId);
  if (parsed?.type !== 'PullRequest' || pull === undefined || repository === undefined) {
    throw graphqlError('NOT_FOUND', `Could not resolve to PullRequest node with the global id of '${id}'.`);
  }
  return { pull, repository };
}

function demandMerge(call: GraphqlCall, repository: RepositoryRecord, name: string): void {
  demand(call, repository, { name, app: ['pull_requests:write', 'contents:write'], role: 'write' });
}

function refuseOtherHead(pull: PullRecord, input: MergeInput): void {
  if ((input.expectedHeadOid ?? pull.headSha) !== pull.headSha) {
    throw graphqlError('UNPROCESSABLE', 'Head branch was modified. Review and try the merge again.');
  }
}

const methodOf = (input: MergeInput): MergeMethod =>
  (input.mergeMethod ?? 'MERGE').toLowerCase() as MergeMethod;

const echo = (input: { readonly clientMutationId?: string | null }): Node => ({
  clientMutationId: input.clientMutationId ?? null,
});

const refusedAs = (why: string): Error => graphqlError('UNPROCESSABLE', `Pull request ${why}`);
