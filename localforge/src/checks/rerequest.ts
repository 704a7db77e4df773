/** What people do to checks on their page: ask for them again, press their buttons. */
import type { CheckRunRecord, CheckSuiteRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { unprocessable } from '../refusal.ts';
import { checkRunShape } from '../shapes/check.ts';
import { emitSuite } from './check-suites.ts';

/** Asks the App for a run again. The run is not changed: the App makes a new one. */
export function rerequestRun(
  context: ForgeContext,
  repository: RepositoryRecord,
  run: CheckRunRecord,
  by: AccountRecord,
): void {
  tell({ context, repository, run, sender: by, action: 'rerequested', extra: {} });
}

/** Asks the App for all runs of a suite again. */
export async function rerequestSuite(
  context: ForgeContext,
  repository: RepositoryRecord,
  suite: CheckSuiteRecord,
  by: AccountRecord,
): Promise<void> {
  const commit = await context.git(repository).commit(suite.headSha);
  emitSuite({ context, repository, suite, sender: by, action: 'rerequested', commit });
}

/**
 * Presses one of the buttons of a completed run. GitHub has no REST for it.
 * @throws 422 when the run has no such button or nobody has that login
 */
export function pressAction(context: ForgeContext, runId: number, identifier: string, login: string): void {
  const by = context.records.accountByLogin(login);
  if (by === undefined) throw unprocessable(`There is no user ${login}.`);
  const run = collaborationStore(context.store).runs.get(runId);
  const repository = run && context.records.repositories.get(run.repositoryId);
  if (run === undefined || repository === undefined) throw unprocessable(`There is no check run ${runId}.`);
  const shown = run.status === 'completed' && run.actions.some((action) => action.identifier === identifier);
  if (!shown) throw unprocessable(`Check run ${runId} shows no action "${identifier}".`);
  tell({
    context,
    repository,
    run,
    sender: by,
    action: 'requested_action',
    extra: { requested_action: { identifier } },
  });
}

function tell({
  context,
  repository,
  run,
  sender,
  action,
  extra,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly run: CheckRunRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly extra: Readonly<Record<string, unknown>>;
}): void {
  context.emit({
    event: 'check_run',
    action,
    sender,
    repository,
    payload: { check_run: checkRunShape(context, repository, run, true), ...extra },
    onlyApp: true,
  });
}
