/**
 * GitHub Actions as other programs see it: each run of a workflow has a check suite, which appears some time after the push or the pull
 * request that asks for it, its jobs' check runs later, and they end later still. What merges as soon as everything there is green
 * merges before CI has begun (gitmoot/gitmoot#596, cli/cli#3514). Nothing is run.
 */
import { runLater } from '../background.ts';
import { insertSuite } from '../checks/check-suites.ts';
import type { CheckRunRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import { drawDelay } from '../realism/chances.ts';
import type { RepositoryRecord } from '../records.ts';
import type { WebhookEvent } from '../webhook-types.ts';
import { ACTIONS_APP } from './apps.ts';
import { concludeRun, queueRun, startRun } from './check-app.ts';
import { emitWorkflowRun, newWorkflowRun, type WorkflowRun } from './workflow-run.ts';
import { isByWorkflow } from './workflow-token.ts';
import { startsOn, workflowsAt, type Trigger, type Workflow } from './workflows.ts';

/** docs.github.com, "Skipping workflow runs": of pushes and pull requests, by the message of the newest commit. */
const SKIPS = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/;

interface ActionRequest extends Trigger {
  readonly sha: string;
  readonly branch: string | null;
  readonly head: RepositoryRecord;
}

/** Starts what the workflow files of the commit say, as GitHub does, after what happened was told of. */
export function runActions(context: ForgeContext, event: WebhookEvent): void {
  const { repository } = event;
  if (repository === undefined || context.knobs.realism.actionsLag === null) return;
  if (isByWorkflow(event.sender)) return;
  const asked = askedBy(context, event, repository);
  if (asked === undefined) return;
  runLater(context, 0, NAME, async () => {
    const git = context.git(repository);
    const workflows = await workflowsAt(git, asked.sha);
    const wanted = workflows.filter((one) => startsOn(one, asked));
    if (wanted.length === 0) return;
    const commit = await git.commit((await git.resolve(asked.sha)) ?? asked.sha);
    if (commit === undefined) return;
    if (asked.event !== 'merge_group' && SKIPS.test(commit.message)) return;
    for (const workflow of wanted) {
      later(context, async () => {
        const suite = insertSuite(context, repository, commit.sha, {
          headBranch: asked.branch,
          before: null,
          appId: ACTIONS_APP.id,
        });
        const { sender: actor } = event;
        const run = newWorkflowRun(context, repository, { ...asked, workflow, suite, commit, actor });
        emitWorkflowRun(context, repository, run, 'requested');
        later(context, () => begin(context, repository, run));
      });
    }
  });
}

const NAME = 'GitHub Actions';

const later = (context: ForgeContext, work: () => Promise<void>): void =>
  runLater(context, drawDelay(context, 'actionsLag'), NAME, work);

type Jobs = readonly { readonly run: CheckRunRecord; readonly job: Workflow['jobs'][number] }[];

async function begin(context: ForgeContext, repository: RepositoryRecord, run: WorkflowRun): Promise<void> {
  const { suite, actor: by } = run;
  const commit = { repository, sha: suite.headSha, branch: suite.headBranch, by };
  const jobs: Jobs = run.workflow.jobs.map((job) => ({
    job,
    run: queueRun(context, commit, suite, job.name),
  }));
  later(context, async () => {
    for (const { run: one } of jobs) startRun(context, one);
    emitWorkflowRun(context, repository, run, 'in_progress');
    later(context, async () => {
      for (const { run: one, job } of jobs) concludeRun(context, commit, one, job.conclusion);
      emitWorkflowRun(context, repository, run, 'completed');
    });
  });
}

/** What an event asks of Actions; undefined for all that starts nothing. */
function askedBy(
  context: ForgeContext,
  event: WebhookEvent,
  repository: RepositoryRecord,
): ActionRequest | undefined {
  const { action, payload } = event;
  if (event.event === 'push') {
    const { ref, after, deleted } = payload as { ref: string; after: string; deleted: boolean };
    const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
    return deleted ? undefined : { event: 'push', ref, sha: after, branch, head: repository };
  }
  if (event.event === 'pull_request') {
    const { head, base } = payload['pull_request'] as {
      head: { sha: string; ref: string; repo: { id: number } | null };
      base: { ref: string };
    };
    const from = head.repo === null ? undefined : context.records.repositories.get(head.repo.id);
    const ref = `refs/heads/${base.ref}`;
    return { event: 'pull_request', action, ref, sha: head.sha, branch: head.ref, head: from ?? repository };
  }
  if (event.event === 'merge_group' && action === 'checks_requested') {
    const { head_sha: sha, head_ref: ref } = payload['merge_group'] as { head_sha: string; head_ref: string };
    return {
      event: 'merge_group',
      action,
      ref,
      sha,
      branch: ref.slice('refs/heads/'.length),
      head: repository,
    };
  }
  return undefined;
}
