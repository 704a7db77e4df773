import { closeSync, constants, fstatSync, openSync, readFileSync, readdirSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';
import { checkPackage, MAX_DEPTH, MAX_FILES, pathProblem } from '../package/limits.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { reasonOf } from './system-error.ts';

/** Bytes of one file, as on the server. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes of a package, as on the server. */
const MAX_PACKAGE_BYTES = 128 * 1024 * 1024;

/** What npm installs beside a package is no part of it, and holds thousands of files. kpt reads it. */
const LIBRARIES = 'node_modules';

export interface ReadOptions {
  /** Told of everything that is left out, such as a symbolic link. */
  readonly warn?: (message: string) => void;
  /** Names a file as the person at the terminal would; absent, files are named from the directory. */
  readonly place?: (file: string) => string;
}

/**
 * Reads a directory as a package, sorted by path. `.git` is left out; directories by the name of `node_modules`, symbolic
 * links and what is no regular file are left out with a warning. Throws `PACKAGE_NOT_FOUND`, `PACKAGE_PATH`,
 * `PACKAGE_LIMIT` or `PACKAGE_UNREADABLE`.
 */
export function readFolder(directory: string, options: ReadOptions = {}): PackageFiles {
  requireDirectory(directory);
  const files: [string, PackageFile][] = [];
  let total = 0;

  const walk = (below: string, depth: number): void => {
    if (depth > MAX_DEPTH) {
      throw tooLarge(`${below} is nested deeper than ${MAX_DEPTH} directories`);
    }
    for (const entry of entriesOf(join(directory, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name === '.git') continue;
      const problem = pathProblem(path);
      if (problem !== undefined) {
        throw new PorticoError('PACKAGE_PATH', `${directory}: ${JSON.stringify(path)}: ${problem}`, {
          blame: 'user',
          hint: 'Rename the file or directory.',
        });
      }
      if (entry.isDirectory() && entry.name === LIBRARIES) {
        options.warn?.(`${options.place?.(path) ?? path} holds installed libraries and is skipped`);
      } else if (entry.isDirectory()) walk(path, depth + 1);
      else if (entry.isFile()) {
        const file = readFile(directory, path);
        files.push([path, file]);
        total += file.bytes.length;
        if (files.length > MAX_FILES) throw tooLarge(`${directory} holds more than ${MAX_FILES} files`);
        if (total > MAX_PACKAGE_BYTES)
          throw tooLarge(`${directory} holds more than ${mebibytes(MAX_PACKAGE_BYTES)}`);
      } else {
        const what = entry.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
        options.warn?.(`${options.place?.(path) ?? path} is ${what} and is skipped`);
      }
    }
  };
  walk('', 0);
  const held = new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
  checkPackage(held, directory);
  return held;
}

function requireDirectory(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'does not exist' : 'is not a directory';
  throw new PorticoError('PACKAGE_NOT_FOUND', `${directory} ${what}`, {
    blame: 'user',
    hint: 'Name an existing directory.',
  });
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    throw unreadable(directory, cause);
  }
}

/** Opens without following a link that took the file's place meanwhile, and without waiting on a pipe. */
function readFile(directory: string, path: string): PackageFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(
      join(directory, path),
      constants.O_RDONLY + constants.O_NOFOLLOW + constants.O_NONBLOCK,
    );
    const { mode, size } = fstatSync(descriptor);
    if (size > MAX_FILE_BYTES) throw tooLarge(`${path} is larger than ${mebibytes(MAX_FILE_BYTES)}`);
    return { mode: (mode & 0o100) === 0 ? '100644' : '100755', bytes: readFileSync(descriptor) };
  } catch (error) {
    throw error instanceof PorticoError ? error : unreadable(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tooLarge(message: string): PorticoError {
  return new PorticoError('PACKAGE_LIMIT', message, {
    blame: 'user',
    hint: 'Remove files that are not configuration, or split the package.',
  });
}

function unreadable(path: string, cause: unknown): PorticoError {
  const why = reasonOf(cause);
  return new PorticoError('PACKAGE_UNREADABLE', `${path} cannot be read: ${why}`, {
    blame: 'user',
    cause,
    hint: 'Check the permissions and try again.',
  });
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
