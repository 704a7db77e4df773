/** GitHub's GraphQL objects; fields that cost something are functions, called only when asked for. */
import type {
  CommentRecord,
  IssueRecord,
  PullRecord,
  ReviewCommentRecord,
  ReviewRecord,
  QueueEntryRecord,
} from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import { nodeId } from '../node-id.ts';
import { entryOf, hasQueue, positionOf } from '../pulls/merge-queue.ts';
import { startTestMerge, verdictOf } from '../pulls/mergeability.ts';
import { pullById } from '../pulls/pull-events.ts';
import { decisions, requirementsOf } from '../pulls/requirements.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from '../shapes/account.ts';
import { issueOf } from '../shapes/pull.ts';
import type { GraphqlCall } from './call.ts';
import { connection, type Page } from './connection.ts';
import { commitNode, pullFields } from './pull-fields.ts';
import { repositoryFields } from './repository-fields.ts';

export type Node = Record<string, unknown>;

/** `User` or `Bot`; GraphQL names a bot without its brackets. */
export function accountNode(call: GraphqlCall, accountId: number): Node {
  const account = call.context.records.account(accountId);
  const bot = account.type === 'Bot';
  return {
    __typename: bot ? 'Bot' : 'User',
    id: nodeId(account.type, account.id),
    databaseId: account.id,
    login: bot ? account.login.replace(/\[bot\]$/, '') : account.login,
    name: account.name,
    url: simpleUser(call.context, account).html_url,
  };
}

/** `Repository`. */
export function repositoryNode(call: GraphqlCall, repository: RepositoryRecord): Node {
  const { context, actor } = call;
  const { issues } = collaborationStore(context.store);
  const at = (number: number): IssueRecord | undefined => issues.first('number', [repository.id, number]);
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: context.urls.fullName(repository),
    isPrivate: repository.private,
    url: context.urls.repoWeb(repository),
    viewerPermission: context.access.viewerRole(actor, repository).toUpperCase(),
    ...repositoryFields(call, repository),
    pullRequests: (wanted: PullsWanted) => pullsOf(call, repository, wanted),
    issues: (wanted: IssuesWanted) => issuesOf(call, repository, wanted),
    issue: ({ number }: { number: number }) => {
      const issue = at(number);
      return issue === undefined || issue.pullId !== null ? null : issueNode(call, issue);
    },
    pullRequest: ({ number }: { number: number }) => {
      const pullId = at(number)?.pullId ?? null;
      return pullId === null ? null : pullNode(call, pullById(context, pullId));
    },
  };
}

interface PullsWanted extends Page {
  readonly headRefName?: string;
  readonly baseRefName?: string;
  readonly states?: readonly string[];
  readonly orderBy?: { readonly field: string; readonly direction: 'ASC' | 'DESC' };
}

/** `PullRequestConnection`, in the order of their creation. */
function pullsOf(call: GraphqlCall, repository: RepositoryRecord, wanted: PullsWanted): Node {
  const { context } = call;
  const { headRefName: head, baseRefName: base, states, orderBy } = wanted;
  const found = collaborationStore(context.store)
    .pulls.find('repository', [repository.id])
    .filter((pull) => head === undefined || pull.headRef === head)
    .filter((pull) => base === undefined || pull.baseRef === base)
    .filter((pull) => states === undefined || states.includes(pullState(call, pull)));
  const sorted = found.toSorted((a, b) => a.number - b.number);
  if (orderBy?.direction === 'DESC') sorted.reverse();
  return connection('pullRequests', sorted, wanted, (pull) => pullNode(call, pull));
}

function pullState({ context }: GraphqlCall, pull: PullRecord): string {
  return pull.mergedAt === null ? issueOf(context, pull).state.toUpperCase() : 'MERGED';
}

interface IssuesWanted {
  readonly first?: number;
  readonly after?: string;
  readonly orderBy?: { readonly field: string; readonly direction: 'ASC' | 'DESC' };
  readonly filterBy?: { readonly createdBy?: string };
  readonly states?: readonly ('OPEN' | 'CLOSED')[];
}

