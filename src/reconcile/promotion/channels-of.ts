import type { Ports, RepositoryAccess } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { proposedChannels, type ChannelProposal, type ProposedChannels } from './proposed-channels.ts';
import { withdrawnByUpdate } from './withdrawn-update.ts';

/** A proposal, or what a merge queue made of one: then `pull` is the proposal that it is for. */
export interface ChannelSubject extends ChannelProposal {
  readonly pull: ProposalSnapshot['pull'];
  /** Of the proposal's branch, where that is not what is judged. */
  readonly branchHead?: string;
}

/** What a proposal does to channels, and what channels say of an update; undefined where nothing applies. */
export async function channelsOf(
  ports: Ports,
  access: RepositoryAccess,
  { snapshot, approvedBy }: { readonly snapshot: ChannelSubject; readonly approvedBy: readonly string[] },
  signal?: AbortSignal,
): Promise<ProposedChannels | undefined> {
  const proposed = await proposedChannels(ports, access, { snapshot, approvedBy }, signal);
  const { pull, config, base, head, branchHead: oid = head.oid } = snapshot;
  const brought = await withdrawnByUpdate(
    ports,
    access.git,
    { pull, config, base, head: { oid }, repository: access.ref.id },
    signal,
  );
  if (brought === undefined) return proposed;
  return proposed === undefined || proposed.files.length === 0
    ? { files: [], brought }
    : { ...proposed, brought };
}
