import type { ApprovalCount } from '../../command/approval-count.ts';
import { holds, nameOf } from '../../command/authorize.ts';
import { mayGrow, type PackagePower, type PowerApproval } from '../check/power-check.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';

/**
 * Who of those that `publish.requireApprovalBy` names has approved this content; undefined where it names nobody or no
 * power grows. What a file that cannot be read permits is unknown, and counts as more. Roles and teams are asked of the forge at this moment, and what it does not answer grants nothing.
 */
export async function powerApproval({
  access,
  snapshot: { config, pull },
  powers,
  approvals,
  signal,
}: {
  readonly access: Pick<RepositoryAccess, 'forge' | 'ref'>;
  readonly snapshot: Pick<ProposalSnapshot, 'config' | 'pull'>;
  readonly powers: readonly PackagePower[];
  readonly approvals: ApprovalCount;
  readonly signal?: AbortSignal | undefined;
}): Promise<PowerApproval | undefined> {
  const grants = config.publish.requireApprovalBy ?? [];
  if (grants.length === 0 || !powers.some(({ diff }) => mayGrow(diff))) return undefined;
  const by: string[] = [];
  for (const { login } of approvals.counted) {
    const isAuthor = login.toLowerCase() === pull.author.toLowerCase();
    const caller = await loadCaller(access, config, { login, isAuthor, isBot: false }, signal);
    if (grants.some((grant) => holds(grant, caller))) by.push(login);
  }
  return { needed: grants.map(nameOf), by };
}
