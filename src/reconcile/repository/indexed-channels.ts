/** Pure: what the index holds of channels, and what follows from that without a look at git. */
import type { Catalog, CatalogChannels } from '../../catalog/catalog.ts';
import { numberOf } from '../../channels/offer.ts';
import type { Follow } from '../../channels/plan.ts';
import { packagePathOf, pathInRepository } from '../../revision/package-path.ts';
import type { Job } from '../job.ts';
import { proposalJob } from '../jobs.ts';
import type { PackageChannelState } from './channel-files.ts';
import { refPath } from './package-revisions.ts';

/** Directory of a package → its channel file, for the index. */
export function indexedChannels(
  registered: string,
  channels: ReadonlyMap<string, PackageChannelState>,
): ReadonlyMap<string, CatalogChannels> {
  return new Map(
    [...channels].map(([path, { file, document, problems }]) => {
      const mistakes = problems.filter(({ severity }) => severity === 'error').length;
      return [
        refPath(pathInRepository(registered, path)),
        { file, mistakes, ...(document && { document }) },
      ] as const;
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

/** Looks at open update pull requests that bring what is withdrawn now, ahead of whatever takes them back: their checks turn red. */
export function withdrawnJobs(catalog: Catalog, upstream: number): readonly Job[] {
  const files = catalog.get(upstream)?.channelFiles ?? new Map<string, CatalogChannels>();
  return [...files].flatMap(([directory, channels]) =>
    catalog.followers(upstream, directory).flatMap(({ repository, package: found }): Job[] => {
      const path = packagePathOf(repository.directory, found.directory) ?? found.directory;
      const standing = catalog.standings(repository.ref.id).get(path);
      if (standing?.pull === undefined || standing.to === undefined) return [];
      if (!isWithdrawn(channels, repository.updates?.follow, standing.to)) return [];
      return [{ ...proposalJob(repository.ref, standing.pull), priority: WITHDRAWN_FIRST }];
    }),
  );
}

/** Above everything that nobody asked for by hand. */
const WITHDRAWN_FIRST = 9;
