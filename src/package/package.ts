/**
 * A package as an immutable value. Paths are relative to the package's directory and `/`-separated; whoever reads
 * a package (git, a folder) has already refused symlinks, submodules and unsafe paths.
 */

export type FileMode = '100644' | '100755';

export interface PackageFile {
  readonly mode: FileMode;
  /** Identity of the content, such as git's blob id: files with equal ids have equal bytes, unread. */
  readonly id?: string;
  /** The content; may be a lazy getter. */
  readonly bytes: Uint8Array;
}

export type PackageFiles = ReadonlyMap<string, PackageFile>;

/** A symbolic link or a submodule: its target is not read. */
export interface Link {
  readonly path: string;
  /** Git's id of it, which changes with its target. */
  readonly id: string;
  /** What a symbolic link says; absent for a submodule. */
  readonly target?: string;
}

/** Names a Kubernetes resource inside a package; a missing namespace is ''. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** True when both hold the same bytes and mode; compares ids first, so unread content stays unread. */
export function sameFile(a: PackageFile | undefined, b: PackageFile | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.mode !== b.mode) return false;
  if (a.id !== undefined && a.id === b.id) return true;
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, at) => byte === b.bytes[at]);
}

/** True when both have the same files with the same bytes and modes. */
export function sameFiles(a: PackageFiles, b: PackageFiles): boolean {
  return a.size === b.size && [...a].every(([path, file]) => sameFile(file, b.get(path)));
}

/** The files below a directory, by their paths from there. */
export function filesBelow<File>(files: ReadonlyMap<string, File>, directory: string): Map<string, File> {
  const prefix = `${directory}/`;
  return new Map(
    [...files].flatMap(([path, file]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), file] as const] : [],
    ),
  );
}

/** Whether a path leads to a Kptfile: of the package or of a subpackage. */
export function isKptfile(path: string): boolean {
  return path === 'Kptfile' || path.endsWith('/Kptfile');
}

/** The files that are in none of the directories. */
export function filesOutside<File>(
  files: ReadonlyMap<string, File>,
  directories: readonly string[],
): ReadonlyMap<string, File> {
  if (directories.length === 0) return files;
  return new Map(
    [...files].filter(([path]) => !directories.some((directory) => path.startsWith(`${directory}/`))),
  );
}
