import { PorticoError } from '../error.ts';
import type { PackageFiles } from './package.ts';

/** What one package may be. Generous against real packages, small against a machine. */
export const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes of all files of a package. */
export const MAX_TOTAL_BYTES = 128 * 1024 * 1024;
export const MAX_DEPTH = 100;
/** Bytes of a Kptfile, which the server itself reads again and again; those of real packages have a few thousand. */
export const MAX_KPTFILE_BYTES = 64 * 1024;
/** Mistakes of one document that are told each; each is looked for in the text. */
export const MAX_PROBLEMS = 100;
export const MAX_DOCUMENTS = 10_000;
export const MAX_ALIASES = 1_000;
/** Characters that the aliases of one document may stand for. */
export const MAX_EXPANSION = 1_000_000;
const MAX_PATH_LENGTH = 1_024;

/** Names that some file system or git itself reads as `.git`: `.GIT`, `git~1`, `.git.`, `.g\u200cit`, `.git::$INDEX`. */
const GIT_ALIAS = /^(?:\.git[. ]*|git~\d+[. ]*)(?::.*)?$/i;
// eslint-disable-next-line no-misleading-character-class -- these are the characters that HFS+ ignores in names
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Says what is wrong with a path inside a package: absolute, `..`, backslashes, control characters, anything that
 * a file system takes for `.git`. Undefined when it is safe.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > MAX_PATH_LENGTH) return `paths have 1 to ${MAX_PATH_LENGTH} characters`;
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'the path is absolute';
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(path) || !path.isWellFormed())
    return 'the path has control characters or backslashes';
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return `the path has the part "${part}"`;
    if (GIT_ALIAS.test(part.replace(IGNORED_BY_HFS, ''))) return `"${part}" is git's own name`;
  }
  return undefined;
}

/**
 * Checks a package against the limits and its paths for tricks and collisions. Throws `PACKAGE_LIMIT` or
 * `PACKAGE_PATH`, naming the place. Reads no content beyond its length.
 */
export function checkPackage(files: PackageFiles, what: string): void {
  if (files.size > MAX_FILES)
    throw limit(`The ${what} package has ${files.size} files; the limit is ${MAX_FILES}`);
  const folded = new Map<string, string>();
  for (const path of files.keys()) {
    const problem = pathProblem(path);
    if (problem !== undefined) throw badPath(`${what}: ${JSON.stringify(path)}: ${problem}`);
    const key = path.normalize('NFC').toLowerCase();
    const twin = folded.get(key);
    if (twin !== undefined) throw badPath(`${what}: "${twin}" and "${path}" differ only in case`);
    folded.set(key, path);
  }
}

/** Throws `PACKAGE_LIMIT` when a file is too large to be read. */
export function checkSize(path: string, bytes: Uint8Array): void {
  if (bytes.length > MAX_FILE_BYTES) {
    throw limit(`${path} has ${bytes.length} bytes; the limit is ${MAX_FILE_BYTES}`);
  }
}

function limit(message: string): PorticoError {
  return new PorticoError('PACKAGE_LIMIT', message, {
    blame: 'user',
    hint: 'Split the package or leave large files out of it.',
  });
}

function badPath(message: string): PorticoError {
  return new PorticoError('PACKAGE_PATH', message, { blame: 'user', hint: 'Rename the file.' });
}
