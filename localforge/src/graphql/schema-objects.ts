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
`;
