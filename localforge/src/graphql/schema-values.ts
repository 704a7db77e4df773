/** A part of GitHub's GraphQL schema (@octokit/graphql-schema, MIT), written by scripts/extract-openapi.ts. */
export const SCHEMA_VALUES = `
scalar DateTime

scalar BigInt

scalar URI

enum PullRequestReviewState {
  APPROVED
  CHANGES_REQUESTED
  COMMENTED
  DISMISSED
  PENDING
}

enum PullRequestMergeMethod {
  MERGE
  REBASE
  SQUASH
}

scalar GitObjectID

enum MergeStateStatus {
  BEHIND
  BLOCKED
  CLEAN
  DIRTY
  DRAFT
  HAS_HOOKS
  UNKNOWN
  UNSTABLE
}

enum MergeableState {
  CONFLICTING
  MERGEABLE
  UNKNOWN
}

enum PullRequestReviewDecision {
  APPROVED
  CHANGES_REQUESTED
  REVIEW_REQUIRED
}

enum PullRequestState {
  CLOSED
  MERGED
  OPEN
}

enum IssueState {
  CLOSED
  OPEN
}

scalar GitSSHRemote

enum RepositoryPermission {
  ADMIN
  MAINTAIN
  READ
  TRIAGE
  WRITE
}

enum OrderDirection {
  ASC
  DESC
}

enum IssueOrderField {
  COMMENTS
  CREATED_AT
  UPDATED_AT
}

enum MergeQueueEntryState {
  AWAITING_CHECKS
  LOCKED
  MERGEABLE
  QUEUED
  UNMERGEABLE
}

enum ReportedContentClassifiers {
  ABUSE
  DUPLICATE
  OFF_TOPIC
  OUTDATED
  RESOLVED
  SPAM
}
`;
