import type { CheckRunRecord, StatusRecord } from './collaboration-records.ts';
import { collaborationStore } from './collaboration-store.ts';
import type { ForgeContext } from './context.ts';
import type { RequiredCheck } from './refs.ts';

export type CheckVerdict = 'success' | 'pending' | 'failure' | 'expected';

/** The newest run of each name and suite, newest first: two workflows may have a job of one name. */
export function latestRuns(context: ForgeContext, repositoryId: number, sha: string): CheckRunRecord[] {
  const all = collaborationStore(context.store).runs.find('sha', [repositoryId, sha], { order: 'desc' });
  return newest(all, (run) => `${run.suiteId}:${run.name}`);
}

/** The newest status of each context, newest first. */
export function latestStatuses(context: ForgeContext, repositoryId: number, sha: string): StatusRecord[] {
  const all = collaborationStore(context.store).statuses.find('sha', [repositoryId, sha], { order: 'desc' });
  return newest(all, (status) => status.context);
}

/** How a required check stands on a commit; `expected`: nobody has reported it. */
export function verdictOfCheck(
  context: ForgeContext,
  repositoryId: number,
  sha: string,
  check: RequiredCheck,
): CheckVerdict {
  const fits = (appId: number | null): boolean => check.appId === null || check.appId === appId;
  const runs = latestRuns(context, repositoryId, sha).filter(
    (run) => run.name === check.context && fits(run.appId),
  );
  const statuses = latestStatuses(context, repositoryId, sha).filter(
    (status) => status.context === check.context && fits(status.appId),
  );
  const verdicts = [...runs.map(verdictOfRun), ...statuses.map(verdictOfStatus)];
  return worst(verdicts) ?? 'expected';
}

/** Whether anything reported on a commit is failing or unfinished. */
export function isUnstable(context: ForgeContext, repositoryId: number, sha: string): boolean {
  const verdicts = [
    ...latestRuns(context, repositoryId, sha).map(verdictOfRun),
    ...latestStatuses(context, repositoryId, sha).map(verdictOfStatus),
  ];
  return verdicts.some((verdict) => verdict !== 'success');
}

function verdictOfRun(run: CheckRunRecord): CheckVerdict {
  if (run.status !== 'completed') return 'pending';
  const good = run.conclusion === 'success' || run.conclusion === 'neutral' || run.conclusion === 'skipped';
  return good ? 'success' : 'failure';
}

function verdictOfStatus(status: StatusRecord): CheckVerdict {
  if (status.state === 'success' || status.state === 'pending') return status.state;
  return 'failure';
}

function worst(verdicts: readonly CheckVerdict[]): CheckVerdict | undefined {
  return (['failure', 'pending', 'success'] as const).find((each) => verdicts.includes(each));
}

function newest<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
