/** A package as a revision of the clone around it has it. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';

import { PorticoError } from '../error.ts';
import { PACKAGE_LIMITS, readPackage } from '../git/read-package.ts';
import type { PackageFiles } from '../package/package.ts';
import { repositoryDirectory } from '../revision/package-path.ts';
import { openRepository, type LocalRepository } from './checkout.ts';

/**
 * Reads a directory of a clone at a revision of that package (`v3`), a tag, a branch or a commit. The directory itself may be
 * gone from the work tree. Throws `GIT_FAILED`, `UPSTREAM_REF_MISSING` and `UPSTREAM_PACKAGE_MISSING`.
 */
export async function readRevision(
  directory: string,
  ref: string,
  signal: AbortSignal,
): Promise<PackageFiles> {
  const standing = existing(directory);
  await using clone = await openRepository(standing, signal);
  const top = await clone.git('rev-parse', '--show-toplevel');
  // The top is told without symbolic links, so that the way from it has to start without them.
  const here = realpathSync(standing) + directory.slice(standing.length);
  const path = repositoryDirectory(relative(top, here));
  const commit = await commitOf(clone, path, ref);
  const found = await readPackage({ repo: clone.repo, commit, path, limits: PACKAGE_LIMITS, signal });
  if (found !== null) return found.files;
  throw new PorticoError('UPSTREAM_PACKAGE_MISSING', `there is no directory ${path} at ${ref}`, {
    blame: 'user',
    hint: 'Check the path and the revision; the package may have moved.',
  });
}

/** For a package `a/b` and `v1` the tags `a/b/v1` and `a/v1` come first, as in kpt; then whatever git takes for a commit. */
async function commitOf({ refs, git }: LocalRepository, path: string, ref: string): Promise<string> {
  const segments = path === '.' ? [] : path.split('/');
  const prefixes = segments.map((_, at) => segments.slice(0, segments.length - at).join('/'));
  for (const prefix of prefixes) {
    const commit = refs.get(`refs/tags/${prefix}/${ref}`);
    if (commit !== undefined) return commit;
  }
  const named =
    refs.get(`refs/tags/${ref}`) ?? refs.get(`refs/heads/${ref}`) ?? refs.get(`refs/remotes/origin/${ref}`);
  if (named !== undefined) return named;
  try {
    return await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  } catch (cause) {
    throw new PorticoError(
      'UPSTREAM_REF_MISSING',
      `this clone has no revision, tag, branch or commit ${ref}`,
      {
        blame: 'user',
        cause,
        hint: 'To list the revisions, use portico get revisions; git fetch --tags brings those of the remote.',
      },
    );
  }
}

/** The nearest directory that is there. */
function existing(directory: string): string {
  return existsSync(directory) ? directory : existing(dirname(directory));
}
