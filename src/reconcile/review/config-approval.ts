import type { ApprovalCount } from '../../command/approval-count.ts';
import { holds, nameOf } from '../../command/authorize.ts';
import type { Grant } from '../../config/repository-config.ts';
import { weakeningApprovers, type ConfigurationChange } from '../check/configuration-changes.ts';
import type { PowerApproval } from '../check/power-check.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';

interface Counted {
  readonly access: Pick<RepositoryAccess, 'forge' | 'ref'>;
  readonly snapshot: Pick<ProposalSnapshot, 'config' | 'pull'>;
  /** Of the content as it was checked. */
  readonly approvals: ApprovalCount;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Who of those that `publish.weakeningApprovalBy` names has approved a weaker configuration; undefined where it names no one or
 * nothing is weaker. `snapshot.config` is the configuration in effect, so that a proposal cannot name its own approver. The digest of
 * the content covers what is weaker: an approval that was given for less does not count.
 */
export async function configApproval({
  changes,
  ...counted
}: Counted & { readonly changes: readonly ConfigurationChange[] }): Promise<PowerApproval | undefined> {
  const grants = weakeningApprovers(counted.snapshot.config);
  if (grants.length === 0 || !changes.some(({ weaker }) => weaker)) return undefined;
  return namedApproval(grants, counted);
}

/** The counted approvals by people whom one of the grants names. A grant that the forge does not confirm names no one. */
export async function namedApproval(
  grants: readonly Grant[],
  { access, snapshot: { config, pull }, approvals, signal }: Counted,
): Promise<PowerApproval> {
  const by: string[] = [];
  for (const { login } of approvals.counted) {
    const isAuthor = login.toLowerCase() === pull.author.toLowerCase();
    const caller = await loadCaller(access, config, { login, isAuthor, isBot: false }, signal);
    if (grants.some((grant) => holds(grant, caller))) by.push(login);
  }
  return { needed: grants.map(nameOf), by };
}
