/** Pure: what a package downstream follows of its upstream. */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { Follow } from '../../channels/plan.ts';
import { channelNamedBy } from '../repository/follow-mark.ts';
import type { PlannedVariant } from './variant-plan.ts';

/**
 * A variant's document says it: a revision, a channel by its annotation, or the newest. Any other package follows what the configuration
 * of its repository says, or the channel that its Kptfile names, which may come from upstream: so not where the configuration pins it,
 * keeps it in a range, or follows nothing.
 */
export function followOf<Configured extends Follow | undefined>(
  configured: Configured,
  channel: string | undefined,
  planned: Pick<PlannedVariant, 'revision' | 'variant'> | undefined,
): Follow | Configured {
  if (planned !== undefined) return followOfVariant(planned);
  const isFree = configured?.kind === 'latest' || configured?.kind === 'channel';
  return isFree && channel !== undefined ? { kind: 'channel', channel } : configured;
}

function followOfVariant({ revision, variant }: Pick<PlannedVariant, 'revision' | 'variant'>): Follow {
  if (revision !== undefined) return { kind: 'pin', revision };
  const channel = channelNamedBy(variant.metadata);
  return channel === undefined ? { kind: 'latest' } : { kind: 'channel', channel };
}

/** Of a package that the index holds, from the top of its repository. */
export function channelInIndex(repository: CatalogRepository, directory: string): string | undefined {
  return repository.packages.find((one) => one.directory === directory)?.channel;
}
