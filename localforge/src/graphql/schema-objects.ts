/** A part of GitHub's GraphQL schema (@octokit/graphql-schema, MIT), written by scripts/extract-openapi.ts. */
export const SCHEMA_OBJECTS = `
type MergeQueueEntry implements Node {
  enqueuedAt: DateTime!
  enqueuer: Actor!
  id: ID!
  position: Int!
  pullRequest: PullRequest
  state: MergeQueueEntryState!
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

type User implements Actor & Node & RepositoryOwner {
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
  owner: RepositoryOwner!
  parent: Repository
  pullRequest(number: Int!): PullRequest
  pullRequests(after: String, baseRefName: String, before: String, first: Int, headRefName: String, labels: [String!], last: Int, orderBy: IssueOrder, states: [PullRequestState!]): PullRequestConnection!
  rebaseMergeAllowed: Boolean!
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  url: URI!
  viewerPermission: RepositoryPermission
  visibility: RepositoryVisibility!
}

type Ref implements Node {
  id: ID!
  name: String!
  target: GitObject
}

interface GitObject {
  oid: GitObjectID!
}

interface RepositoryOwner {
  id: ID!
  login: String!
  url: URI!
}

type Organization implements Actor & Node & RepositoryOwner {
  databaseId: Int
  id: ID!
  login: String!
  name: String
  url: URI!
}

type Commit implements GitObject & Node {
  checkSuites(after: String, before: String, filterBy: CheckSuiteFilter, first: Int, last: Int): CheckSuiteConnection
  id: ID!
  oid: GitObjectID!
}

type CheckSuiteConnection {
  nodes: [CheckSuite]
  pageInfo: PageInfo!
  totalCount: Int!
}

type CheckSuite implements Node {
  app: App
  checkRuns(after: String, before: String, filterBy: CheckRunFilter, first: Int, last: Int): CheckRunConnection
  databaseId: Int
  id: ID!
}

type App implements Node {
  databaseId: Int
  id: ID!
  name: String!
  slug: String!
}

type CheckRunConnection {
  nodes: [CheckRun]
  pageInfo: PageInfo!
  totalCount: Int!
}

type CheckRun implements Node {
  annotations(after: String, before: String, first: Int, last: Int): CheckAnnotationConnection
  checkSuite: CheckSuite!
  completedAt: DateTime
  conclusion: CheckConclusionState
  databaseId: Int
  externalId: String
  id: ID!
  name: String!
  startedAt: DateTime
  status: CheckStatusState!
  summary: String
  text: String
  title: String
}

type CheckAnnotationConnection {
  totalCount: Int!
}

type PullRequestConnection {
  nodes: [PullRequest]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PullRequestCommitConnection {
  nodes: [PullRequestCommit]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PullRequestCommit implements Node {
  commit: Commit!
  id: ID!
}

type IssueCommentConnection {
  nodes: [IssueComment]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PullRequestReviewConnection {
  nodes: [PullRequestReview]
  pageInfo: PageInfo!
  totalCount: Int!
}

union PullRequestTimelineItems = ConvertToDraftEvent | IssueComment | PullRequestCommit | PullRequestReview

type PullRequestTimelineItemsConnection {
  filteredCount: Int!
  nodes: [PullRequestTimelineItems]
  pageInfo: PageInfo!
  totalCount: Int!
}

type ConvertToDraftEvent implements Node {
  actor: Actor
  createdAt: DateTime!
  id: ID!
}

type LabelConnection {
  nodes: [Label]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Label implements Node {
  color: String!
  description: String
  id: ID!
  name: String!
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
  baseRepository: Repository
  body: String!
  closed: Boolean!
  closedAt: DateTime
  comments(after: String, before: String, first: Int, last: Int, orderBy: IssueCommentOrder): IssueCommentConnection!
  commits(after: String, before: String, first: Int, last: Int): PullRequestCommitConnection!
  createdAt: DateTime!
  databaseId: Int
  fullDatabaseId: BigInt
  headRefName: String!
  headRefOid: GitObjectID!
  headRepository: Repository
  id: ID!
  isCrossRepository: Boolean!
  isDraft: Boolean!
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  labels(after: String, before: String, first: Int, last: Int, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}): LabelConnection
  locked: Boolean!
  mergeCommit: Commit
  mergeQueueEntry: MergeQueueEntry
  mergeStateStatus: MergeStateStatus!
  mergeable: MergeableState!
  merged: Boolean!
  mergedAt: DateTime
  mergedBy: Actor
  number: Int!
  reviewDecision: PullRequestReviewDecision
  reviews(after: String, author: String, before: String, first: Int, last: Int, states: [PullRequestReviewState!]): PullRequestReviewConnection
  state: PullRequestState!
  timelineItems(after: String, before: String, first: Int, itemTypes: [PullRequestTimelineItemsItemType!], last: Int, since: DateTime, skip: Int): PullRequestTimelineItemsConnection!
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
  commit: Commit
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
`;
