/** What the local forge remembers of issues, pull requests, checks, statuses, deployments and releases. */

export interface LabelRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
  readonly default: boolean;
}

/** What is kept of the events of an issue. */
export interface IssueEventRecord {
  readonly id: number;
  readonly issueId: number;
  readonly event: 'labeled' | 'unlabeled' | 'convert_to_draft' | 'base_ref_changed';
  /** Of a label. */
  readonly name?: string;
  readonly color?: string;
  readonly userId: number;
  readonly createdAt: string;
}

/** An issue, or the issue side of a pull request: both share one row of numbers. */
export interface IssueRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly userId: number;
  /** Written through an App. */
  readonly viaApp: boolean;
  readonly title: string;
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  readonly stateReason: 'completed' | 'not_planned' | 'duplicate' | 'reopened' | null;
  readonly labelIds: readonly number[];
  readonly assigneeIds: readonly number[];
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly closedById: number | null;
  /** The pull request that this is the issue side of. */
  readonly pullId: number | null;
  readonly edit?: Edit;
}

/** When a text was changed last, and who changed it; absent while it is as it was written. */
interface Edit {
  readonly at: string;
  readonly byId: number;
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** What a test merge of two commits gave. */
interface TestMerge {
  readonly baseSha: string;
  readonly headSha: string;
  readonly clean: boolean;
  /** The base has commits that the head lacks. */
  readonly behind: boolean;
  readonly rebaseable: boolean;
  /** The test merge commit; null on conflicts. */
  readonly sha: string | null;
}

export interface AutoMergeSettings {
  readonly enabledById: number;
  readonly enabledAt: string;
  readonly method: MergeMethod;
  readonly title: string | null;
  readonly message: string | null;
  readonly authorEmail: string | null;
}

/** A merge that was decided but whose end is not recorded yet: it survives the process being killed in between. */
interface PendingMerge {
  readonly sha: string;
  readonly baseSha: string;
  readonly byId: number;
}

export interface PullRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly issueId: number;
  readonly number: number;
  readonly draft: boolean;
  /** The fork that the head branch is in; absent: the repository itself. */
  readonly headRepositoryId?: number;
  readonly headRef: string;
  readonly headSha: string;
  readonly baseRef: string;
  /** The base's tip when the head or the base was last set: it does not follow the branch. At the merge: the tip before it. */
  readonly baseSha: string;
  readonly mergedAt: string | null;
  readonly mergedById: number | null;
  readonly mergeCommitSha: string | null;
  readonly testMerge: TestMerge | null;
  readonly pendingMerge: PendingMerge | null;
  readonly autoMerge: AutoMergeSettings | null;
  readonly reviewerIds: readonly number[];
  readonly reviewTeamIds: readonly number[];
  readonly maintainerCanModify: boolean;
}

/** A pull request that waits in a merge queue. */
export interface QueueEntryRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly pullId: number;
  readonly baseRef: string;
  readonly headSha: string;
  readonly byId: number;
  readonly enqueuedAt: string;
  /** The commit that is being checked, once its turn has come. */
  readonly group: { readonly sha: string; readonly baseSha: string; readonly ref: string } | null;
}

export interface CommentRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly issueId: number;
  readonly userId: number;
  readonly viaApp: boolean;
  readonly body: string;
  readonly minimized: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly edit?: Edit;
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export interface ReviewRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly pullId: number;
  readonly userId: number;
  readonly viaApp: boolean;
  readonly body: string;
  readonly state: ReviewState;
  readonly commitId: string;
  readonly minimized: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly submittedAt: string | null;
  readonly edit?: Edit;
}

export type DiffSide = 'LEFT' | 'RIGHT';

export interface ReviewCommentRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly pullId: number;
  readonly reviewId: number;
  readonly userId: number;
  readonly viaApp: boolean;
  readonly body: string;
  readonly path: string;
  readonly diffHunk: string;
  readonly subject: 'line' | 'file';
  /** Lines below the first hunk header; null once the line is outdated. */
  readonly position: number | null;
  readonly originalPosition: number | null;
  readonly line: number | null;
  readonly originalLine: number | null;
  readonly startLine: number | null;
  readonly side: DiffSide;
  readonly startSide: DiffSide | null;
  readonly commitId: string;
  readonly originalCommitId: string;
  readonly inReplyTo: number | null;
  readonly minimized: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly edit?: Edit;
}

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
type ReactionContent = (typeof REACTIONS)[number];
export type ReactionSubject = 'issue' | 'comment' | 'review_comment';

export interface ReactionRecord {
  readonly id: number;
  readonly subject: ReactionSubject;
  readonly subjectId: number;
  readonly userId: number;
  readonly content: ReactionContent;
  readonly createdAt: string;
}

type CheckStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale';

export interface CheckSuiteRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

export interface CheckRunRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly suiteId: number;
  readonly appId: number;
  readonly name: string;
  readonly headSha: string;
  readonly status: CheckStatus;
  readonly conclusion: CheckConclusion | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly externalId: string | null;
  readonly detailsUrl: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
  readonly actions: readonly CheckAction[];
}

export interface AnnotationRecord {
  readonly id: number;
  readonly runId: number;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn: number | null;
  readonly endColumn: number | null;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
  readonly rawDetails: string | null;
}

export interface StatusRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
  /** The App that wrote it, null for a person. */
  readonly appId: number | null;
  readonly createdAt: string;
}

export interface DeploymentRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly sha: string;
  readonly ref: string;
  readonly task: string;
  readonly payload: unknown;
  readonly environment: string;
  readonly description: string | null;
  readonly creatorId: number;
  /** The App that wrote it, null for a person. */
  readonly appId: number | null;
  readonly transient: boolean;
  readonly production: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

type DeploymentState = 'error' | 'failure' | 'inactive' | 'in_progress' | 'queued' | 'pending' | 'success';

export interface DeploymentStatusRecord {
  readonly id: number;
  readonly deploymentId: number;
  readonly state: DeploymentState;
  readonly description: string;
  readonly environment: string;
  readonly environmentUrl: string;
  readonly logUrl: string;
  readonly targetUrl: string;
  readonly creatorId: number;
  /** The App that wrote it, null for a person. */
  readonly appId: number | null;
  readonly createdAt: string;
}

export interface ReleaseRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly tagName: string;
  readonly target: string;
  readonly name: string | null;
  readonly body: string | null;
  readonly draft: boolean;
  readonly prerelease: boolean;
  /** Told by the client; `legacy` orders by creation. */
  readonly makeLatest: 'true' | 'false' | 'legacy';
  readonly authorId: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
}
