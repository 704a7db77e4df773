import { PorticoError } from '../error.ts';
import type { Commit, LogOptions, LogRange, TreeMerge } from '../reconcile/git-port.ts';
import { createLru } from './lru.ts';
import type { Tag } from './mirror-types.ts';
import { parseCommit, parseTag } from './objects.ts';
import type { Repo } from './repo.ts';
import { requireCommit, requireTree } from './repo.ts';
import { checkPath, isOid, quote } from './safe-name.ts';

// Commits do not change, so neither does what leads to them. Keys name the mirror, so nothing crosses over.
const logs = createLru<readonly string[]>((ids) => ids.length * 72);
const bases = createLru<readonly string[]>(() => 60);
const ancestry = createLru<boolean>(() => 0);

/** Throws GIT_UNKNOWN_REVISION where there is no such commit. */
export async function readCommit(repo: Repo, rev: string, signal?: AbortSignal): Promise<Commit> {
  const oid = await requireCommit(repo, rev, signal);
  const key = `${repo.setup.gitDir}:${oid}`;
  const known = commits.get(key);
  if (known !== undefined) return known;
  const object = await repo.objects.read(oid, signal);
  if (object?.type !== 'commit') throw repo.damage(`commit ${oid} cannot be read`);
  const commit = parseCommit(oid, object.bytes);
  commits.set(key, commit);
  return commit;
}

// Commits do not change. Keys name the mirror, so nothing crosses over.
const commits = createLru<Commit>(({ message }) => message.length + 1_000);

/** Null where there is no annotated tag. */
export async function readTag(repo: Repo, oidOrRef: string, signal?: AbortSignal): Promise<Tag | null> {
  const oid = isOid(oidOrRef) ? oidOrRef : (await repo.refs(signal)).get(oidOrRef)?.oid;
  if (oid === undefined) return null;
  const object = await repo.objects.read(oid, signal);
  return object?.type === 'tag' ? parseTag(oid, object.bytes) : null;
}

/** Commits of a range, newest first. */
export async function readLog(
  repo: Repo,
  range: LogRange,
  options: LogOptions,
  signal?: AbortSignal,
): Promise<Commit[]> {
  const to = await requireCommit(repo, range.to, signal);
  const after = range.from === undefined ? undefined : await requireCommit(repo, range.from, signal);
  const near = await nearLog(repo, { from: after, to }, options, signal);
  if (near !== null) return near;
  const from = after === undefined ? [] : [`^${after}`];
  const args = [
    'rev-list',
    `--max-count=${Math.max(0, Math.floor(options.limit ?? 1_000))}`,
    // Dates are whatever the pusher says: no commit may stand before one that follows it.
    options.firstParent === true ? '--first-parent' : '--topo-order',
    to,
    ...from,
    '--',
    // `:(top,literal)` keeps `*`, `[` and a leading `:` from being patterns.
    ...(options.path === undefined || options.path === '' || options.path === '.'
      ? []
      : [`:(top,literal)${checkPath(options.path)}`]),
  ];
  const key = JSON.stringify([repo.setup.gitDir, ...args]);
  let ids = logs.get(key);
  if (ids === undefined) {
    const { stdout } = await repo.git(args, { signal });
    ids = stdout.toString('latin1').split('\n').filter(isOid);
    logs.set(key, ids);
  }
  return await Promise.all(ids.map((id) => readCommit(repo, id, signal)));
}

/** So far a line of commits is followed one by one before a process is the cheaper way. */
const NEAR = 60;

/**
 * The same without a process, where the range is a short line of commits: what stands on a line above a commit is not
 * reachable from it. Null where it is not known to be one.
 */
async function nearLog(
  repo: Repo,
  { from, to }: { readonly from: string | undefined; readonly to: string },
  { limit = 1_000, path = '', firstParent = false }: LogOptions,
  signal: AbortSignal | undefined,
): Promise<Commit[] | null> {
  if (path !== '') return null;
  const line: Commit[] = [];
  for (let at: string | undefined = to; at !== from;) {
    if (line.length >= limit) return line;
    if (line.length >= NEAR || at === undefined) return at === undefined && from === undefined ? line : null;
    const commit: Commit = await readCommit(repo, at, signal);
    if (commit.parents.length > 1 && !firstParent) return null;
    line.push(commit);
    at = commit.parents[0];
  }
  return line;
}

