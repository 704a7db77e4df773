import { runGitOps } from './actors/gitops.ts';
import { backgroundSettled } from './background.ts';
import { verdictOfCheck } from './checks-of-commit.ts';
import { requestSuites } from './checks/check-suites.ts';
import type { ForgeContext } from './context.ts';
import { addGraphql } from './graphql/endpoint.ts';
import { followRefs } from './pulls/follow-refs.ts';
import { addCheckSuites } from './rest/check-suites.ts';
import { addChecks } from './rest/checks.ts';
import { addCommitPulls } from './rest/commit-pulls.ts';
import { addDeployments } from './rest/deployments.ts';
import { addIssueComments } from './rest/issue-comments.ts';
import { addIssues } from './rest/issues.ts';
import { addLabels } from './rest/labels.ts';
import { addPullFiles } from './rest/pull-files.ts';
import { addPullMerge } from './rest/pull-merge.ts';
import { addPulls } from './rest/pulls.ts';
import { addReactions } from './rest/reactions.ts';
import { addReleases } from './rest/releases.ts';
import { addReviewCommentRoutes } from './rest/review-comments.ts';
import { addReviewers } from './rest/reviewers.ts';
import { addReviews } from './rest/reviews.ts';
import { addStatuses } from './rest/statuses.ts';
import type { Router } from './router.ts';

/** Adds the routes and subscriptions of collaboration: pull requests, issues, checks, releases, GraphQL. */
export function addCollaboration(context: ForgeContext, router: Router): void {
  addCollaborationRoutes(context, router);
  context.refs.setMissingChecks((repository, sha, required) =>
    required
      .filter((check) => verdictOfCheck(context, repository.id, sha, check) !== 'success')
      .map((check) => check.context),
  );
  context.refs.onUpdated((event) => requestSuites(context, event));
  context.refs.onUpdated((event) => followRefs(context, event));
  context.refs.onUpdated((event) => runGitOps(context, event));
}

/** Its routes alone. */
export function addCollaborationRoutes(context: ForgeContext, router: Router): void {
  // Fixed paths (`issues/comments`) come before those with a parameter in that place (`issues/:number`).
  addIssueComments(context, router);
  addReactions(context, router);
  addReviewCommentRoutes(context, router);
  addIssues(context, router);
  addLabels(context, router);
  addPulls(context, router);
  addCommitPulls(context, router);
  addPullFiles(context, router);
  addPullMerge(context, router);
  addReviews(context, router);
  addReviewers(context, router);
  addChecks(context, router);
  addCheckSuites(context, router);
  addStatuses(context, router);
  addDeployments(context, router);
  addReleases(context, router);
  addGraphql(context, router);
}

/** Resolves when nothing that the collaboration half does by itself is under way. */
export const collaborationSettled = (context: ForgeContext): Promise<void> => backgroundSettled(context);
