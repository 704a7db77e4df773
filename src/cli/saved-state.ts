/** What of a package git holds, and where things about a package are kept that are no part of it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import { writeNewFolder } from './folder-write.ts';

export interface SavedState {
  /** True in a git work tree. */
  readonly inGit: boolean;
  /** Where to keep something about this package: in the git directory, or in the user's state directory. */
  readonly place: (what: string) => string;
  /** Those of these paths of the package whose content git does not hold, neither committed nor staged. */
  readonly unsaved: (paths: readonly string[]) => Promise<string[]>;
}

export async function savedState(directory: string, signal: AbortSignal): Promise<SavedState> {
  const real = realOf(directory);
  const key = `${basename(real)}-${createHash('sha256').update(real).digest('hex').slice(0, 12)}`;
  const git = async (...args: string[]): Promise<string | undefined> => {
    try {
      // A monitor that the repository names would be started otherwise.
      const done = await promisify(execFile)('git', ['-c', 'core.fsmonitor=false', ...args], {
        cwd: directory,
        signal,
        maxBuffer: 256 * 1024 * 1024,
      });
      return done.stdout;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };
  const [gitDir, prefix = ''] =
    (await git('rev-parse', '--absolute-git-dir', '--show-prefix'))?.split('\n') ?? [];
  const inGit = gitDir !== undefined && gitDir !== '' && !real.startsWith(`${gitDir}/`);
  const home = inGit
    ? join(gitDir, 'portico')
    : join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'portico');
  return {
    inGit,
    place: (what) => join(home, `${what}-${key}`),
    unsaved: async (paths) => {
      if (!inGit || paths.length === 0) return inGit ? [] : [...paths];
      const asked = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignored', '--', '.'];
      const listed = await git(...asked);
      // What git does not answer is not known to be saved.
      if (listed === undefined) return [...paths];
      const unsaved = new Set(unsavedIn(listed));
      return paths.filter((path) => unsaved.has(prefix + path));
    },
  };
}

/** Paths whose content in the work tree is neither in a commit nor staged. */
function unsavedIn(listed: string): string[] {
  const entries = listed.split('\0');
  const paths: string[] = [];
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] ?? '';
    // As git prints it: a letter for the index, one for the work tree, a blank, the path.
    const tree = entry.charAt(1);
    const path = entry.slice(3);
    if (tree !== ' ' && tree !== '') paths.push(path);
    // The name before a rename comes as an entry of its own.
    if (/[RC]/.test(entry.slice(0, 2))) at += 1;
  }
  return paths;
}

/** The directory, which may not exist yet, without symbolic links. */
function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return join(dirname(directory) === directory ? '/' : realOf(dirname(directory)), basename(directory));
  }
}

/**
 * Before files of a package are overwritten: throws `PACKAGE_UNCOMMITTED` where git would not have their content, unless
 * forced. Without git, or forced, keeps the package as it is and gives the directory of the copy.
 */
export async function keepWayBack(
  { inGit, place, unsaved }: SavedState,
  before: PackageFiles,
  rewritten: readonly string[],
  { force, named }: { readonly force: boolean; readonly named: (path: string) => string },
): Promise<string | undefined> {
  const lost = await unsaved(rewritten);
  if (lost.length === 0) return undefined;
  if (inGit && !force) {
    const shown =
      lost.slice(0, 5).map(named).join(', ') + (lost.length > 5 ? ` and ${lost.length - 5} more` : '');
    throw new PorticoError(
      'PACKAGE_UNCOMMITTED',
      `the update would overwrite uncommitted changes: ${shown}`,
      {
        blame: 'user',
        hint: 'Commit or stage them (git add), or use --force, which keeps a copy of the package and names it.',
      },
    );
  }
  const copy = resolve(place('before'));
  rmSync(copy, { recursive: true, force: true });
  writeNewFolder(copy, before);
  return copy;
}