/** Whether `ancestor` stands within a few first parents of `commit`; false says nothing. */
async function isNear(
  repo: Repo,
  ancestor: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let at: string | undefined = commit, steps = 0; at !== undefined && steps < NEAR; steps += 1) {
    if (at === ancestor) return true;
    at = (await readCommit(repo, at, signal)).parents[0];
  }
  return false;
}

/** The best common ancestor, or null where the histories share nothing. */
export async function mergeBase(
  repo: Repo,
  a: string,
  b: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const [base = null] = await mergeBases(repo, a, b, signal);
  return base;
}

/** All best common ancestors: several where two branches were merged into each other (git-merge-base, `--all`). */
export async function mergeBases(
  repo: Repo,
  a: string,
  b: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const both = [await requireCommit(repo, a, signal), await requireCommit(repo, b, signal)] as const;
  const key = `${repo.setup.gitDir}:${both.join(':')}`;
  const cached = bases.get(key);
  if (cached !== undefined) return cached;
  const found = await findBases(repo, both[0], both[1], signal);
  bases.set(key, found);
  return found;
}

async function findBases(
  repo: Repo,
  a: string,
  b: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (await isNear(repo, a, b, signal)) return [a];
  if (await isNear(repo, b, a, signal)) return [b];
  const { stdout } = await repo.git(['merge-base', '--all', a, b], { accept: [0, 1], signal });
  return stdout.toString('latin1').split('\n').filter(isOid);
}

/** Whether commit `a` is `b` or one of its ancestors. */
export async function isAncestor(repo: Repo, a: string, b: string, signal?: AbortSignal): Promise<boolean> {
  const both = [await requireCommit(repo, a, signal), await requireCommit(repo, b, signal)] as const;
  const key = `${repo.setup.gitDir}:${both.join(':')}`;
  const cached = ancestry.get(key);
  if (cached !== undefined) return cached;
  if (await isNear(repo, both[0], both[1], signal)) return true;
  // What comes after a commit is no ancestor of it.
  if (await isNear(repo, both[1], both[0], signal)) return false;
  const { exitCode } = await repo.git(['merge-base', '--is-ancestor', ...both], { accept: [0, 1], signal });
  ancestry.set(key, exitCode === 0);
  return exitCode === 0;
}

/**
 * Git's three-way merge without a work tree. Git 2.39 takes no `--merge-base`, so a chosen base becomes the parent of
 * two throw-away commits, which nothing refers to.
 */
export async function mergeTrees({
  repo,
  ours,
  theirs,
  base,
  signal,
}: {
  readonly repo: Repo;
  readonly ours: string;
  readonly theirs: string;
  readonly base: string | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<TreeMerge> {
  const sides =
    base === undefined
      ? [await requireCommit(repo, ours, signal), await requireCommit(repo, theirs, signal)]
      : await sidesOver(repo, base, [ours, theirs], signal);
  const { stdout, exitCode } = await repo.git(
    [
      'merge-tree',
      '--write-tree',
      '-z',
      '--name-only',
      '--no-messages',
      '--allow-unrelated-histories',
      ...sides,
    ],
    { accept: [0, 1], signal },
  );
  const [tree = '', ...names] = stdout.toString('utf8').split('\0');
  if (!isOid(tree)) {
    throw new PorticoError('GIT_FAILED', `git merge-tree gave no tree but ${quote(tree)}`, { blame: 'bug' });
  }
  const conflicts = exitCode === 0 ? [] : [...new Set(names.filter((name) => name !== ''))].sort();
  return { tree, conflicts };
}

const THROW_AWAY = {
  GIT_AUTHOR_NAME: 'Portico',
  GIT_AUTHOR_EMAIL: 'portico@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'Portico',
  GIT_COMMITTER_EMAIL: 'portico@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
};

async function sidesOver(
  repo: Repo,
  base: string,
  sides: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const write = async (treeish: string, parents: readonly string[]): Promise<string> => {
    const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    const tree = await requireTree(repo, treeish, signal);
    const { stdout } = await repo.git([...args, tree], { env: THROW_AWAY, input: 'merge\n', signal });
    return stdout.toString('latin1').trim();
  };
  const parent = await write(base, []);
  return await Promise.all(sides.map((side) => write(side, [parent])));
}
