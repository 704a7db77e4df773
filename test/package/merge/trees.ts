import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { FileMode, PackageFile, PackageFiles } from '../../../src/package/package.ts';

/** Reads a directory as a package. */
export function readTree(root: string, prefix = ''): Map<string, PackageFile> {
  const files = new Map<string, PackageFile>();
  if (!existsSync(join(root, prefix))) return files;
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) for (const [below, file] of readTree(root, path)) files.set(below, file);
    else if (entry.isFile()) {
      const mode: FileMode = (statSync(join(root, path)).mode & 0o100) === 0 ? '100644' : '100755';
      files.set(path, { mode, bytes: readFileSync(join(root, path)) });
    }
  }
  return files;
}

/** Returns the package with these texts. */
export function packageOf(
  texts: Readonly<Record<string, string>>,
  executable: readonly string[] = [],
): Map<string, PackageFile> {
  return new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: executable.includes(path) ? '100755' : '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

/** Returns the texts of a package by path, in the order of paths. */
export function textsOf(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, file]) => [path, textOf(file)]),
  );
}

export function textOf(file: PackageFile | undefined): string {
  return file === undefined ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
}
