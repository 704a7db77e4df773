import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import { packagePathOf, repositoryDirectory } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { ChannelFindings } from '../check/channels-check.ts';
import { channelInIndex, followOf } from '../downstream/follow-of.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { isWithdrawn, offersInstead } from '../repository/indexed-channels.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { newestSealed, packagesOf } from '../seal/update-record.ts';

/**
 * Revisions that an update brings and the channel which is followed here has withdrawn, or does not offer. Undefined for what is no update
 * by a channel with a file.
 * @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later
 */
export async function withdrawnByUpdate(
  { catalog, seals }: Pick<Ports, 'catalog' | 'seals'>,
  git: Git,
  {
    pull,
    config,
    base,
    head,
    repository,
  }: Pick<ProposalSnapshot, 'pull' | 'config' | 'base'> & {
    readonly head: { readonly oid: string };
    /** Its id. */
    readonly repository: number;
  },
  signal?: AbortSignal,
): Promise<ChannelFindings['brought']> {
  if (parseBranch(pull.headRef)?.kind !== 'update') return undefined;
  const here = catalog.get(repository);
  const isSeen = catalog.isSeen(repository);
  if (config.updates.follow.kind !== 'channel' && isSeen && !mayNameChannels(catalog, here)) return undefined;
  // Of what was not looked at since the start nobody knows whether it was withdrawn.
  needWholeIndex({ catalog });
  const ours = await newestSealed(git, { head: head.oid, base }, seals, signal);
  let led = false;
  const withdrawn: string[] = [];
  const notOffered: string[] = [];
  for (const { upstream, directory, to } of ours === null ? [] : packagesOf(ours.record)) {
    const at = upstream.lastIndexOf(':');
    const channels = catalog
      .byName(upstream.slice(0, at))
      ?.channelFiles?.get(repositoryDirectory(upstream.slice(at + 1)));
    const place = repositoryDirectory(directory);
    const channel = here === undefined ? undefined : channelInIndex(here, place);
    const planned =
      here && variantPlan(catalog).at(repository, packagePathOf(here.directory, place) ?? place);
    const follow = followOf(config.updates.follow, channel, planned);
    if (channels === undefined || follow.kind !== 'channel') continue;
    led = true;
    const name = `${upstream.slice(at + 1)} ${to}`;
    const instead = offersInstead(channels, follow.channel, to);
    if (isWithdrawn(channels, follow, to)) withdrawn.push(name);
    else if (instead !== undefined) notOffered.push(`${name} (${follow.channel} offers ${instead})`);
  }
  return led ? { withdrawn, notOffered } : undefined;
}

/** Whether anything here may follow a channel that the configuration does not say; a variant's document may stand anywhere. */
function mayNameChannels(catalog: Catalog, here: CatalogRepository | undefined): boolean {
  if (here === undefined) return false;
  return (
    here.packages.some(({ channel, variant }) => channel !== undefined || variant !== undefined) ||
    variantPlan(catalog).planned.some(({ downstream }) => downstream.repository.ref.id === here.ref.id)
  );
}
