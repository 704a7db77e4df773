/** Check suites: one per commit, made when a branch is pushed, completed with its last run. */
import { emitFor } from '../acting.ts';
import { runLater } from '../background.ts';
import type { CheckRunRecord, CheckSuiteRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { GitCommit } from '../git-objects.ts';
import { drawDelay } from '../realism/chances.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import type { RefsUpdated } from '../refs.ts';
import { checkRunShape, checkSuiteShape, suiteState } from '../shapes/check.ts';

/** The suite of a commit, made if there is none; of the forge's own App where no other is named. */
export function suiteFor(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
  appId = context.app.id,
): CheckSuiteRecord {
  const { pulls } = collaborationStore(context.store);
  const known = suiteOf(context, repository, sha, appId);
  if (known !== undefined) return known;
  const pull = pulls.first('sha', [repository.id, sha]);
  return insertSuite(context, repository, sha, { headBranch: pull?.headRef ?? null, before: null, appId });
}

/** The suite of the forge's own App. */
export function ownSuite(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
): CheckSuiteRecord | undefined {
  return suiteOf(context, repository, sha, context.app.id);
}

function suiteOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
  wanted: number,
): CheckSuiteRecord | undefined {
  const { suites } = collaborationStore(context.store);
  return suites.find('sha', [repository.id, sha]).find(({ appId }) => appId === wanted);
}

/**
 * Requests checks for every pushed branch, of Apps that may write them. On GitHub that is a job of its own, and the suite
 * appears after the push has been told of (gitmoot/gitmoot#596).
 */
export async function requestSuites(context: ForgeContext, event: RefsUpdated): Promise<void> {
  const { repository } = event;
  const installation = context.access.installationFor(repository);
  if (installation?.permissions['checks'] !== 'write') return;
  for (const { ref, before, after } of event.updates) {
    if (!ref.startsWith('refs/heads/') || after === null) continue;
    const commit = await context.git(repository).commit(after);
    if (ownSuite(context, repository, after) !== undefined) continue;
    const request = (): void =>
      context.store.transaction(() => {
        // A check of the App may have been faster, and is in it then.
        const suite =
          ownSuite(context, repository, after) ??
          insertSuite(context, repository, after, { headBranch: ref.slice('refs/heads/'.length), before });
        emitSuite({ context, repository, suite, sender: event.actor.user, action: 'requested', commit });
      });
    const ms = drawDelay(context, 'checkSuiteLag');
    if (ms === 0) request();
    else runLater(context, ms, 'requesting checks', async () => request());
  }
}

/** Emits `check_suite`; `requested` and `rerequested` go to the App alone. */
export function emitSuite({
  context,
  repository,
  suite,
  sender,
  action,
  commit,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly suite: CheckSuiteRecord;
  readonly sender: AccountRecord;
  readonly action: 'requested' | 'rerequested' | 'completed';
  readonly commit: GitCommit | undefined;
}): void {
  const shown = checkSuiteShape(context, repository, suite, commit);
  context.emit({
    event: 'check_suite',
    action,
    sender,
    repository,
    payload: { check_suite: shown },
    onlyApp: action !== 'completed',
  });
}

/** Emits `check_run`. */
export function emitRun({
  context,
  repository,
  run,
  sender,
  action,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly run: CheckRunRecord;
  readonly sender: AccountRecord;
  readonly action: 'created' | 'completed';
}): void {
  emitFor({
    context,
    repository,
    sender,
    event: 'check_run',
    action,
    payload: {
      check_run: checkRunShape(context, repository, run, true),
    },
  });
}

/** Emits `check_suite.completed` once every run of the suite is. */
export function completeIfDone(
  context: ForgeContext,
  repository: RepositoryRecord,
  suiteId: number,
  sender: AccountRecord,
): void {
  const { suites } = collaborationStore(context.store);
  const suite = suites.get(suiteId);
  if (suite === undefined || suiteState(context, suite).status !== 'completed') return;
  const updated = suites.update(suiteId, { updatedAt: context.now() });
  const shown = checkSuiteShape(context, repository, updated, undefined);
  emitFor({
    context,
    repository,
    sender,
    event: 'check_suite',
    action: 'completed',
    payload: { check_suite: shown },
  });
}

/** A suite without runs; of the forge's own App where no other is named. */
export function insertSuite(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
  { headBranch, before, appId = context.app.id }: NewSuite,
): CheckSuiteRecord {
  const now = context.now();
  return collaborationStore(context.store).suites.insert({
    repositoryId: repository.id,
    appId,
    headSha: sha,
    headBranch,
    before: before ?? '0'.repeat(40),
    after: sha,
    createdAt: now,
    updatedAt: now,
  });
}

interface NewSuite {
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly appId?: number;
}
