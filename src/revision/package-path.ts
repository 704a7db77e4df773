/**
 * A package is named by its path below the repository's registered `directory`; refs and git trees use the path
 * from the repository's root. `.` stands for the directory itself, and for the root.
 */

declare const kind: unique symbol;

/**
 * A directory from the top of its repository, without a slash at either end; the top itself is {@link TOP}, never ''. Made of
 * what people and documents write by {@link repositoryDirectory}, so that a comparison with '' does not compile.
 */
export type RepositoryDirectory = string & { readonly [kind]: 'directory' };

/** The top of a repository. */
export const TOP = '.' as RepositoryDirectory;

/** A directory as it is written (`/`, `/app/`, `./app`, `app`, ``). The edge: whether it is safe is asked elsewhere. */
export function repositoryDirectory(written: string): RepositoryDirectory {
  const plain = written.replace(/^\.?\/+|(?<!\/)\/+$/g, '');
  return plain === '' ? TOP : (plain as RepositoryDirectory);
}

/** The path of a file from the top of the repository. */
export function fileIn(directory: RepositoryDirectory, file: string): string {
  return directory === TOP ? file : `${directory}/${file}`;
}

/** Whether a file or directory lies below the directory; everything does below the top. */
export function isBelow(directory: RepositoryDirectory, path: string): boolean {
  return directory === TOP || path.startsWith(`${directory}/`);
}

/** `directory` and `path` joined: where the package is in the repository. */
export function pathInRepository(directory: RepositoryDirectory, path: string): RepositoryDirectory {
  if (directory === TOP) return path as RepositoryDirectory;
  return (path === TOP ? directory : `${directory}/${path}`) as RepositoryDirectory;
}

/** The package path of a directory of the repository; undefined where it does not lie below `directory`. */
export function packagePathOf(directory: RepositoryDirectory, inRepository: string): string | undefined {
  if (directory === TOP) return inRepository;
  if (inRepository === directory) return TOP;
  return inRepository.startsWith(`${directory}/`) ? inRepository.slice(directory.length + 1) : undefined;
}
