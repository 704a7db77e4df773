import type { PackageFiles } from '../../package/package.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';

/** The files of a directory at a commit or tree, by their path in it; none where there is no such directory. */
export async function filesAt(
  git: Pick<Git, 'readPackage'>,
  commit: string,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<PackageFiles> {
  return (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
}
