import { spawn } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';
import { makeBare } from '../git/bare.ts';
import { openObjectReader } from '../git/batch.ts';
import { lastLines } from '../git/git-error.ts';
import { PACKAGE_LIMITS, readPackage } from '../git/read-package.ts';
import { createRepo, resolveCommit } from '../git/repo.ts';
import { isOid, isRefName } from '../git/safe-name.ts';
import { EMPTY_TREE } from '../git/tree-walk.ts';
import type { PackageFiles } from '../package/package.ts';
import { scrubSecrets } from '../text/secrets.ts';
import { isRemote } from './upstream-location.ts';
import { walkTree } from './walk-tree.ts';

/** Where a ref leads: the name that was found (a tag may be longer than what was asked for) and its commit. */
export interface ResolvedRef {
  readonly ref: string;
  readonly commit: string;
}

/** Reads packages from other people's repositories with the git, the credentials and the settings of the user. */
export interface UserGit extends AsyncDisposable {
  /** Begins to ask a repository for its refs and opens it where it is on this machine, because that will be wanted. */
  readonly expect: (repo: string) => void;
  /** Finds a tag, branch or commit; without `ref` the default branch. Throws `UPSTREAM_REF_MISSING`. */
  readonly resolve: (repo: string, directory: string, ref: string | undefined) => Promise<ResolvedRef>;
  /** Fetches commits, or the tags of these ids, that are to be read; those that the repository lacks show there. */
  readonly fetch: (repo: string, ids: readonly string[]) => Promise<void>;
  /**
   * The package in a directory of a fetched commit (an annotated tag's id will do), and the commit's own id. Throws
   * `UPSTREAM_COMMIT_MISSING` and `UPSTREAM_PACKAGE_MISSING`.
   */
  readonly read: (repo: string, directory: string, id: string) => Promise<UpstreamPackage>;
}

/** What reading upstream packages needs of it. */
export type UpstreamReader = Pick<UserGit, 'resolve' | 'fetch' | 'read'>;

export interface UpstreamPackage {
  readonly files: PackageFiles;
  readonly commit: string;
  /** Symbolic links and submodules, which are left out. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** Opens an empty repository in a temporary directory to fetch into; it goes when disposed. */
export async function openUserGit(stop: AbortSignal): Promise<UserGit> {
  const closed = new AbortController();
  const signal = AbortSignal.any([stop, closed.signal]);
  const gitDir = await mkdtemp(join(tmpdir(), 'portico-git-'));
  await makeBare(gitDir);
  const objects = openObjectReader({ gitDir });
  const reader = createRepo({ gitDir }, objects, { count: 0 });
  const listed = new Map<string, Promise<Map<string, string>>>();

  const refsOf = async (repo: string): Promise<Map<string, string>> => {
    const known = listed.get(repo) ?? listRefs(gitDir, checkRepo(repo), signal);
    listed.set(repo, known);
    return known;
  };

  const borrowed = new Map<string, Promise<boolean>>();
  const borrow = async (repo: string): Promise<boolean> => {
    const known = borrowed.get(repo) ?? borrowObjects(gitDir, checkRepo(repo));
    borrowed.set(repo, known);
    return known;
  };

  /** The commit that an abbreviated id means; a server tells only of whole ones, so that all must be fetched. */
  const abbreviated = async (repo: string, ref: string): Promise<ResolvedRef> => {
    if (/^[0-9a-f]{7,63}$/.test(ref)) {
      if (!(await borrow(repo))) await fetchAll(gitDir, repo, signal);
      objects.restart();
      const commit = (await objects.info(`${ref}^{commit}`, signal))?.id;
      if (commit !== undefined) return { ref, commit };
    }
    throw new PorticoError('UPSTREAM_REF_MISSING', `${repo} has no tag, branch or commit ${ref}`, {
      blame: 'user',
      hint: isRefName(ref) ? `To list them, use git ls-remote ${repo}.` : 'This is not a valid git ref name.',
    });
  };

  return {
    expect: (repo) => {
      // What goes wrong is told to who asks for it in earnest.
      void refsOf(repo).catch(() => {});
      void borrow(repo)
        // The process starts while the program goes on; a tree that every git knows is there at once.
        .then(async (isLocal) => (isLocal ? objects.info(EMPTY_TREE) : null))
        .catch(() => {});
    },
    resolve: async (repo, directory, ref) => {
      const refs = await refsOf(repo);
      if (ref === undefined) return defaultBranch(refs, repo);
      return findRef(refs, directory, ref) ?? abbreviated(repo, ref);
    },
    fetch: async (repo, ids) => {
      const alone = !borrowed.has(repo);
      const isLocal = await borrow(repo);
      if (!isLocal) await fetchCommits(gitDir, checkRepo(repo), ids, signal);
      // A git that runs already does not see objects that were borrowed or fetched since.
      if (alone || !isLocal) objects.restart();
    },
    read: async (repo, directory, id) => {
      const commit = isOid(id) ? await resolveCommit(reader, id, signal) : null;
      if (commit === null) {
        throw new PorticoError('UPSTREAM_COMMIT_MISSING', `${repo} has no commit ${JSON.stringify(id)}`, {
          blame: 'user',
          hint: 'Check whether upstream was rewritten or upstreamLock in the Kptfile was edited.',
        });
      }
      const found = await readPackage({
        repo: reader,
        commit,
        path: directory,
        limits: PACKAGE_LIMITS,
        signal,
        list: walkTree,
      });
      if (found === null) {
        throw new PorticoError(
          'UPSTREAM_PACKAGE_MISSING',
          `${repo} has no directory ${directory} at ${commit}`,
          { blame: 'user', hint: 'Check the path of the package; it may have moved.' },
        );
      }
      return { files: found.files, commit, skipped: found.skipped };
    },
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      objects[Symbol.dispose]();
      await rm(gitDir, { recursive: true, force: true });
    },
  };
}

