/**
 * A package is named by its path below the repository's registered `directory`; refs and git trees use the path
 * from the repository's root. `.` stands for the directory itself, and for the root.
 */

/** `directory` and `path` joined: where the package is in the repository. Both without leading or trailing slash. */
export function pathInRepository(directory: string, path: string): string {
  if (directory === '.') return path;
  return path === '.' ? directory : `${directory}/${path}`;
}

/** The package path of a directory of the repository; undefined where it does not lie below `directory`. */
export function packagePathOf(directory: string, inRepository: string): string | undefined {
  if (directory === '.') return inRepository;
  if (inRepository === directory) return '.';
  return inRepository.startsWith(`${directory}/`) ? inRepository.slice(directory.length + 1) : undefined;
}
