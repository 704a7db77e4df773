import { parseBranch } from '../../revision/ref-name.ts';
import type { CommitInfo } from '../git-port.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { asksApproval, type ProposalApproval } from '../review/proposal-approval.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readSealed } from '../seal/update-record.ts';
import type { FoldedBy } from './fold-checks.ts';

/** An update of more commits is one that people work on. */
const MAX_COMMITS = 50;

interface Judged {
  readonly snapshot: ProposalSnapshot;
  readonly approval: ProposalApproval;
  /** The commit that the checks are of. */
  readonly head: CommitInfo;
  /** Somebody asked for them once more. */
  readonly again: boolean;
}

/**
 * Which checks are written where all is well; null: each of them. Of an update that nobody but Portico has a part in there are
 * thousands at once, and mostly one check of it is looked at, the one that is required; who proposes or commits something
 * himself looks at each.
 */
export async function loadFold(
  ports: Pick<Ports, 'app' | 'seals'>,
  access: Pick<RepositoryAccess, 'git' | 'demands'>,
  { snapshot, approval, head, again }: Judged,
  signal?: AbortSignal,
): Promise<FoldedBy | null> {
  const { config, pull, base } = snapshot;
  if (pull.author !== ports.app.botLogin || parseBranch(pull.headRef)?.kind !== 'update') return null;
  const log = await access.git.log({ from: base, to: head.oid }, { limit: MAX_COMMITS + 1 }, signal);
  const isAlone = log.every(
    (commit) => readSealed(commit, ports.seals) !== null || isRenderCommit(commit, ports.seals),
  );
  if (!isAlone || log.length > MAX_COMMITS) return null;
  const { requiredChecks } = await access.demands(config.branch, { anew: again }, signal);
  return {
    required: requiredChecks,
    asksApproval:
      asksApproval(config) || approval.state.kind !== 'not-asked' || approval.consent !== undefined,
  };
}
