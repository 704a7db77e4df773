import { appShape } from '../actors/apps.ts';
import type { AnnotationRecord, CheckRunRecord, CheckSuiteRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { GitCommit } from '../git-objects.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import { minimalPull } from './pull.ts';
import { repositoryShape } from './repository.ts';
import type { Shape } from './shape.ts';

/** `check-run`; with `forWebhook` its suite is written out as payloads have it. */
export function checkRunShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  run: CheckRunRecord,
  forWebhook = false,
): Shape {
  const store = collaborationStore(context.store);
  const url = context.urls.repoApi(repository, `/check-runs/${run.id}`);
  const htmlUrl = context.urls.repoWeb(repository, `/runs/${run.id}`);
  const suite = forWebhook ? store.suites.get(run.suiteId) : undefined;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.headSha,
    external_id: run.externalId ?? '',
    url,
    html_url: htmlUrl,
    details_url: run.detailsUrl ?? htmlUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: store.annotations.count('run', [run.id]),
      annotations_url: `${url}/annotations`,
    },
    check_suite: suite === undefined ? { id: run.suiteId } : simpleSuite(context, repository, suite),
    app: appShape(context, run.appId),
    pull_requests: pullsAt(context, repository, run.headSha),
  };
}

/** `check-suite`; `commit` is its head. */
export function checkSuiteShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  suite: CheckSuiteRecord,
  commit: GitCommit | undefined,
): Shape {
  const runs = collaborationStore(context.store).runs.count('suite', [suite.id]);
  return {
    ...simpleSuite(context, repository, suite),
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: runs,
    check_runs_url: context.urls.repoApi(repository, `/check-suites/${suite.id}/check-runs`),
    head_commit: simpleCommit(suite.headSha, commit),
  };
}

/** `check-annotation`. */
export function annotationShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  run: CheckRunRecord,
  annotation: AnnotationRecord,
): Shape {
  const path = annotation.path.split('/').map(encodeURIComponent).join('/');
  return {
    path: annotation.path,
    blob_href: context.urls.repoWeb(repository, `/blob/${run.headSha}/${path}`),
    start_line: annotation.startLine,
    start_column: annotation.startColumn,
    end_line: annotation.endLine,
    end_column: annotation.endColumn,
    annotation_level: annotation.level,
    title: annotation.title,
    message: annotation.message,
    raw_details: annotation.rawDetails,
  };
}

/** What the runs of a suite amount to together. */
export function suiteState(
  context: ForgeContext,
  suite: CheckSuiteRecord,
): { readonly status: string; readonly conclusion: string | null } {
  const runs = collaborationStore(context.store).runs.find('suite', [suite.id]);
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed')) {
    const started = runs.some((run) => run.status === 'in_progress' || run.status === 'completed');
    return { status: started ? 'in_progress' : 'queued', conclusion: null };
  }
  const worst = [
    'failure',
    'timed_out',
    'action_required',
    'cancelled',
    'stale',
    'success',
    'neutral',
    'skipped',
  ];
  const conclusion = worst.find((each) => runs.some((run) => run.conclusion === each)) ?? 'neutral';
  return { status: 'completed', conclusion };
}

function simpleSuite(context: ForgeContext, repository: RepositoryRecord, suite: CheckSuiteRecord): Shape {
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...suiteState(context, suite),
    url: context.urls.repoApi(repository, `/check-suites/${suite.id}`),
    before: suite.before,
    after: suite.after,
    pull_requests: pullsAt(context, repository, suite.headSha),
    app: appShape(context, suite.appId),
    repository: repositoryShape(context, repository),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  };
}

/** Open pull requests whose head it is. */
export function pullsAt(context: ForgeContext, repository: RepositoryRecord, sha: string): Shape[] {
  const store = collaborationStore(context.store);
  return store.pulls
    .find('sha', [repository.id, sha])
    .filter((pull) => store.issues.get(pull.issueId)?.state === 'open')
    .map((pull) => minimalPull(context, repository, pull));
}

/** A commit as suites and runs name it. */
export function simpleCommit(sha: string, commit: GitCommit | undefined): Shape {
  return {
    id: sha,
    tree_id: commit?.tree ?? '',
    message: commit?.message ?? '',
    timestamp: commit?.committer.date ?? '',
    author: person(commit?.author),
    committer: person(commit?.committer),
  };
}

const person = (one: { readonly name: string; readonly email: string } | undefined): Shape => ({
  name: one?.name ?? '',
  email: one?.email ?? '',
});
