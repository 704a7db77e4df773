import { ACTIONS_APP, appShape } from '../actors/apps.ts';
import { isByWorkflow } from '../actors/workflow-token.ts';
import type { CommentRecord, IssueRecord, LabelRecord, ReactionRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from './account.ts';
import { authorAssociation, reactionRollup } from './association.ts';
import { integration } from './integration.ts';
import type { Shape } from './shape.ts';

/** `label`. */
export function labelShape(context: ForgeContext, repository: RepositoryRecord, label: LabelRecord): Shape {
  return {
    id: label.id,
    node_id: nodeId('Label', label.id),
    url: context.urls.repoApi(repository, `/labels/${encodeURIComponent(label.name)}`),
    name: label.name,
    color: label.color,
    default: label.default,
    description: label.description,
  };
}

/** The labels of an issue, without those that were deleted. */
export function labelsOf(context: ForgeContext, repository: RepositoryRecord, issue: IssueRecord): Shape[] {
  const { labels } = collaborationStore(context.store);
  return issue.labelIds
    .map((id) => labels.get(id))
    .filter((label) => label !== undefined)
    .map((label) => labelShape(context, repository, label));
}

/** `issue`, also for the issue side of a pull request. */
export function issueShape(context: ForgeContext, repository: RepositoryRecord, issue: IssueRecord): Shape {
  const { records, urls } = context;
  const store = collaborationStore(context.store);
  const url = urls.repoApi(repository, `/issues/${issue.number}`);
  const page = issue.pullId === null ? 'issues' : 'pull';
  const htmlUrl = urls.repoWeb(repository, `/${page}/${issue.number}`);
  const assignees = issue.assigneeIds.map((id) => simpleUser(context, records.account(id)));
  return {
    url,
    repository_url: urls.repoApi(repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: htmlUrl,
    id: issue.id,
    node_id: nodeId(issue.pullId === null ? 'Issue' : 'PullRequest', issue.pullId ?? issue.id),
    number: issue.number,
    title: issue.title,
    user: simpleUser(context, records.account(issue.userId)),
    labels: labelsOf(context, repository, issue),
    state: issue.state,
    locked: issue.locked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: store.comments.count('issue', [issue.id]),
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: authorAssociation(context, repository, issue.userId),
    active_lock_reason: issue.lockReason,
    ...pullLinks(context, repository, issue),
    body: issue.body,
    closed_by: issue.closedById === null ? null : simpleUser(context, records.account(issue.closedById)),
    reactions: reactionRollup(context, 'issue', issue.id, url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: issue.viaApp ? appOf(context, issue.userId) : null,
    state_reason: issue.stateReason,
  };
}

/** `issue-comment`. */
export function commentShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  issue: IssueRecord,
  comment: CommentRecord,
): Shape {
  const { records, urls } = context;
  const url = urls.repoApi(repository, `/issues/comments/${comment.id}`);
  const page = issue.pullId === null ? 'issues' : 'pull';
  return {
    url,
    html_url: urls.repoWeb(repository, `/${page}/${issue.number}#issuecomment-${comment.id}`),
    issue_url: urls.repoApi(repository, `/issues/${issue.number}`),
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: simpleUser(context, records.account(comment.userId)),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: authorAssociation(context, repository, comment.userId),
    body: comment.body,
    reactions: reactionRollup(context, 'comment', comment.id, url),
    performed_via_github_app: comment.viaApp ? appOf(context, comment.userId) : null,
  };
}

/** `reaction`. */
export function reactionShape(context: ForgeContext, reaction: ReactionRecord): Shape {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: simpleUser(context, context.records.account(reaction.userId)),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

function pullLinks(context: ForgeContext, repository: RepositoryRecord, issue: IssueRecord): Shape {
  const pull = issue.pullId === null ? undefined : collaborationStore(context.store).pulls.get(issue.pullId);
  if (pull === undefined) return {};
  const web = context.urls.repoWeb(repository, `/pull/${issue.number}`);
  return {
    draft: pull.draft,
    pull_request: {
      url: context.urls.repoApi(repository, `/pulls/${issue.number}`),
      html_url: web,
      diff_url: `${web}.diff`,
      patch_url: `${web}.patch`,
      merged_at: pull.mergedAt,
    },
  };
}

/** What a bot wrote was written through its App. */
function appOf(context: ForgeContext, userId: number): Shape {
  const isOfWorkflow = isByWorkflow(context.records.account(userId));
  return isOfWorkflow ? appShape(context, ACTIONS_APP.id) : integration(context);
}
