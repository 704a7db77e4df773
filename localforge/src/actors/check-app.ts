/** What another App than the forge's own does with checks. */
import { completeIfDone, emitRun, insertSuite } from '../checks/check-suites.ts';
import type { CheckRunRecord, CheckSuiteRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { retryAutoMergeAt } from '../pulls/auto-merge.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { ACTIONS_APP, type OtherApp } from './apps.ts';

export interface CheckedCommit {
  readonly repository: RepositoryRecord;
  readonly sha: string;
  readonly branch: string | null;
  /** Whom webhooks name as sender. Default: the repository's owner. */
  readonly by?: AccountRecord;
}

/**
 * The App's suite of a commit, made without runs if there is none. GitHub makes one for each App that may write checks, and
 * that of an App which never reports stays `queued` and empty for good
 * (https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks, "About check suites"). GitHub Actions makes one for
 * each run of a workflow; of those that are reported by hand one for each branch.
 */
function openSuite(
  context: ForgeContext,
  { repository, sha, branch }: CheckedCommit,
  app: OtherApp,
): CheckSuiteRecord {
  const { suites } = collaborationStore(context.store);
  const known = suites
    .find('sha', [repository.id, sha])
    .find(({ appId, headBranch }) => appId === app.id && (app !== ACTIONS_APP || headBranch === branch));
  return known ?? insertSuite(context, repository, sha, { headBranch: branch, before: null, appId: app.id });
}

/** A run of the App that has begun. */
export function beginRun(
  context: ForgeContext,
  commit: CheckedCommit,
  app: OtherApp,
  name: string,
): CheckRunRecord {
  return context.store.transaction(() =>
    insertRun(context, commit, openSuite(context, commit, app), { name, status: 'in_progress' }),
  );
}

/** A run that waits for its turn, in a suite that is there. */
export function queueRun(
  context: ForgeContext,
  commit: CheckedCommit,
  suite: CheckSuiteRecord,
  name: string,
): CheckRunRecord {
  return context.store.transaction(() => insertRun(context, commit, suite, { name, status: 'queued' }));
}

/** Its turn has come. No webhook says so: `check_run` has no action for it. */
export function startRun(context: ForgeContext, run: CheckRunRecord): void {
  collaborationStore(context.store).runs.update(run.id, { status: 'in_progress', startedAt: context.now() });
}

function insertRun(
  context: ForgeContext,
  commit: CheckedCommit,
  suite: CheckSuiteRecord,
  { name, status }: { readonly name: string; readonly status: 'queued' | 'in_progress' },
): CheckRunRecord {
  const run = collaborationStore(context.store).runs.insert({
    repositoryId: commit.repository.id,
    suiteId: suite.id,
    appId: suite.appId,
    name,
    headSha: commit.sha,
    status,
    conclusion: null,
    startedAt: context.now(),
    completedAt: null,
    externalId: null,
    detailsUrl: null,
    title: null,
    summary: null,
    text: null,
    actions: [],
  });
  emitRun({
    context,
    repository: commit.repository,
    run,
    sender: senderOf(context, commit),
    action: 'created',
  });
  return run;
}

/** Ends the run, and its suite with the last one. */
export function concludeRun(
  context: ForgeContext,
  commit: CheckedCommit,
  run: CheckRunRecord,
  conclusion: 'success' | 'failure' | 'skipped',
): void {
  context.store.transaction(() => {
    const { runs } = collaborationStore(context.store);
    const done = runs.update(run.id, { status: 'completed', conclusion, completedAt: context.now() });
    const sender = senderOf(context, commit);
    emitRun({ context, repository: commit.repository, run: done, sender, action: 'completed' });
    completeIfDone(context, commit.repository, run.suiteId, sender);
  });
  retryAutoMergeAt(context, commit.repository, commit.sha);
}

const senderOf = (context: ForgeContext, { repository, by }: CheckedCommit): AccountRecord =>
  by ?? context.records.account(repository.ownerId);
