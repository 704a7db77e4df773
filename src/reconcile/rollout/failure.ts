/** How what was published fares where it runs, as Flux, Argo CD and deployments say of it, or what the configuration names. */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { CommitHealth } from '../forge/checks.ts';
import type { Forge } from '../forge/forge.ts';
import type { Git } from '../git-port.ts';
import { holdersOf, reportsOf } from './health.ts';

interface AskedWorld {
  readonly git: Git;
  readonly forge: Pick<Forge, 'healthOf'>;
}

interface AskedPlace {
  readonly tip: string;
  readonly directory: RepositoryDirectory;
  /** What is listened to. Default: the usual statuses, and deployments to any environment. */
  readonly health: RepositoryConfig['health'];
}

export interface PublishedHealth {
  /** What fails, in the order in which it was said. */
  readonly failing: readonly string[];
  /** All that is said holds, and something is said. */
  readonly isSound: boolean;
}

/**
 * What is said of a published commit. Later commits count as long as the registered directory is as it was published: with a
 * change of another package on top, nobody knows which one fails. What failed on the commit before as well does not fail because of it.
 */
export async function publishedHealth(
  { git, forge }: AskedWorld,
  published: string,
  { health = {}, ...place }: AskedPlace,
  signal?: AbortSignal,
): Promise<PublishedHealth> {
  const asked = { statuses: true, environments: health.deployments ?? ('all' as const) };
  const said: CommitHealth[] = [];
  for (const holder of await holdersOf(git, published, place, signal)) {
    said.push(await forge.healthOf(holder, asked, signal));
  }
  const { failing, holding, open } = reportsOf(said, health.statuses);
  if (failing.length === 0) return { failing, isSound: open.length === 0 && holding.length > 0 };
  const [parent] = (await git.commit(published, signal)).parents;
  const before =
    parent === undefined
      ? []
      : reportsOf([await forge.healthOf(parent, asked, signal)], health.statuses).failing;
  const own = failing.filter((what) => !before.includes(what));
  return { failing: own, isSound: own.length === 0 && open.length === 0 && holding.length > 0 };
}
