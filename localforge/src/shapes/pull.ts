import type { IssueRecord, PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import { headRepositoryOf } from '../pulls/head-repository.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from './account.ts';
import { authorAssociation } from './association.ts';
import { labelsOf } from './issue.ts';
import { repositoryShape } from './repository.ts';
import type { Shape } from './shape.ts';
import { teamShape } from './team.ts';

/** What only git can tell of a pull request. */
export interface PullStats {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

/** The computed part of a pull request: null while nobody has looked yet. */
export interface PullVerdict {
  readonly mergeable: boolean | null;
  readonly rebaseable: boolean | null;
  readonly state: string;
}

/** `pull-request-simple`: as in lists and in the payloads of review events. */
export function simplePull(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): Shape {
  const { records, urls } = context;
  const issue = issueOf(context, pull);
  const url = urls.repoApi(repository, `/pulls/${pull.number}`);
  const issueUrl = urls.repoApi(repository, `/issues/${pull.number}`);
  const web = urls.repoWeb(repository, `/pull/${pull.number}`);
  const statuses = urls.repoApi(repository, `/statuses/${pull.headSha}`);
  const reviewComment = urls.repoApi(repository, '/pulls/comments{/number}');
  const assignees = issue.assigneeIds.map((id) => simpleUser(context, records.account(id)));
  return {
    url,
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    issue_url: issueUrl,
    number: pull.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: simpleUser(context, records.account(issue.userId)),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha ?? pull.testMerge?.sha ?? null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.reviewerIds.map((id) => simpleUser(context, records.account(id))),
    requested_teams: pull.reviewTeamIds
      .map((id) => records.teams.get(id))
      .filter((team) => team !== undefined)
      .map((team) => teamShape(context, team)),
    labels: labelsOf(context, repository, issue),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: reviewComment,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statuses,
    head: headSide(context, repository, pull),
    base: side(context, repository, pull.baseRef, pull.baseSha),
    _links: {
      self: { href: url },
      html: { href: web },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: reviewComment },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: authorAssociation(context, repository, issue.userId),
    auto_merge: autoMergeShape(context, pull),
    active_lock_reason: issue.lockReason,
  };
}

/** `pull-request`: the answer of `GET pulls/{number}` and the payload of `pull_request` events. */
export function fullPull({
  context,
  repository,
  pull,
  stats,
  verdict,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly stats: PullStats;
  readonly verdict: PullVerdict;
}): Shape {
  const store = collaborationStore(context.store);
  return {
    ...simplePull(context, repository, pull),
    merged: pull.mergedAt !== null,
    mergeable: verdict.mergeable,
    rebaseable: verdict.rebaseable,
    mergeable_state: verdict.state,
    merged_by:
      pull.mergedById === null ? null : simpleUser(context, context.records.account(pull.mergedById)),
    comments: store.comments.count('issue', [pull.issueId]),
    review_comments: store.reviewComments.count('pull', [pull.id]),
    maintainer_can_modify: pull.maintainerCanModify,
    commits: stats.commits,
    additions: stats.additions,
    deletions: stats.deletions,
    changed_files: stats.changedFiles,
  };
}

/** `pull-request-minimal`: as listed in checks. */
export function minimalPull(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): Shape {
  const brief = (one: RepositoryRecord): Shape => ({
    id: one.id,
    url: context.urls.repoApi(one),
    name: one.name,
  });
  const source = headRepositoryOf(context, repository, pull) ?? repository;
  return {
    url: context.urls.repoApi(repository, `/pulls/${pull.number}`),
    id: pull.id,
    number: pull.number,
    head: { ref: pull.headRef, sha: pull.headSha, repo: brief(source) },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: brief(repository) },
  };
}

/** The issue side of a pull request. */
export function issueOf(context: ForgeContext, pull: PullRecord): IssueRecord {
  const issue = collaborationStore(context.store).issues.get(pull.issueId);
  if (issue === undefined) throw new TypeError(`Pull request ${pull.id} has no issue.`);
  return issue;
}

function headSide(context: ForgeContext, repository: RepositoryRecord, pull: PullRecord): Shape {
  const source = headRepositoryOf(context, repository, pull);
  if (source !== undefined) return side(context, source, pull.headRef, pull.headSha);
  return { label: `unknown:${pull.headRef}`, ref: pull.headRef, sha: pull.headSha, user: null, repo: null };
}

function side(context: ForgeContext, repository: RepositoryRecord, ref: string, sha: string): Shape {
  const owner = context.records.account(repository.ownerId);
  return {
    label: `${owner.login}:${ref}`,
    ref,
    sha,
    user: simpleUser(context, owner),
    repo: {
      ...repositoryShape(context, repository),
      allow_squash_merge: repository.allowSquashMerge,
      allow_merge_commit: repository.allowMergeCommit,
      allow_rebase_merge: repository.allowRebaseMerge,
      allow_auto_merge: repository.allowAutoMerge,
      delete_branch_on_merge: repository.deleteBranchOnMerge,
      allow_update_branch: repository.allowUpdateBranch,
      use_squash_pr_title_as_default: false,
      squash_merge_commit_message: 'COMMIT_MESSAGES',
      squash_merge_commit_title: 'COMMIT_OR_PR_TITLE',
      merge_commit_message: 'PR_TITLE',
      merge_commit_title: 'MERGE_MESSAGE',
    },
  };
}

function autoMergeShape(context: ForgeContext, pull: PullRecord): Shape | null {
  const settings = pull.autoMerge;
  if (settings === null) return null;
  return {
    enabled_by: simpleUser(context, context.records.account(settings.enabledById)),
    merge_method: settings.method,
    commit_title: settings.title ?? '',
    commit_message: settings.message ?? '',
  };
}
