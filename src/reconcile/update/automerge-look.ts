import type { CheckRun } from '../forge/checks.ts';
import type { Pull } from '../forge/pulls.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import {
  countingChecks,
  isElsewhere,
  judgeHead,
  judgeNames,
  type CheckNames,
  type ChecksVerdict,
  type OtherChecks,
} from './automerge-checks.ts';

/** Where nothing else is said: Actions has begun within seconds, except while GitHub has trouble. */
const SETTLE_SECONDS = 60;
/** The newest commits of the base may be so new that CI has not begun there either. */
const COMMITS = 3;

/** What others check of an update: at its head, and by what they check on its base. */
export async function lookAtChecks({
  ports,
  access: { forge, git },
  pull,
  base,
  runs,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'now' | 'settleSeconds'>;
  readonly access: RepositoryAccess;
  /** Its pull request, or its branch where it has none. */
  readonly pull: Pick<Pull, 'headSha' | 'headRef' | 'baseRef'> & Partial<Pick<Pull, 'createdAt'>>;
  readonly base: string;
  readonly runs: readonly CheckRun[];
  readonly signal?: AbortSignal | undefined;
}): Promise<ChecksVerdict> {
  const { statuses } = await forge.combinedStatus(pull.headSha, signal);
  const isOthers = ({ appId }: { readonly appId: number | null }): boolean => appId !== ports.app.id;
  const suites = (await forge.checkSuites(pull.headSha, signal)).filter(isOthers);
  const foreign = suites.some((suite) => isElsewhere(suite, pull.headRef));
  const required = foreign ? (await forge.branchRules(pull.baseRef, signal)).requiredChecks : [];
  const others: OtherChecks = {
    ...countingChecks(
      { runs: runs.filter(isOthers), suites },
      pull.headRef,
      required.map(({ context }) => context),
    ),
    statuses,
  };
  const seen = firstSeen(ports, runs);
  const began = pull.createdAt === undefined ? seen : Math.max(seen, Date.parse(pull.createdAt));
  const age = Math.max(0, (ports.now().getTime() - began) / 1_000);
  const head = judgeHead(others, { age, settle: ports.settleSeconds ?? SETTLE_SECONDS });
  if (head.kind !== 'green') return head;
  return judgeNames(others, await namesOn(ports, { forge, git }, base, signal), age);
}

/**
 * When Portico first saw the commit, as its checks there tell: whoever may push can make a commit of Portico's anew with
 * another time in it.
 */
function firstSeen({ app }: Pick<Ports, 'app'>, runs: readonly CheckRun[]): number {
  const own = runs.filter(({ appId, startedAt }) => appId === app.id && startedAt !== null);
  return Math.min(...own.map(({ startedAt }) => Date.parse(startedAt ?? '')));
}

/**
 * The checks of others on the newest commits of the base. Of all of them: what came first on the newest one, from Flux, a workflow that
 * runs at an hour or for a comment, says nothing of the CI that has not begun there.
 */
async function namesOn(
  ports: Pick<Ports, 'app'>,
  { forge, git }: Pick<RepositoryAccess, 'forge' | 'git'>,
  base: string,
  signal: AbortSignal | undefined,
): Promise<CheckNames> {
  const names = { runs: new Set<string>(), statuses: new Set<string>() };
  for (const { oid } of await git.log({ to: base }, { limit: COMMITS, firstParent: true }, signal)) {
    const runs = await forge.listChecks(oid, signal);
    for (const { name, appId } of runs) if (appId !== ports.app.id) names.runs.add(name);
    for (const { context } of (await forge.combinedStatus(oid, signal)).statuses) {
      names.statuses.add(context);
    }
  }
  return { runs: [...names.runs], statuses: [...names.statuses] };
}
