/** A part of GitHub's GraphQL schema (@octokit/graphql-schema, MIT), written by scripts/extract-openapi.ts. */
export const GITHUB_SCHEMA = `
type Query implements Node {
  id: ID!
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  rateLimit(dryRun: Boolean = false): RateLimit
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  viewer: User!
}

type Mutation {
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  dequeuePullRequest(input: DequeuePullRequestInput!): DequeuePullRequestPayload
  disablePullRequestAutoMerge(input: DisablePullRequestAutoMergeInput!): DisablePullRequestAutoMergePayload
  enablePullRequestAutoMerge(input: EnablePullRequestAutoMergeInput!): EnablePullRequestAutoMergePayload
  enqueuePullRequest(input: EnqueuePullRequestInput!): EnqueuePullRequestPayload
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  mergePullRequest(input: MergePullRequestInput!): MergePullRequestPayload
  minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
  unminimizeComment(input: UnminimizeCommentInput!): UnminimizeCommentPayload
}

type ConvertPullRequestToDraftPayload {
  clientMutationId: String
  pullRequest: PullRequest
}

type DisablePullRequestAutoMergePayload {
  actor: Actor
  clientMutationId: String
  pullRequest: PullRequest
}

type DequeuePullRequestPayload {
  clientMutationId: String
  mergeQueueEntry: MergeQueueEntry
}

type EnablePullRequestAutoMergePayload {
  actor: Actor
  clientMutationId: String
  pullRequest: PullRequest
}

type EnqueuePullRequestPayload {
  clientMutationId: String
  mergeQueueEntry: MergeQueueEntry
}

type MergeQueueEntry implements Node {
  enqueuedAt: DateTime!
  enqueuer: Actor!
  id: ID!
  position: Int!
  pullRequest: PullRequest
  state: MergeQueueEntryState!
}

type MarkPullRequestReadyForReviewPayload {
  clientMutationId: String
  pullRequest: PullRequest
}

type MergePullRequestPayload {
  actor: Actor
  clientMutationId: String
  pullRequest: PullRequest
}

type MinimizeCommentPayload {
  clientMutationId: String
  minimizedComment: Minimizable
}

type UnminimizeCommentPayload {
  clientMutationId: String
  unminimizedComment: Minimizable
}

interface Node {
  id: ID!
}

interface Minimizable {
  isMinimized: Boolean!
  minimizedReason: String
}

interface Actor {
  login: String!
  url: URI!
}

type Bot implements Actor & Node {
  databaseId: Int
  id: ID!
  login: String!
  url: URI!
}

type User implements Actor & Node {
  databaseId: Int
  id: ID!
  login: String!
  name: String
  url: URI!
}

type RateLimit {
  cost: Int!
  limit: Int!
  nodeCount: Int!
  remaining: Int!
  resetAt: DateTime!
  used: Int!
}

type Repository implements Node {
  autoMergeAllowed: Boolean!
  databaseId: Int
  defaultBranchRef: Ref
  hasIssuesEnabled: Boolean!
  hasVulnerabilityAlertsEnabled: Boolean!
  id: ID!
  isArchived: Boolean!
  isFork: Boolean!
  isPrivate: Boolean!
  issue(number: Int!): Issue
  issues(after: String, before: String, filterBy: IssueFilters, first: Int, labels: [String!], last: Int, orderBy: IssueOrder, states: [IssueState!]): IssueConnection!
  mergeCommitAllowed: Boolean!
  mergeQueue(branch: String): MergeQueue
  name: String!
  nameWithOwner: String!
  parent: Repository
  pullRequest(number: Int!): PullRequest
  rebaseMergeAllowed: Boolean!
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  url: URI!
  viewerPermission: RepositoryPermission
}

type Ref implements Node {
  id: ID!
  name: String!
  target: GitObject
}

interface GitObject {
  oid: GitObjectID!
}

type Commit implements GitObject & Node {
  id: ID!
  oid: GitObjectID!
}

type IssueConnection {
  nodes: [Issue]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
}

type MergeQueue implements Node {
  id: ID!
}

type Issue implements Node {
  author: Actor
  body: String!
  createdAt: DateTime!
  databaseId: Int
  editor: Actor
  id: ID!
  includesCreatedEdit: Boolean!
  lastEditedAt: DateTime
  number: Int!
  state: IssueState!
  title: String!
  updatedAt: DateTime!
  url: URI!
}

type PullRequest implements Node {
  author: Actor
  autoMergeRequest: AutoMergeRequest
  baseRefName: String!
  baseRefOid: GitObjectID!
  body: String!
  closed: Boolean!
  closedAt: DateTime
  createdAt: DateTime!
  databaseId: Int
  fullDatabaseId: BigInt
  headRefName: String!
  headRefOid: GitObjectID!
  id: ID!
  isCrossRepository: Boolean!
  isDraft: Boolean!
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  mergeQueueEntry: MergeQueueEntry
  mergeStateStatus: MergeStateStatus!
  mergeable: MergeableState!
  merged: Boolean!
  mergedAt: DateTime
  number: Int!
  reviewDecision: PullRequestReviewDecision
  state: PullRequestState!
  title: String!
  updatedAt: DateTime!
  url: URI!
}

type AutoMergeRequest {
  authorEmail: String
  commitBody: String
  commitHeadline: String
  enabledAt: DateTime
  enabledBy: Actor
  mergeMethod: PullRequestMergeMethod!
  pullRequest: PullRequest!
}

type IssueComment implements Minimizable & Node {
  author: Actor
  body: String!
  createdAt: DateTime!
  databaseId: Int
  editor: Actor
  fullDatabaseId: BigInt
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  issue: Issue!
  lastEditedAt: DateTime
  minimizedReason: String
  pullRequest: PullRequest
  updatedAt: DateTime!
  url: URI!
}

type PullRequestReview implements Minimizable & Node {
  author: Actor
  body: String!
  createdAt: DateTime!
  databaseId: Int
  editor: Actor
  fullDatabaseId: BigInt
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  lastEditedAt: DateTime
  minimizedReason: String
  pullRequest: PullRequest!
  state: PullRequestReviewState!
  submittedAt: DateTime
  updatedAt: DateTime!
  url: URI!
}

type PullRequestReviewComment implements Minimizable & Node {
  author: Actor
  body: String!
  createdAt: DateTime!
  databaseId: Int
  editor: Actor
  fullDatabaseId: BigInt
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  lastEditedAt: DateTime
  minimizedReason: String
  path: String!
  pullRequest: PullRequest!
  updatedAt: DateTime!
  url: URI!
}

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

input IssueFilters {
  assignee: String
  createdBy: String
  labels: [String!]
  mentioned: String
  milestone: String
  milestoneNumber: String
  since: DateTime
  states: [IssueState!]
  viewerSubscribed: Boolean = false
}

input IssueOrder {
  direction: OrderDirection!
  field: IssueOrderField!
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

input ConvertPullRequestToDraftInput {
  clientMutationId: String
  pullRequestId: ID!
}

input DequeuePullRequestInput {
  clientMutationId: String
  id: ID!
}

input DisablePullRequestAutoMergeInput {
  clientMutationId: String
  pullRequestId: ID!
}

input EnablePullRequestAutoMergeInput {
  authorEmail: String
  clientMutationId: String
  commitBody: String
  commitHeadline: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
  pullRequestId: ID!
}

input EnqueuePullRequestInput {
  clientMutationId: String
  expectedHeadOid: GitObjectID
  jump: Boolean
  pullRequestId: ID!
}

input MarkPullRequestReadyForReviewInput {
  clientMutationId: String
  pullRequestId: ID!
}

input MergePullRequestInput {
  authorEmail: String
  clientMutationId: String
  commitBody: String
  commitHeadline: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
  pullRequestId: ID!
}

input MinimizeCommentInput {
  classifier: ReportedContentClassifiers!
  clientMutationId: String
  subjectId: ID!
}

input UnminimizeCommentInput {
  clientMutationId: String
  subjectId: ID!
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
