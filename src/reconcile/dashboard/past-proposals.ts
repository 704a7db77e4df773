import type { CatalogRepository } from '../../catalog/catalog.ts';
import { parseProvenance } from '../../revision/provenance.ts';
import type { Git } from '../git-port.ts';
import { highestRevision, loadRevisionRefs, publishedOnBranch } from '../repository/package-revisions.ts';

/**
 * Directories of packages that have a revision, and that stand on the registered branch as none of theirs: something
 * came past any approved proposal, or is not tagged yet. One read of a tree for each package that is as it was published.
 */
export async function changedPastProposals(
  git: Git,
  { commit, packages }: Pick<CatalogRepository, 'commit' | 'packages'>,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const refs = await loadRevisionRefs(git, signal);
  const changed = new Set<string>();
  for (const { directory, tree } of packages) {
    const highest = highestRevision(refs, directory)?.tag.commit;
    if (highest === undefined || (await git.treeId(highest, directory, signal)) === tree) continue;
    const onBranch = await publishedOnBranch({ git, refs, directory, head: commit, signal });
    if (onBranch === null || (await git.treeId(onBranch, directory, signal)) !== tree) changed.add(directory);
  }
  return changed;
}

/** Directories of packages whose newest revision says that it was published without the required approvals. */
export async function publishedUnapproved(
  git: Git,
  { packages }: Pick<CatalogRepository, 'packages'>,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const refs = await loadRevisionRefs(git, signal);
  const found = new Set<string>();
  for (const { directory } of packages) {
    const newest = highestRevision(refs, directory)?.tag;
    const tag = newest === undefined ? null : await git.tag(newest.oid, signal);
    if (tag !== null && parseProvenance(tag.message)?.unapproved === true) found.add(directory);
  }
  return found;
}
