/** Pure: which open updates are looked at first, because what they bring was withdrawn. */
import type { Catalog, CatalogChannels } from '../../catalog/catalog.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Job } from '../job.ts';
import { proposalJob } from '../jobs.ts';
import { isWithdrawn } from '../repository/indexed-channels.ts';
import { followOf } from './follow-of.ts';
import { variantPlan } from './variant-plan.ts';

/** Looks at open update pull requests that bring what is withdrawn now, ahead of whatever takes them back: their checks turn red. */
export function withdrawnJobs(catalog: Catalog, upstream: number): readonly Job[] {
  const plan = variantPlan(catalog);
  const files = catalog.get(upstream)?.channelFiles ?? new Map<RepositoryDirectory, CatalogChannels>();
  return [...files].flatMap(([directory, channels]) =>
    catalog.followers(upstream, directory).flatMap(({ repository, package: found }): Job[] => {
      const path = packagePathOf(repository.directory, found.directory) ?? found.directory;
      const standing = catalog.standings(repository.ref.id).get(path);
      if (standing?.pull === undefined || standing.to === undefined) return [];
      const planned = plan.at(repository.ref.id, path);
      const follow = followOf(repository.updates?.follow, found.channel, planned);
      if (!isWithdrawn(channels, follow, standing.to)) return [];
      return [{ ...proposalJob(repository.ref, standing.pull), priority: WITHDRAWN_FIRST }];
    }),
  );
}

/** Above everything that nobody asked for by hand. */
const WITHDRAWN_FIRST = 9;
