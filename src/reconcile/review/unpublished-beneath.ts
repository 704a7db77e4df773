/** Who brought what a proposal would publish beside its own content, past the rules. */

import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { loadRevisionRefs, publishedOnBranch, taggedOnly } from '../repository/package-revisions.ts';
import { rootPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { Authorship } from './authors.ts';
import { createDueRevisions } from './due-revisions.ts';
import { authorsOfFirstContent, filesMovedIn } from './first-content.ts';

/** Packages of the registered branch, as they stand at a commit of it. */
interface Standing {
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly base: string;
  /** What was made of `base`, where the branch has moved on to it. */
  readonly merge?: string;
  /** From the top of the repository; there may be none yet. */
  readonly directories: readonly RepositoryDirectory[];
  /** Files beside packages that are moved into one; from the top of the repository. */
  readonly files?: readonly string[];
}

/**
 * Whoever has a part in what these packages hold on the base and no revision does: they are published along, and no pull
 * request asks for it. Of a package without a revision that is everybody who pushed a part of it since the registration; above
 * a revision nobody is named for a state that nobody approved, such as a direct push.
 */
export async function loadBeneath(
  ports: Pick<Ports, 'now' | 'app' | 'seals' | 'content'>,
  access: RepositoryAccess,
  { directories, files = [], ...standing }: Standing,
  signal?: AbortSignal,
): Promise<Authorship> {
  const { facts, config, base } = standing;
  const refs = taggedOnly(await loadRevisionRefs(access.git, signal));
  const published = await Promise.all(
    directories.map(async (directory) => ({
      directory,
      newest: await publishedOnBranch({ git: access.git, refs, directory, head: base, signal }),
    })),
  );
  // Where no approval is asked for, none of another person is missing.
  const asks = config.publish.requireApprovals > 0;
  const first = published.filter(({ newest }) => asks && newest === null).map(({ directory }) => directory);
  const { authors, unknown } = await authorsOfFirstContent(
    ports,
    access,
    { ...standing, directories: first, files: asks ? files : [] },
    signal,
  );
  const above = new Set(published.filter(({ newest }) => newest !== null).map(({ directory }) => directory));
  const look = createDueRevisions(ports);
  const packages = above.size === 0 ? [] : await rootPackages(access, base, config.directory, signal);
  const pastRules = { authors, unknown: [...new Set([...unknown, 'beneath' as const])] };
  for (const directory of above) {
    const found = packages.find((one) => one.directory === directory);
    if (found === undefined) {
      // Somebody took its Kptfile away. What is left comes along when the package is made again.
      if ((await access.git.treeId(base, directory, signal)) !== null) return pastRules;
      continue;
    }
    const { flagged } = await look(access, { facts, config, refs, found, head: base }, signal);
    if (flagged !== null) return pastRules;
  }
  return { authors, unknown };
}

/** True where all that stands there was approved, published, or there at the registration. */
export function isAuthorless({ authors, unknown }: Authorship): boolean {
  return authors.length === 0 && unknown.length === 0;
}

/**
 * The same for the packages of a proposal. Where it removes one and others stay, what that held may have been moved to them, and
 * would be published there; so would a file beside packages that is moved into one.
 */
export async function beneathProposal(
  ports: Pick<Ports, 'now' | 'app' | 'seals' | 'content'>,
  access: RepositoryAccess,
  {
    facts,
    config,
    base,
    merge,
    packages,
    mergeBase,
    head,
  }: Pick<ProposalSnapshot, 'facts' | 'config' | 'base' | 'packages' | 'mergeBase'> &
    Pick<Standing, 'merge'> & { readonly head: { readonly oid: string } },
  signal?: AbortSignal,
): Promise<Authorship> {
  if (packages.every(({ trees }) => trees.head === null)) return { authors: [], unknown: [] };
  const files = await movedFiles(access, { packages, from: mergeBase, to: head.oid }, signal);
  const directories = packages.map(({ directory }) => directory);
  const standing = { facts, config, base, directories, files, ...(merge !== undefined && { merge }) };
  return loadBeneath(ports, access, standing, signal);
}

/** The files beside packages that a proposal moves into one of its packages between two commits. */
export async function movedFiles(
  { git }: Pick<RepositoryAccess, 'git'>,
  { packages, from, to }: Pick<ProposalSnapshot, 'packages'> & { readonly from: string; readonly to: string },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const directoriesAt = (side: 'mergeBase' | 'head'): RepositoryDirectory[] =>
    packages.filter(({ trees }) => trees[side] !== null).map(({ directory }) => directory);
  const changes = await git.changedPaths(from, to, signal);
  return filesMovedIn(changes, directoriesAt('mergeBase'), directoriesAt('head'));
}
