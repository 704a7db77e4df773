/** A repository of this machine, bare or with a work tree, to be read as it is. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import { openObjectReader } from './batch.ts';
import type { Mirror } from './mirror-types.ts';
import { readFile } from './read-file.ts';
import { PACKAGE_LIMITS, readPackage } from './read-package.ts';
import { createRepo, resolveCommit } from './repo.ts';
import { findPackages, treeId } from './tree.ts';

export interface LocalRepository
  extends
    Disposable,
    Pick<Mirror, 'refs' | 'readFile' | 'readPackage' | 'findPackages' | 'resolve' | 'treeId'> {
  /** The branch that is checked out, without `refs/heads/`; null for a detached head. */
  readonly branch: string | null;
  /** Of the head; null where there is no commit yet. */
  readonly head: string | null;
  /** Addresses of its remotes, as they are configured. */
  readonly remotes: readonly string[];
  /** The branches, own and remote ones by their full names, that hold commits which `commit` does not. */
  unmerged(commit: string, signal?: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Whether a directory, as a branch changed it, has been so in the history of `head` since the two parted: a squashed or
   * rebased merge leaves the branch with commits of its own.
   */
  wasTaken(
    branch: { readonly commit: string; readonly directory: string },
    head: string,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Full names of the tags whose commits lie in the history of `commit`. */
  tagsBelow(commit: string, signal?: AbortSignal): Promise<ReadonlySet<string>>;
}

/** Commits that are looked at for the content of one branch, the newest first; older ones are none that anybody waits for. */
const MAX_LOOKED_AT = 500;

/** True for the top of a work tree and for a bare repository. */
export function isRepository(folder: string): boolean {
  return gitDirOf(folder) !== undefined;
}

/** Opens it. Throws `NOT_A_REPOSITORY`. */
export async function openLocal(folder: string, signal?: AbortSignal): Promise<LocalRepository> {
  const gitDir = gitDirOf(folder);
  if (gitDir === undefined) {
    throw new PorticoError('NOT_A_REPOSITORY', `${folder} is not the top of a git repository`, {
      blame: 'user',
      hint: 'Name the top directory of a clone, or work there; catalog import takes it with --repo.',
    });
  }
  const setup = { gitDir, protocols: [] };
  const objects = openObjectReader(setup);
  const repo = createRepo(setup, objects, { count: 0 });
  const asked = { accept: [0, 1, 128], signal };
  const [symbolic, config] = await Promise.all([
    repo.git(['symbolic-ref', '--short', 'HEAD'], asked),
    repo.git(['config', '--get-regexp', '^remote\\..*\\.url$'], asked),
  ]);
  const branch = symbolic.exitCode === 0 ? symbolic.stdout.toString().trim() : null;
  const lines = config.exitCode === 0 ? config.stdout.toString().split('\n') : [];
  const head = await repo.git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], asked);
  return {
    branch,
    head: head.exitCode === 0 ? head.stdout.toString().trim() : null,
    remotes: lines.map((line) => line.slice(line.indexOf(' ') + 1).trim()).filter((url) => url !== ''),
    refs: async (prefix = '', inner) => {
      const all = await repo.refs(inner);
      return new Map([...all].filter(([name]) => name.startsWith(prefix)));
    },
    unmerged: async (commit, inner) => {
      const wanted = [`--no-merged=${commit}`, '--format=%(refname)', 'refs/heads/', 'refs/remotes/'];
      const { stdout } = await repo.git(['for-each-ref', ...wanted], { signal: inner });
      return new Set(stdout.toString().split('\n'));
    },
    wasTaken: async ({ commit, directory }, head, inner) => {
      const parted = await repo.git(['merge-base', commit, head], { accept: [0, 1], signal: inner });
      if (parted.exitCode !== 0) return false;
      const base = parted.stdout.toString().trim();
      const wanted = await treeId(repo, commit, directory, inner);
      if (wanted === (await treeId(repo, base, directory, inner))) return false;
      const range = [`--max-count=${MAX_LOOKED_AT}`, `${base}..${head}`, '--', directory];
      const { stdout } = await repo.git(['rev-list', ...range], { signal: inner });
      for (const later of stdout
        .toString()
        .split('\n')
        .filter((id) => id !== ''))
        if ((await treeId(repo, later, directory, inner)) === wanted) return true;
      return false;
    },
    tagsBelow: async (commit, inner) => {
      const wanted = [`--merged=${commit}`, '--format=%(refname)', 'refs/tags/'];
      const { stdout } = await repo.git(['for-each-ref', ...wanted], { signal: inner });
      return new Set(
        stdout
          .toString()
          .split('\n')
          .filter((name) => name !== ''),
      );
    },
    treeId: (commit, path, inner) => treeId(repo, commit, path, inner),
    resolve: (rev, inner) => resolveCommit(repo, rev, inner),
    readFile: (commit, path, inner) =>
      readFile({ repo, commit, path, maxBytes: PACKAGE_LIMITS.maxFileBytes, signal: inner }),
    readPackage: (commit, path, options = {}, inner) =>
      readPackage({ repo, commit, path, limits: { ...PACKAGE_LIMITS, ...options.limits }, signal: inner }),
    findPackages: (commit, directory, inner) => findPackages(repo, commit, directory, inner),
    [Symbol.dispose]: () => objects[Symbol.dispose](),
  };
}

function gitDirOf(folder: string): string | undefined {
  const inside = join(folder, '.git');
  if (existsSync(inside)) {
    if (statSync(inside).isDirectory()) return inside;
    // A work tree of another repository, or a submodule.
    const gitDirectory = /^gitdir: (.+)$/m.exec(readFileSync(inside, 'utf8'))?.[1];
    return gitDirectory === undefined ? undefined : resolve(folder, gitDirectory.trim());
  }
  return existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects')) ? folder : undefined;
}