/** `IssueConnection`; a cursor is the place in the list. */
function issuesOf(call: GraphqlCall, repository: RepositoryRecord, wanted: IssuesWanted): Node {
  const { context } = call;
  const { orderBy, states, first = 100 } = wanted;
  const author = wanted.filterBy?.createdBy?.toLowerCase();
  const all = collaborationStore(context.store)
    .issues.find('repository', [repository.id])
    .filter(
      (issue) =>
        issue.pullId === null &&
        (author === undefined || context.records.account(issue.userId).login.toLowerCase() === author) &&
        (states === undefined || states.some((state) => state.toLowerCase() === issue.state)),
    );
  const by = orderBy?.field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt';
  const sign = orderBy?.direction === 'DESC' ? -1 : 1;
  all.sort((a, b) => sign * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.number - b.number));
  const start = Number(wanted.after ?? 0) || 0;
  const shown = all.slice(start, start + first);
  const end = start + shown.length;
  return {
    totalCount: all.length,
    nodes: shown.map((issue) => issueNode(call, issue)),
    pageInfo: {
      startCursor: shown.length === 0 ? null : String(start),
      endCursor: shown.length === 0 ? null : String(end),
      hasNextPage: end < all.length,
      hasPreviousPage: start > 0,
    },
  };
}

/** `Issue`. */
export function issueNode(call: GraphqlCall, issue: IssueRecord): Node {
  const repository = repositoryOf(call, issue.repositoryId);
  return {
    __typename: 'Issue',
    id: nodeId('Issue', issue.id),
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    state: issue.state.toUpperCase(),
    url: call.context.urls.repoWeb(repository, `/issues/${issue.number}`),
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    ...editFields(call, issue),
    author: () => accountNode(call, issue.userId),
  };
}

/** `PullRequest`. */
export function pullNode(call: GraphqlCall, pull: PullRecord): Node {
  const { context } = call;
  const repository = repositoryOf(call, pull.repositoryId);
  const issue = issueOf(context, pull);
  const verdict = verdictOf(context, repository, pull);
  const look = <T>(value: T): T => {
    startTestMerge(context, repository, pull);
    return value;
  };
  return {
    __typename: 'PullRequest',
    ...ids('PullRequest', pull.id),
    number: pull.number,
    title: issue.title,
    body: issue.body ?? '',
    state: pullState(call, pull),
    isDraft: pull.draft,
    merged: pull.mergedAt !== null,
    mergedAt: pull.mergedAt,
    closed: issue.state === 'closed',
    closedAt: issue.closedAt,
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    url: context.urls.repoWeb(repository, `/pull/${pull.number}`),
    isCrossRepository: pull.headRepositoryId !== undefined,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    mergeable: () =>
      look(verdict.mergeable === null ? 'UNKNOWN' : verdict.mergeable ? 'MERGEABLE' : 'CONFLICTING'),
    mergeStateStatus: () => look(verdict.state.toUpperCase()),
    reviewDecision: () => reviewDecision(call, repository, pull),
    author: () => accountNode(call, issue.userId),
    ...pullFields(call, repository, pull, {
      account: (id) => accountNode(call, id),
      repository: (one) => repositoryNode(call, one),
      comment: (one) => commentNode(call, one),
      review: (one) => reviewNode(call, one),
    }),
    autoMergeRequest: () => autoMergeNode(call, pull),
    isInMergeQueue: entryOf(context, pull) !== undefined,
    isMergeQueueEnabled: hasQueue(context, repository, pull.baseRef),
    mergeQueueEntry: () => {
      const entry = entryOf(context, pull);
      return entry === undefined ? null : queueEntryNode(call, entry);
    },
  };
}

/** `MergeQueueEntry`. */
export function queueEntryNode(call: GraphqlCall, entry: QueueEntryRecord): Node {
  return {
    __typename: 'MergeQueueEntry',
    id: nodeId('MergeQueueEntry', entry.id),
    enqueuedAt: entry.enqueuedAt,
    enqueuer: () => accountNode(call, entry.byId),
    position: () => positionOf(call.context, entry),
    state: entry.group === null ? 'QUEUED' : 'AWAITING_CHECKS',
    pullRequest: () => pullNode(call, pullById(call.context, entry.pullId)),
  };
}

