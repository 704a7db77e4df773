/** Pure: what the index holds of channels, and what follows from that without a look at git. */
import type { CatalogChannels } from '../../catalog/catalog.ts';
import { numberOf } from '../../channels/offer.ts';
import type { Follow } from '../../channels/plan.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { PackageChannelState } from './channel-files.ts';

/** Directory of a package → its channel file, for the index. */
export function indexedChannels(
  registered: RepositoryDirectory,
  channels: ReadonlyMap<string, PackageChannelState>,
): ReadonlyMap<RepositoryDirectory, CatalogChannels> {
  return new Map(
    [...channels].map(([path, { file, document, problems }]) => {
      const mistakes = problems.filter(({ severity }) => severity === 'error').length;
      return [pathInRepository(registered, path), { file, mistakes, ...(document && { document }) }] as const;
    }),
  );
}

/** True where whoever follows the upstream so is led away from this revision. */
export function isWithdrawn(
  { document }: Pick<CatalogChannels, 'document'>,
  follow: Follow | undefined,
  revision: string,
): boolean {
  if (follow?.kind !== 'channel') return false;
  const channel = document?.channels.find(({ name }) => name === follow.channel);
  const number = numberOf(revision);
  return channel?.members.some((one) => one.revision === number && one.withdrawn !== undefined) ?? false;
}
