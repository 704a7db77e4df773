/** Package paths and workspaces as people write them in commands and forms: checked before they become refs and files. */
import { parsePackageAtRevision } from '../revision/package-at-revision.ts';
import { draftBranch, packagePathProblem } from '../revision/ref-name.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import { shown } from './arguments.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Directories whose parts have a meaning of their own on some file system or in git. */
const RESERVED = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

/** Characters: the names of refs are made of the path and must fit into GitHub's 255 bytes. */
const MAX_PATH_LENGTH = 150;

/** A path below the registered directory, without slashes at its ends; `.` is that directory itself. */
export function readPackagePath(written: string): string | Refusal {
  const path = written.replace(/^(?:\.?\/)+(?=.)/, '').replace(/(?<=[^/])\/+$/, '');
  if (path === '.') return path;
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  return refuse(
    'bad-path',
    `${shown(written)} cannot be a package: ${problem}`,
    'Write the path of a directory, such as apps/web: letters, digits, dashes, dots and underscores.',
  );
}

function pathProblem(path: string): string | undefined {
  const ref = packagePathProblem(path);
  if (ref !== undefined) return ref.message;
  if (path.length > MAX_PATH_LENGTH) return `it is longer than ${MAX_PATH_LENGTH} characters`;
  const part = path.split('/').find((one) => !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(one));
  if (part !== undefined) return `${shown(part)} is not a valid name`;
  const reserved = path.split('/').find((one) => RESERVED.test(one.replace(/\..*/, '')));
  return reserved === undefined ? undefined : `${shown(reserved)} is a reserved name`;
}

/** The name of one line of work: it becomes the last part of a branch. Undefined stays undefined. */
export function readWorkspace(written: string | true | undefined): string | undefined | Refusal {
  if (written === undefined) return undefined;
  if (written === true || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(written)) return badWorkspace(written);
  try {
    draftBranch('.', written);
    return written;
  } catch {
    return badWorkspace(written);
  }
}

function badWorkspace(written: string | true): Refusal {
  return refuse(
    'bad-workspace',
    `${shown(String(written))} cannot be a workspace`,
    'Use a name such as next or v4: letters, digits, dashes, dots and underscores.',
  );
}

/** `web@v3`, with the number alone allowed (`web@3`). */
export function readPackageAtRevision(
  written: string,
): { readonly path: string; readonly revision: string } | Refusal {
  const at = written.lastIndexOf('@');
  const plain = /^[1-9][0-9]{0,8}$/.test(written.slice(at + 1));
  const parsed =
    at > 0 && plain
      ? parsePackageAtRevision(`${written.slice(0, at)}@v${written.slice(at + 1)}`)
      : parsePackageAtRevision(written);
  if (parsed === undefined) {
    return refuse('bad-argument', `${shown(written)} is not a package revision`, 'Write it as package@v3.');
  }
  const path = readPackagePath(parsed.path);
  return typeof path === 'string' ? { path, revision: parsed.revision } : path;
}

/** True for a word such as `v3`, `3` or `v2.0.0`. */
export function revisionOf(word: string): string | undefined {
  if (/^[1-9][0-9]{0,8}$/.test(word)) return `v${word}`;
  return parseRevisionName(word)?.name;
}
