import type { PackageFile, PackageFiles } from '../package.ts';
import { shownFile } from './other-files.ts';
import type { Report } from './report.ts';

/**
 * Settles paths that are a file on one side and a directory on the other, which no tree can hold: each is a conflict about
 * the file, and local's stays unless somebody decided otherwise.
 */
export function withoutClashes(merged: PackageFiles, local: PackageFiles, report: Report): PackageFiles {
  const clashes = filesThatAreDirectories(merged);
  if (clashes.length === 0) return merged;
  const result = new Map(merged);
  for (const path of clashes) {
    const below = [...result.keys()].filter((other) => other.startsWith(`${path}/`));
    const isLocalFile = local.has(path);
    const file = result.get(path);
    const values = {
      base: undefined,
      upstream: shownSide(!isLocalFile, file),
      local: shownSide(isLocalFile, file),
    };
    const keepsFile = (report.whole(path, null, values) === 'local') === isLocalFile;
    if (!keepsFile) result.delete(path);
    else for (const other of below) result.delete(other);
  }
  return result;
}

function shownSide(isFile: boolean, file: PackageFile | undefined): unknown {
  return isFile ? shownFile(file) : 'a directory';
}

function filesThatAreDirectories(files: PackageFiles): string[] {
  const found = new Set<string>();
  for (const path of files.keys()) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at);
      if (files.has(parent)) found.add(parent);
    }
  }
  return [...found].sort();
}
