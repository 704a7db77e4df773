import type { CatalogPackage } from '../catalog/catalog.ts';
import { plainDirectory } from '../catalog/catalog.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import { packagePathOf } from '../revision/package-path.ts';
import { loadConfiguration } from './configuration.ts';
import { variantJob } from './jobs.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { refPath } from './package-revisions.ts';
import type { Access, Job, RepositoryRef, World } from './ports.ts';

export type RepositoryReconciler = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * Indexes a repository, then asks for every downstream package to be looked at that it could concern: its own, and
 * those locked to its packages. This is the fan-out of a published revision.
 */
export function createRepositoryReconciler(world: World): RepositoryReconciler {
  return async (repository, signal) => {
    const access = await world.open(repository, signal);
    const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
    const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
    const config = configuration.state === 'registered' ? configuration.config : null;
    const head = config === null ? null : await access.git.resolve(`refs/heads/${config.branch}`, signal);
    if (config === null || head === null || facts.archived) {
      world.catalog.remove(repository.id);
      return;
    }
    world.catalog.put({
      ref: { ...repository, owner: facts.owner, name: facts.name },
      directory: config.directory,
      urls: [facts.cloneUrl, facts.htmlUrl],
      commit: head,
      packages: await indexed(world, access, config, head, signal),
    });
    for (const job of concerned(world, repository, config)) await world.enqueue(job);
  };
}

/** Reads only packages whose tree is not in the index already. */
async function indexed(
  world: World,
  { git, ref }: Access,
  config: RepositoryConfig,
  head: string,
  signal: AbortSignal | undefined,
): Promise<CatalogPackage[]> {
  const known = new Map(
    world.catalog.get(ref.id)?.packages.map((found) => [`${found.directory} ${found.tree}`, found]),
  );
  const packages: CatalogPackage[] = [];
  for (const { directory, tree } of await git.findPackages(
    head,
    config.directory === '.' ? '' : config.directory,
    signal,
  )) {
    const place = refPath(directory);
    const before = known.get(`${place} ${tree}`);
    const lock =
      before === undefined
        ? (await readKptfileAt(git, head, directory, signal)).kptfile?.upstreamLock?.git
        : undefined;
    packages.push(before ?? { directory: place, tree, lock: lock ?? null });
  }
  return packages;
}

/** Jobs for the packages whose update pull request may have to change now. */
function concerned(world: World, repository: RepositoryRef, config: RepositoryConfig): Job[] {
  const own = (world.catalog.get(repository.id)?.packages ?? [])
    .filter(({ lock }) => lock !== null && world.catalog.byUrl(lock.repo) !== undefined)
    .map(({ directory }) => variantJob(repository, packagePathOf(config.directory, directory) ?? directory));
  const followers = world.catalog.followers(repository.id).map((follower) => {
    const directory = plainDirectory(follower.package.directory);
    return variantJob(
      follower.repository.ref,
      packagePathOf(follower.repository.directory, directory) ?? directory,
    );
  });
  return [...own, ...followers];
}
