import { PorticoError } from '../error.ts';
import { shortenValue } from '../text/cut-text.ts';

/** GitHub refuses refs whose full name is longer; a file system refuses longer components. */
const MAX_REF_BYTES = 255;
const MAX_PATH_BYTES = 4_096;
const MAX_SEGMENT_BYTES = 255;

// Space, control characters and what `git check-ref-format` forbids.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const REF_FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|(?:^|\/)\.|\.lock(?:\/|$)/;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const PATH_FORBIDDEN = /[\u0000-\u001f\u007f\\]/;
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
// HFS+ drops these when it compares names (git's utf8.c, next_hfs_char).
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
// NTFS: 8.3 alias, trailing dots and spaces, alternate streams (git's read-cache.c, is_ntfs_dotgit).
const NTFS_DOT_GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;

/** True for a full hexadecimal object id. */
export function isOid(text: string): boolean {
  return OID.test(text);
}

/** Returns the id, or throws INVALID_REVISION. */
export function checkOid(text: string): string {
  if (!isOid(text))
    throw new PorticoError('INVALID_REVISION', `not a full object id: ${quote(text)}`, { blame: 'user' });
  return text;
}

/** True for a full, well-formed ref name below `refs/` (the rules of `git check-ref-format`). */
export function isFullRef(text: string): boolean {
  return text.startsWith('refs/') && text.length > 5 && isRefName(text);
}

/** Returns the ref, or throws INVALID_REF. */
export function checkRef(text: string): string {
  if (isFullRef(text)) return text;
  throw new PorticoError('INVALID_REF', `not a well-formed full ref: ${quote(text)}`, {
    blame: 'user',
    hint: 'Use a name such as refs/heads/drafts/app/next, up to 255 bytes, without spaces, "..", ":" or "~".',
  });
}

/** True for a name that is well-formed behind `refs/heads/` or `refs/tags/`. */
export function isRefName(text: string): boolean {
  if (text === '' || text === '@' || text.startsWith('/') || text.startsWith('-')) return false;
  return !REF_FORBIDDEN.test(text) && Buffer.byteLength(text) <= MAX_REF_BYTES;
}

/** Returns a pattern for `ls-remote`: a full ref in which `*` may stand for anything. Throws INVALID_REF. */
export function checkRefPattern(text: string): string {
  checkRef(text.replaceAll('*', 'x'));
  return text;
}

/** Returns a fetch refspec `[+]src:dst`, from a full ref or an object id to a full ref, or a bare object id. Throws INVALID_REF. */
export function checkRefspec(text: string): string {
  if (isOid(text)) return text;
  const [source, target, ...rest] = text.replace(/^\+/, '').split(':');
  if (source === undefined || target === undefined || rest.length > 0) {
    throw new PorticoError('INVALID_REF', `not a refspec: ${quote(text)}`, {
      blame: 'user',
      hint: 'Write [+]source:target.',
    });
  }
  if (!isOid(source)) checkRefPattern(source);
  checkRefPattern(target);
  return text;
}

/**
 * Why a path may not be read from or written to a repository, or null when it may: absolute, `..`, `.git` in any
 * of its spellings on any file system, control characters, back-slashes, too long.
 */
export function pathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'it is absolute';
  if (PATH_FORBIDDEN.test(path)) return 'it holds a control character or a back-slash';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') return 'it has an empty, "." or ".." part';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `a part is longer than ${MAX_SEGMENT_BYTES} bytes`;
    if (NTFS_DOT_GIT.test(segment.replace(HFS_IGNORED, ''))) return 'a part is another spelling of ".git"';
  }
  return null;
}

/** Returns the path, or throws INVALID_PATH. */
export function checkPath(path: string): string {
  const problem = pathProblem(path);
  if (problem === null) return path;
  throw new PorticoError('INVALID_PATH', `path ${quote(path)} is refused: ${problem}`, { blame: 'user' });
}

/** Normalises a directory as configured ('/', 'a/b/', '') to '' or `a/b`; throws INVALID_PATH. */
export function checkDirectory(directory: string): string {
  const trimmed = directory.replace(/^\/+|(?<!\/)\/+$/g, '');
  return trimmed === '' || trimmed === '.' ? '' : checkPath(trimmed);
}

/** A text for an error message: quoted, escaped, cut. */
export function quote(text: string): string {
  return JSON.stringify(shortenValue(text, 120));
}
