import { parseBranch } from '../../revision/ref-name.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { isWithdrawn } from '../repository/indexed-channels.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { newestSealed, packagesOf } from '../seal/update-record.ts';

/**
 * Revisions that an update brings and the channel which is followed here has withdrawn, such as `web v10`. Undefined for
 * what is no update by a channel with a file.
 * @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later
 */
export async function withdrawnByUpdate(
  { catalog, seals }: Pick<Ports, 'catalog' | 'seals'>,
  git: Git,
  {
    pull,
    config,
    head,
  }: Pick<ProposalSnapshot, 'pull' | 'config'> & { readonly head: { readonly oid: string } },
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { follow } = config.updates;
  if (follow.kind !== 'channel' || parseBranch(pull.headRef)?.kind !== 'update') return undefined;
  // Of what was not looked at since the start nobody knows whether it was withdrawn.
  needWholeIndex({ catalog });
  const ours = await newestSealed(git, head.oid, seals, signal);
  let led = false;
  const withdrawn: string[] = [];
  for (const { upstream, to } of ours === null ? [] : packagesOf(ours.record)) {
    const at = upstream.lastIndexOf(':');
    const channels = catalog.byName(upstream.slice(0, at))?.channelFiles?.get(upstream.slice(at + 1));
    if (channels === undefined) continue;
    led = true;
    if (isWithdrawn(channels, follow, to)) withdrawn.push(`${upstream.slice(at + 1)} ${to}`);
  }
  return led ? withdrawn : undefined;
}
