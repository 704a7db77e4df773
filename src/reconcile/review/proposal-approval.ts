import type { ApprovalCount } from '../../command/approval-count.ts';
import { approvalState, type ApprovalState } from '../../command/approval-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { digestOf, shortDigest } from '../../revision/digest.ts';
import { APPROVAL_CHECK } from '../check-names.ts';
import { approvalCheck } from '../check/approval-check.ts';
import type { CheckInput, CheckRun } from '../forge/checks.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Ports, RepositoryWork } from '../ports.ts';

/** Branches of updates, see update-bundle.ts. */
const UPDATES = 'portico/update/';

export interface ProposalApproval {
  readonly state: ApprovalState;
  /** External id of the approval check, where the configuration stands in for people. */
  readonly consent?: string;
  /** Approvals of the same change elsewhere that are counted. */
  readonly accepted?: number;
}

/**
 * What is missing of the approvals of this content. An update that `updates.automerge` lets merge itself needs none: the
 * registered branch's configuration has approved it, unless somebody asks for changes.
 */
export async function proposalApproval(
  { ports, access, signal }: RepositoryWork<'app', 'forge'>,
  { config, pull }: { readonly config: RepositoryConfig; readonly pull: Pull },
  digest: string,
  count: ApprovalCount,
): Promise<ProposalApproval> {
  const state = approvalState(config, count);
  const accepted = count.accepted?.length ?? 0;
  if (state.kind !== 'missing' || !mayMergeItself(config, pull)) return { state, accepted };
  const run = ourApproval(ports, await access.forge.ourChecks(pull.headSha, signal));
  const consent = consentTo(config, digest);
  if (run?.externalId !== consent) return { state };
  return count.changesRequested.length > 0 || pull.draft ? { state, consent } : { state: CONSENTED, consent };
}

/** Whether a repository asks for anybody's approval at all. */
export function asksApproval({ publish }: Pick<RepositoryConfig, 'publish'>): boolean {
  return publish.requireApprovals > 0 || (publish.requireApprovalBy ?? []).length > 0;
}

/** True for an update in a repository where some updates merge themselves. */
export function mayMergeItself(
  { updates }: Pick<RepositoryConfig, 'updates'>,
  { headRef }: Pick<Pull, 'headRef'>,
): boolean {
  return updates.automerge !== 'none' && headRef.startsWith(UPDATES);
}

/** The approval check of an update that merges itself. The App alone can write it, so that it is the record as well. */
export function consentCheck(
  config: Pick<RepositoryConfig, 'updates'>,
  headSha: string,
  digest: string,
): CheckInput {
  return {
    ...approvalCheck(CONSENTED),
    headSha,
    externalId: consentTo(config, digest),
    status: 'completed',
  };
}

/** True where the check at the head says that this content merges itself, under whatever policy was in force. */
export function isConsentTo(run: Pick<CheckRun, 'externalId'> | undefined, digest: string): boolean {
  const external = run?.externalId ?? '';
  return external.startsWith('automerge:') && external.endsWith(`:${shortDigest(digest)}`);
}

/** The approval check among those of a commit, if it is ours. */
export function ourApproval({ app }: Pick<Ports, 'app'>, runs: readonly CheckRun[]): CheckRun | undefined {
  return runs.find(({ name, appId }) => name === APPROVAL_CHECK && appId === app.id);
}

const CONSENTED: ApprovalState = {
  kind: 'not-asked',
  sentence: 'No approval is required: updates.automerge lets this update merge automatically.',
  notes: [],
};

function consentTo({ updates }: Pick<RepositoryConfig, 'updates'>, digest: string): string {
  const { automerge, automergeFrom } = updates;
  // Whoever is taken off the list takes the consent along.
  const whose =
    automergeFrom === undefined ? '' : `+${shortDigest(digestOf('automerge from', automergeFrom))}`;
  return `automerge:${automerge}${whose}:${shortDigest(digest)}`;
}
