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

/**
 * What a channel with a file offers now, as people read it: `v1, v2`, or 'nothing'. Undefined where it offers this revision, or where only
 * a tag of its name says what it offers.
 */
export function offersInstead(
  { document }: Pick<CatalogChannels, 'document'>,
  name: string,
  revision: string,
): string | undefined {
  // Channels whose file has errors are stopped.
  if (document === undefined) return 'nothing';
  const channel = document.channels.find((one) => one.name === name);
  if (channel === undefined || channel.auto === 'all') return undefined;
  const offered = channel.members.filter((one) => one.withdrawn === undefined).map((one) => one.revision);
  if (offered.some((number) => number === numberOf(revision))) return undefined;
  return offered.map((number) => `v${number}`).join(', ') || 'nothing';
}