/** `IssueComment`. */
export function commentNode(call: GraphqlCall, comment: CommentRecord): Node {
  const { context } = call;
  const issue = collaborationStore(context.store).issues.get(comment.issueId);
  const repository = repositoryOf(call, comment.repositoryId);
  const page = issue?.pullId === null ? 'issues' : 'pull';
  const anchor = `/${page}/${issue?.number}#issuecomment-${comment.id}`;
  return {
    __typename: 'IssueComment',
    ...ids('IssueComment', comment.id),
    ...written(call, comment),
    url: context.urls.repoWeb(repository, anchor),
    issue: () => issue && issueNode(call, issue),
    pullRequest: () =>
      issue === undefined || issue.pullId === null ? null : pullNode(call, pullById(context, issue.pullId)),
  };
}

/** `PullRequestReview`. */
export function reviewNode(call: GraphqlCall, review: ReviewRecord): Node {
  const pull = pullById(call.context, review.pullId);
  const repository = repositoryOf(call, review.repositoryId);
  return {
    __typename: 'PullRequestReview',
    ...ids('PullRequestReview', review.id),
    ...written(call, review),
    state: review.state,
    commit: () => commitNode(call, repository, review.commitId),
    submittedAt: review.submittedAt,
    url: call.context.urls.repoWeb(repository, `/pull/${pull.number}#pullrequestreview-${review.id}`),
    pullRequest: () => pullNode(call, pull),
  };
}

/** `PullRequestReviewComment`. */
export function reviewCommentNode(call: GraphqlCall, comment: ReviewCommentRecord): Node {
  const pull = pullById(call.context, comment.pullId);
  const repository = repositoryOf(call, comment.repositoryId);
  return {
    __typename: 'PullRequestReviewComment',
    ...ids('PullRequestReviewComment', comment.id),
    ...written(call, comment),
    path: comment.path,
    url: call.context.urls.repoWeb(repository, `/pull/${pull.number}#discussion_r${comment.id}`),
    pullRequest: () => pullNode(call, pull),
  };
}

function written(
  call: GraphqlCall,
  record: {
    readonly userId: number;
    readonly body: string;
    readonly minimized: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly edit?: { readonly at: string; readonly byId: number };
  },
): Node {
  return {
    body: record.body,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    isMinimized: record.minimized !== null,
    minimizedReason: record.minimized,
    ...editFields(call, record),
    author: () => accountNode(call, record.userId),
  };
}

/** Fields of the interface `Comment`: an edit keeps the text as it was written, unless somebody deletes that. */
function editFields(
  call: GraphqlCall,
  { edit }: { readonly edit?: { readonly at: string; readonly byId: number } },
): Node {
  return {
    lastEditedAt: edit?.at ?? null,
    editor: () => (edit === undefined ? null : accountNode(call, edit.byId)),
    includesCreatedEdit: edit !== undefined,
  };
}

function reviewDecision(call: GraphqlCall, repository: RepositoryRecord, pull: PullRecord): string | null {
  const requirements = requirementsOf(call.context, repository, pull.baseRef);
  const { approved, changesRequested } = decisions(call.context, repository, pull);
  if (changesRequested > 0) return 'CHANGES_REQUESTED';
  if (!requirements.reviewed) return approved > 0 ? 'APPROVED' : null;
  return approved >= requirements.approvals ? 'APPROVED' : 'REVIEW_REQUIRED';
}

function autoMergeNode(call: GraphqlCall, pull: PullRecord): Node | null {
  const settings = pull.autoMerge;
  if (settings === null) return null;
  return {
    enabledAt: settings.enabledAt,
    enabledBy: () => accountNode(call, settings.enabledById),
    mergeMethod: settings.method.toUpperCase(),
    commitHeadline: settings.title,
    commitBody: settings.message,
    authorEmail: settings.authorEmail,
    pullRequest: () => pullNode(call, pull),
  };
}

function repositoryOf(call: GraphqlCall, id: number): RepositoryRecord {
  const repository = call.context.records.repositories.get(id);
  if (repository === undefined) throw new TypeError(`There is no repository ${id}.`);
  return repository;
}

const ids = (type: string, id: number): Node => ({
  id: nodeId(type, id),
  databaseId: id,
  fullDatabaseId: String(id),
});
