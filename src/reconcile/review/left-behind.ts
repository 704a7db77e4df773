import { isApplied } from '../../package/tool-files/deploy-tools.ts';
import { isToolFile } from '../../package/tool-files/tool-files.ts';
import { repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryAccess } from '../ports.ts';
import { rootPackages, type ProposalPackage } from '../repository/proposal-snapshot.ts';

/**
 * Files with resources that stay where a package was whose Kptfile is removed, by their paths from the top of the
 * repository: they would belong to no package, and no guardrail would look at them. Those of other packages do not count.
 */
export async function leftBehind(
  { git }: Pick<RepositoryAccess, 'git'>,
  {
    packages,
    registered,
    head,
  }: {
    readonly packages: readonly Pick<ProposalPackage, 'directory' | 'trees'>[];
    /** Where packages live, as the configuration says. */
    readonly registered: RepositoryDirectory;
    readonly head: string;
  },
  signal?: AbortSignal,
): Promise<string[]> {
  const removed = packages.filter(({ trees }) => trees.head === null).map(({ directory }) => directory);
  if (removed.length === 0) return [];
  const [paths, kept] = await Promise.all([
    git.changedPaths(null, head, signal),
    rootPackages({ git }, head, registered, signal),
  ]);
  const roots = new Set(kept.map(({ directory }) => directory));
  const gone = new Set(removed);
  return paths
    .map(({ path }) => path)
    .filter(
      (path) =>
        (isApplied(path) || isToolFile(path)) && !path.startsWith('.github/') && isOrphan(path, roots, gone),
    );
}

/** True where the nearest package above a file is one that is removed. */
function isOrphan(path: string, roots: ReadonlySet<string>, gone: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
    const directory = repositoryDirectory(path.slice(0, Math.max(0, end)));
    if (roots.has(directory)) return false;
    if (gone.has(directory)) return true;
    if (end === -1) return false;
  }
}
