/** Whether a proposal would publish, beside its own content, what came to the registered branch past the rules. */
import type { RepositoryConfig } from '../config/repository-config.ts';
import { createDueRevisions } from './due-revisions.ts';
import type { RepositoryFacts } from './forge-port.ts';
import { loadRevisionRefs, publishedOnBranch } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import { rootPackages, type ProposalSnapshot } from './proposal-snapshot.ts';

/**
 * True where one of the packages stands on the base in a state that nobody approved and that was never published, such as
 * a direct push: whoever brought it has a part in the next revision, and is not asked for by its pull request. A package
 * without a revision is as its owners put it there.
 */
export async function hasUnpublishedBeneath(
  world: Pick<World, 'now' | 'app' | 'seals'>,
  access: Access,
  {
    facts,
    config,
    base,
    directories,
  }: {
    readonly facts: RepositoryFacts;
    readonly config: RepositoryConfig;
    /** Commit of the registered branch. */
    readonly base: string;
    /** Of the packages, from the top of the repository. */
    readonly directories: readonly string[];
  },
  signal?: AbortSignal,
): Promise<boolean> {
  const wanted = new Set(directories);
  const [refs, packages] = await Promise.all([
    loadRevisionRefs(access.git, signal),
    rootPackages(access, base, config.directory, signal),
  ]);
  const look = createDueRevisions(world);
  for (const found of packages.filter(({ directory }) => wanted.has(directory))) {
    if ((await publishedOnBranch(access.git, refs, found.directory, base, signal)) === null) continue;
    const { flagged } = await look(access, facts, config, refs, found, base, signal);
    if (flagged !== null) return true;
  }
  return false;
}

/** The same for the packages of a proposal. */
export function isUnpublishedBeneath(
  world: Pick<World, 'now' | 'app' | 'seals'>,
  access: Access,
  { facts, config, base, packages }: Pick<ProposalSnapshot, 'facts' | 'config' | 'base' | 'packages'>,
  signal?: AbortSignal,
): Promise<boolean> {
  const directories = packages.map(({ directory }) => directory);
  return hasUnpublishedBeneath(world, access, { facts, config, base, directories }, signal);
}
