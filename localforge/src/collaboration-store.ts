import type {
  AnnotationRecord,
  CheckRunRecord,
  CheckSuiteRecord,
  CommentRecord,
  DeploymentRecord,
  DeploymentStatusRecord,
  IssueEventRecord,
  IssueRecord,
  LabelRecord,
  PullRecord,
  QueueEntryRecord,
  ReactionRecord,
  ReleaseRecord,
  ReviewCommentRecord,
  ReviewRecord,
  StatusRecord,
} from './collaboration-records.ts';
import type { Collection, Store } from './store.ts';

export interface CollaborationStore {
  readonly labels: Collection<LabelRecord>;
  readonly issueEvents: Collection<IssueEventRecord>;
  readonly issues: Collection<IssueRecord>;
  readonly pulls: Collection<PullRecord>;
  readonly queue: Collection<QueueEntryRecord>;
  readonly comments: Collection<CommentRecord>;
  readonly reviews: Collection<ReviewRecord>;
  readonly reviewComments: Collection<ReviewCommentRecord>;
  readonly reactions: Collection<ReactionRecord>;
  readonly suites: Collection<CheckSuiteRecord>;
  readonly runs: Collection<CheckRunRecord>;
  readonly annotations: Collection<AnnotationRecord>;
  readonly statuses: Collection<StatusRecord>;
  readonly deployments: Collection<DeploymentRecord>;
  readonly deploymentStatuses: Collection<DeploymentStatusRecord>;
  readonly releases: Collection<ReleaseRecord>;
}

const stores = new WeakMap<Store, CollaborationStore>();

/** The collections of the collaboration half, made on first use. */
export function collaborationStore(store: Store): CollaborationStore {
  const known = stores.get(store);
  if (known !== undefined) return known;
  const made = open(store);
  stores.set(store, made);
  return made;
}

function open(store: Store): CollaborationStore {
  return {
    labels: store.collection<LabelRecord>('labels', {
      repository: { key: (label) => [label.repositoryId] },
      name: { key: (label) => [label.repositoryId, label.name.toLowerCase()], unique: true },
    }),
    issueEvents: store.collection<IssueEventRecord>('label_events', {
      issue: { key: (event) => [event.issueId] },
    }),
    issues: store.collection<IssueRecord>('issues', {
      repository: { key: (issue) => [issue.repositoryId] },
      state: { key: (issue) => [issue.repositoryId, issue.state] },
      number: { key: (issue) => [issue.repositoryId, issue.number], unique: true },
    }),
    pulls: store.collection<PullRecord>('pulls', {
      repository: { key: (pull) => [pull.repositoryId] },
      number: { key: (pull) => [pull.repositoryId, pull.number], unique: true },
      head: { key: (pull) => [pull.headRepositoryId ?? pull.repositoryId, pull.headRef] },
      base: { key: (pull) => [pull.repositoryId, pull.baseRef] },
      sha: { key: (pull) => [pull.repositoryId, pull.headSha] },
    }),
    queue: store.collection<QueueEntryRecord>('merge_queue', {
      repository: { key: (entry) => [entry.repositoryId] },
      pull: { key: (entry) => [entry.pullId], unique: true },
    }),
    comments: store.collection<CommentRecord>('comments', {
      repository: { key: (comment) => [comment.repositoryId] },
      issue: { key: (comment) => [comment.issueId] },
    }),
    reviews: store.collection<ReviewRecord>('reviews', {
      pull: { key: (review) => [review.pullId] },
    }),
    reviewComments: store.collection<ReviewCommentRecord>('review_comments', {
      repository: { key: (comment) => [comment.repositoryId] },
      pull: { key: (comment) => [comment.pullId] },
      review: { key: (comment) => [comment.reviewId] },
    }),
    reactions: store.collection<ReactionRecord>('reactions', {
      subject: { key: (reaction) => [reaction.subject, reaction.subjectId] },
      own: {
        key: (reaction) => [reaction.subject, reaction.subjectId, reaction.userId, reaction.content],
        unique: true,
      },
    }),
    suites: store.collection<CheckSuiteRecord>('check_suites', {
      sha: { key: (suite) => [suite.repositoryId, suite.headSha] },
    }),
    runs: store.collection<CheckRunRecord>('check_runs', {
      sha: { key: (run) => [run.repositoryId, run.headSha] },
      suite: { key: (run) => [run.suiteId] },
    }),
    annotations: store.collection<AnnotationRecord>('annotations', {
      run: { key: (annotation) => [annotation.runId] },
    }),
    statuses: store.collection<StatusRecord>('statuses', {
      sha: { key: (status) => [status.repositoryId, status.sha] },
    }),
    deployments: store.collection<DeploymentRecord>('deployments', {
      repository: { key: (deployment) => [deployment.repositoryId] },
    }),
    deploymentStatuses: store.collection<DeploymentStatusRecord>('deployment_statuses', {
      deployment: { key: (status) => [status.deploymentId] },
    }),
    releases: store.collection<ReleaseRecord>('releases', {
      repository: { key: (release) => [release.repositoryId] },
      tag: { key: (release) => [release.repositoryId, release.tagName] },
    }),
  };
}
