import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import { checkPackage } from '../package/limits.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { sameFile } from '../package/package.ts';
import { usageError } from './exit-code.ts';
import { reasonOf } from './system-error.ts';

/**
 * Brings a directory from one state of a package to another. Only what differs is written: first everything beside
 * its place, then each file by a rename, so that a failure while writing leaves the package as it was. Modes and
 * owners of existing files stay, directories that become empty go. Nothing is written through a symbolic link.
 * Throws `PACKAGE_PATH`, `PACKAGE_LIMIT` or `PACKAGE_NOT_WRITTEN`.
 */
export function writeChanges(directory: string, before: PackageFiles, after: PackageFiles): void {
  const put = [...after].filter(([path, file]) => !sameFile(before.get(path), file));
  const gone = [...before.keys()].filter((path) => !after.has(path));
  if (put.length === 0 && gone.length === 0) return;
  checkPackage(after, directory);
  const walked = new Set<string>();
  for (const path of [...put.map(([to]) => to), ...gone]) refuseLinks(directory, path, walked);

  const staged = attempt(directory, () => mkdtempSync(join(directory, '.portico-')));
  try {
    attempt(directory, () => {
      put.forEach(([path, file], at) => stage(join(staged, String(at)), join(directory, path), file));
      for (const path of gone) unlinkSync(join(directory, path));
      for (const path of gone) removeEmptied(directory, dirname(path));
      put.forEach(([path], at) => {
        const to = join(directory, path);
        if (!before.has(path)) mkdirSync(dirname(to), { recursive: true });
        renameSync(join(staged, String(at)), to);
      });
    });
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/**
 * Writes a whole package into a directory that does not exist yet or is empty; it appears all at once. Throws
 * `CLI_USAGE` where the directory holds something, else as {@link writeChanges}.
 */
export function writeNewFolder(directory: string, files: PackageFiles): void {
  requireFree(directory);
  checkPackage(files, directory);
  const target = resolve(directory);
  attempt(directory, () => {
    mkdirSync(dirname(target), { recursive: true });
    const staged = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
    try {
      for (const [path, file] of files) {
        const to = join(staged, path);
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, file.bytes, { mode: file.mode === '100755' ? 0o777 : 0o666, flag: 'wx' });
      }
      chmodSync(staged, 0o777 & ~process.umask());
      renameSync(staged, target);
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  });
}

/** Throws `CLI_USAGE` unless the directory is empty or not there: asked before long work, not after it. */
export function requireFree(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found === undefined || (found.isDirectory() && readdirSync(directory).length === 0)) return;
  throw usageError(`${directory} already exists`, 'Name a new or empty directory for the output.');
}

/** A link was never read as part of the package, so nothing may be put in its place or behind it. */
export function refuseLinks(directory: string, path: string, walked: Set<string>): void {
  const segments = path.split('/');
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const part = segments.slice(0, depth).join('/');
    if (walked.has(part)) continue;
    walked.add(part);
    const found = statOf(join(directory, part));
    if (found === undefined) return;
    if (found.isSymbolicLink()) {
      throw new PorticoError('PACKAGE_PATH', `${part} is a symbolic link; nothing was written`, {
        blame: 'user',
        hint: `Remove the link, or move ${path} elsewhere.`,
      });
    }
  }
}

function stage(temporary: string, target: string, file: PackageFile): void {
  const executable = file.mode === '100755';
  const usual = executable ? 0o777 : 0o666;
  writeFileSync(temporary, file.bytes, { mode: usual, flag: 'wx' });
  const old = statOf(target);
  if (old?.isFile() !== true) return;
  const was = old.mode & 0o777;
  // Execution is given to whoever may read, as git does.
  const mode = executable ? was | ((was & 0o444) >> 2) : was & ~0o111;
  if (mode !== (usual & ~process.umask())) chmodSync(temporary, mode);
  const root = process.getuid?.() === 0;
  if (root && (old.uid !== 0 || old.gid !== process.getgid?.())) chownSync(temporary, old.uid, old.gid);
}

/** What stands at a path; undefined also where a file stands in place of a directory above it. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function removeEmptied(directory: string, below: string): void {
  const emptied = join(directory, below);
  if (below === '.' || !existsSync(emptied) || readdirSync(emptied).length > 0) return;
  rmdirSync(emptied);
  removeEmptied(directory, dirname(below));
}

function attempt<T>(directory: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof PorticoError) throw cause;
    const why = reasonOf(cause);
    throw new PorticoError('PACKAGE_NOT_WRITTEN', `${directory} could not be written: ${why}`, {
      blame: 'user',
      cause,
      hint: 'Check permissions and free space, then try again. In a git work tree, git status shows what was written.',
    });
  }
}
