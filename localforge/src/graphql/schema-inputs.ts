/** A part of GitHub's GraphQL schema (@octokit/graphql-schema, MIT), written by scripts/extract-openapi.ts. */
export const SCHEMA_INPUTS = `
input IssueCommentOrder {
  direction: OrderDirection!
  field: IssueCommentOrderField!
}

input LabelOrder {
  direction: OrderDirection!
  field: LabelOrderField!
}

input CheckRunFilter {
  appId: Int
  checkName: String
  checkType: CheckRunType
  conclusions: [CheckConclusionState!]
  status: CheckStatusState
  statuses: [CheckStatusState!]
}

input CheckSuiteFilter {
  appId: Int
  checkName: String
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
`;
