/** Runs of workflows: what `workflow_run` tells of them. */

import { emitFor } from '../acting.ts';
import type { CheckSuiteRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import type { GitCommit } from '../git-objects.ts';
import { nodeId } from '../node-id.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { simpleUser } from '../shapes/account.ts';
import { simpleCommit, pullsAt, suiteState } from '../shapes/check.ts';
import { repositoryShape } from '../shapes/repository.ts';
import type { Shape } from '../shapes/shape.ts';
import type { Collection, Store } from '../store.ts';
import type { Workflow } from './workflows.ts';

interface WorkflowRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly path: string;
  readonly createdAt: string;
}

export interface WorkflowRun {
  readonly id: number;
  readonly number: number;
  readonly workflow: Workflow;
  readonly workflowId: number;
  readonly event: string;
  readonly suite: CheckSuiteRecord;
  readonly commit: GitCommit;
  readonly actor: AccountRecord;
  /** Where the branch is: of a pull request from a fork the fork. */
  readonly head: RepositoryRecord;
  readonly startedAt: string;
}

const workflowsOf = (store: Store): Collection<WorkflowRecord> =>
  store.collection<WorkflowRecord>('workflows', {
    path: { key: ({ repositoryId, path }) => [repositoryId, path], unique: true },
  });

/** Numbers the run of a workflow, which has a suite of its own: `CheckSuite.workflowRun` of GraphQL names one. */
export function newWorkflowRun(
  context: ForgeContext,
  repository: RepositoryRecord,
  run: Omit<WorkflowRun, 'id' | 'number' | 'workflowId' | 'startedAt'>,
): WorkflowRun {
  const { store } = context;
  const workflows = workflowsOf(store);
  const { path } = run.workflow;
  const known =
    workflows.first('path', [repository.id, path]) ??
    workflows.insert({ repositoryId: repository.id, path, createdAt: context.now() });
  const id = store.sequence('workflow_run');
  const number = store.sequence(`workflow_run:${known.id}`);
  return { ...run, id, number, workflowId: known.id, startedAt: context.now() };
}

/** Emits `workflow_run`. */
export function emitWorkflowRun(
  context: ForgeContext,
  repository: RepositoryRecord,
  run: WorkflowRun,
  action: 'requested' | 'in_progress' | 'completed',
): void {
  emitFor({
    context,
    repository,
    sender: run.actor,
    event: 'workflow_run',
    action,
    payload: {
      workflow_run: runShape(context, repository, run),
      workflow: workflowShape(context, repository, run),
    },
  });
}

function runShape(context: ForgeContext, repository: RepositoryRecord, run: WorkflowRun): Shape {
  const { id, suite, workflow, actor } = run;
  const api = context.urls.repoApi(repository, `/actions/runs/${id}`);
  const suiteUrl = context.urls.repoApi(repository, `/check-suites/${suite.id}`);
  const by = simpleUser(context, actor);
  return {
    id,
    name: workflow.name,
    node_id: nodeId('WorkflowRun', id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    path: workflow.path,
    display_title: run.commit.message.split('\n', 1)[0] ?? '',
    run_number: run.number,
    run_attempt: 1,
    event: run.event,
    ...suiteState(context, suite),
    workflow_id: run.workflowId,
    check_suite_id: suite.id,
    check_suite_node_id: nodeId('CheckSuite', suite.id),
    check_suite_url: suiteUrl,
    url: api,
    html_url: context.urls.repoWeb(repository, `/actions/runs/${id}`),
    pull_requests: pullsAt(context, repository, suite.headSha),
    created_at: run.startedAt,
    updated_at: context.now(),
    run_started_at: run.startedAt,
    actor: by,
    triggering_actor: by,
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: null,
    referenced_workflows: [],
    workflow_url: context.urls.repoApi(repository, `/actions/workflows/${run.workflowId}`),
    head_commit: simpleCommit(suite.headSha, run.commit),
    repository: repositoryShape(context, repository),
    head_repository: repositoryShape(context, run.head),
  };
}

function workflowShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  { workflow: { name, path }, workflowId: id }: WorkflowRun,
): Shape {
  const createdAt = workflowsOf(context.store).get(id)?.createdAt ?? context.now();
  return {
    id,
    node_id: nodeId('Workflow', id),
    name,
    path,
    state: 'active',
    created_at: createdAt,
    updated_at: createdAt,
    url: context.urls.repoApi(repository, `/actions/workflows/${id}`),
    html_url: context.urls.repoWeb(repository, `/blob/${repository.defaultBranch}/${path}`),
    badge_url: context.urls.repoWeb(repository, `/workflows/${encodeURIComponent(name)}/badge.svg`),
  };
}