/** Refs of the remote, annotated tags peeled; `HEAD` is the full name of the default branch. */
async function listRefs(gitDir: string, repo: string, signal: AbortSignal): Promise<Map<string, string>> {
  const output = await run(gitDir, ['ls-remote', '--symref', '--', repo], signal);
  const refs = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (value.startsWith('ref: ') && name === 'HEAD') refs.set('HEAD', value.slice('ref: '.length));
    else if (name.endsWith('^{}')) refs.set(name.slice(0, -'^{}'.length), value);
    else if (name.startsWith('refs/')) refs.set(name, value);
  }
  return refs;
}

function defaultBranch(refs: ReadonlyMap<string, string>, repo: string): ResolvedRef {
  const head = refs.get('HEAD');
  const commit = head === undefined ? undefined : refs.get(head);
  if (head !== undefined && commit !== undefined) return { ref: head.replace(/^refs\/heads\//, ''), commit };
  throw new PorticoError('UPSTREAM_REF_MISSING', `${repo} has no default branch`, {
    blame: 'user',
    hint: 'Write a tag, branch or commit after @.',
  });
}

/** For a package `a/b` and `v1` the tags `a/b/v1` and `a/v1` come before `v1`, as in kpt; then branches, then commits. */
function findRef(refs: ReadonlyMap<string, string>, directory: string, ref: string): ResolvedRef | undefined {
  const segments = directory.split('/').filter((segment) => segment !== '');
  const prefixes = segments.map((_, at) => segments.slice(0, segments.length - at).join('/'));
  const names = [...prefixes.map((prefix) => `${prefix}/${ref}`), ref];
  for (const name of names) {
    const commit = refs.get(`refs/tags/${name}`);
    if (commit !== undefined) return { ref: name, commit };
  }
  const commit = refs.get(`refs/heads/${ref}`) ?? refs.get(ref);
  if (commit !== undefined) return { ref, commit };
  return isOid(ref) ? { ref, commit: ref } : undefined;
}

/**
 * Reads a repository on this machine where it stands, by git's alternates, instead of copying it; none of its settings
 * count. False where that cannot be: the repository is elsewhere, a linked work tree, or itself lacks objects.
 */
async function borrowObjects(gitDir: string, repo: string): Promise<boolean> {
  const path = repo.startsWith('file:///') ? decodeURI(repo.slice('file://'.length)) : repo;
  if (!path.startsWith('/') || path.includes('\n')) return false;
  for (const objects of [`${path}/objects`, `${path}/.git/objects`, `${path}.git/objects`]) {
    const packs = await readdir(join(objects, 'pack')).catch(() => undefined);
    if (packs === undefined) continue;
    if (packs.some((name) => name.endsWith('.promisor'))) return false;
    await mkdir(join(gitDir, 'objects/info'), { recursive: true });
    await appendFile(join(gitDir, 'objects/info/alternates'), `${objects}\n`);
    return true;
  }
  return false;
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];

/** Fetches single commits; where the server does not give them, everything. */
async function fetchCommits(
  gitDir: string,
  repo: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = [...new Set(ids)].filter(isOid);
  if (wanted.length === 0) return;
  try {
    await run(gitDir, [...FETCH, '--depth=1', '--', repo, ...wanted], signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PorticoError && error.code === 'UPSTREAM_UNREACHABLE') throw error;
    await fetchAll(gitDir, repo, signal);
  }
}

async function fetchAll(gitDir: string, repo: string, signal: AbortSignal): Promise<void> {
  await run(gitDir, [...FETCH, '--', repo, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'], signal);
}

/** Only what goes to a git server or a directory; `ext::` and the like would start programs. */
function checkRepo(repo: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repo)?.[1]?.toLowerCase();
  const known = scheme === undefined || ['https', 'http', 'ssh', 'git', 'file'].includes(scheme);
  const plain = scheme !== undefined || isRemote(repo) || repo.startsWith('/');
  if (known && plain && !repo.includes('::')) return repo;
  throw new PorticoError('UPSTREAM_REFUSED', `${JSON.stringify(repo)} is not an allowed git URL`, {
    blame: 'user',
    hint: 'Use https, ssh, or an absolute path.',
  });
}

async function run(gitDir: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const child = spawn('git', ['-c', 'maintenance.auto=false', '-c', 'gc.auto=0', ...args], {
    env: {
      ...process.env,
      GIT_DIR: gitDir,
      LC_ALL: 'C',
      GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file',
      ...(process.stdin.isTTY ? {} : { GIT_TERMINAL_PROMPT: '0' }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const out: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-8_192);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new PorticoError('GIT_MISSING', 'git could not be started', {
      blame: 'user',
      cause,
      hint: 'Install git and put it on PATH.',
    });
  });
  if (code === 0) return Buffer.concat(out).toString('utf8');
  throw failure(args[0] ?? '', scrubSecrets(errors).trim());
}

function failure(command: string, errors: string): PorticoError {
  const message = `git ${command} failed: ${lastLines(errors)}`;
  if (
    command === 'ls-remote' ||
    /Could not resolve|unable to access|Authentication|does not appear/i.test(errors)
  ) {
    return new PorticoError('UPSTREAM_UNREACHABLE', message, {
      blame: 'forge',
      hint: 'Check the address, the network and your read access.',
    });
  }
  return new PorticoError('GIT_FAILED', message, {
    blame: 'forge',
    hint: "See git's message above, then try again.",
  });
}
