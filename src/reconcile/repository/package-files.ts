import type { PackageFiles } from '../../package/package.ts';
import { packagedFiles, packagedIn } from '../../package/render/package-sources.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { ComparedSides } from '../content-port.ts';
import type { Git, ReadPackage } from '../git-port.ts';

/** The files of a directory at a commit or tree, by their path in it; none where there is no such directory. */
export async function filesAt(
  git: Pick<Git, 'readPackage'>,
  commit: string,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<PackageFiles> {
  return (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
}

/** The files and links that belong to a package. */
export type PackagedFiles = Pick<ReadPackage, 'files' | 'skipped'>;

/** What of a directory was checked as a package; null where it was none, whatever it held. */
export function packagedPart({ files, skipped }: ReadPackage): PackagedFiles | null {
  const isPackaged = packagedIn(files);
  const kept = packagedFiles(files);
  return kept.size === 0 ? null : { files: kept, skipped: skipped.filter(({ path }) => isPackaged(path)) };
}

/** Two states of a package with their links, to be compared; null stands for none. What belonged to no package before is new. */
export async function sidesAt(
  git: Pick<Git, 'readPackage'>,
  directory: RepositoryDirectory,
  commits: { readonly before: string | null; readonly after: string | null },
  signal?: AbortSignal,
): Promise<Pick<ComparedSides, 'before' | 'after' | 'links'>> {
  const read = async (commit: string | null): Promise<ReadPackage | null> =>
    commit === null ? null : git.readPackage(commit, directory, {}, signal);
  const [old, now] = await Promise.all([read(commits.before), read(commits.after)]);
  const known = old ? packagedPart(old) : null;
  return {
    before: known?.files ?? new Map(),
    after: now?.files ?? new Map(),
    links: { before: known?.skipped ?? [], after: now?.skipped ?? [] },
  };
}
