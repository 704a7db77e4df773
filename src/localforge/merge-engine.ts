/**
 * Merges without a work tree, as GitHub does them: a real three-way merge, one squashed commit, or a replay of the
 * commits. Nothing here moves a ref.
 */

/** One finished git process: `code` is 0 or one of the codes the caller allowed. */
export interface GitResult {
  readonly code: number;
  readonly stdout: string;
}

export interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes besides 0 that are answers, not failures. */
  readonly allow?: readonly number[];
}

/** Runs git in one bare repository; rejects on any exit code that is not allowed. */
export type RepositoryGit = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

export interface Identity {
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch, with zone: `1700000000 +0000`. */
  readonly date: string;
}

export type TreeMerge =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly files: readonly string[] };

export type CommitMerge =
  | { readonly clean: true; readonly sha: string }
  | { readonly clean: false; readonly files: readonly string[] };

export interface MergeInput {
  /** Commit that is merged into. */
  readonly base: string;
  /** Commit that is merged. */
  readonly head: string;
  readonly message: string;
  readonly author: Identity;
  readonly committer: Identity;
}

/** Three-way merge of two commits over their own merge base: the merged tree, or the paths in conflict. */
export async function mergeTrees(git: RepositoryGit, base: string, head: string): Promise<TreeMerge> {
  const { code, stdout } = await git(
    [
      'merge-tree',
      '--write-tree',
      '-z',
      '--name-only',
      '--no-messages',
      '--allow-unrelated-histories',
      base,
      head,
    ],
    { allow: [1] },
  );
  const [tree = '', ...files] = stdout.split('\0').filter((part) => part !== '');
  return code === 0 ? { clean: true, tree } : { clean: false, files: [...new Set(files)] };
}

/** A merge commit with two parents, or the paths in conflict. */
export async function mergeCommit(git: RepositoryGit, input: MergeInput): Promise<CommitMerge> {
  const merged = await mergeTrees(git, input.base, input.head);
  if (!merged.clean) return merged;
  return { clean: true, sha: await writeCommit(git, merged.tree, [input.base, input.head], input) };
}

/** The merged tree as one commit on top of the base, or the paths in conflict. */
export async function squashCommit(git: RepositoryGit, input: MergeInput): Promise<CommitMerge> {
  const merged = await mergeTrees(git, input.base, input.head);
  if (!merged.clean) return merged;
  return { clean: true, sha: await writeCommit(git, merged.tree, [input.base], input) };
}

/**
 * Replays the commits of `head` that `base` lacks, oldest first and without merges, on top of `base`. Authors and
 * messages are kept, the committer is new, so every commit gets a new name as on GitHub. A commit that brings nothing
 * is dropped.
 */
export async function rebaseCommits(
  git: RepositoryGit,
  base: string,
  head: string,
  committer: Identity,
): Promise<CommitMerge> {
  const { stdout } = await git(['rev-list', '--reverse', '--topo-order', '--no-merges', `${base}..${head}`]);
  let onto = base;
  for (const commit of stdout.split('\n').filter((line) => line !== '')) {
    const picked = await pick(git, onto, commit);
    if (!picked.clean) return picked;
    if (picked.tree === (await treeOf(git, onto))) continue;
    const { author, message } = await describe(git, commit);
    onto = await writeCommit(git, picked.tree, [onto], { author, committer, message });
  }
  return { clean: true, sha: onto };
}

/** Names of the commits that `head` has and `base` lacks, oldest first. */
export async function commitsBetween(git: RepositoryGit, base: string, head: string): Promise<string[]> {
  const { stdout } = await git(['rev-list', '--reverse', '--topo-order', `${base}..${head}`]);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Says whether `commit` can be reached from `tip`. */
export async function isAncestor(git: RepositoryGit, commit: string, tip: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', commit, tip], { allow: [1] })).code === 0;
}

/** The best common ancestor, undefined for unrelated histories. */
export async function mergeBase(git: RepositoryGit, a: string, b: string): Promise<string | undefined> {
  const { code, stdout } = await git(['merge-base', a, b], { allow: [1] });
  return code === 0 ? stdout.trim() : undefined;
}

/** Writes a commit object and returns its name. */
export async function writeCommit(
  git: RepositoryGit,
  tree: string,
  parents: readonly string[],
  meta: { readonly author: Identity; readonly committer: Identity; readonly message: string },
): Promise<string> {
  const { author, committer } = meta;
  const { stdout } = await git(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    input: meta.message.endsWith('\n') ? meta.message : `${meta.message}\n`,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: author.date,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: committer.date,
    },
  });
  return stdout.trim();
}

/** Author and message of a commit. */
export async function describe(
  git: RepositoryGit,
  commit: string,
): Promise<{ author: Identity; message: string }> {
  const { stdout } = await git([
    'log',
    '-1',
    '--no-show-signature',
    '--date=raw',
    '--format=%an%x00%ae%x00%ad%x00%B',
    commit,
  ]);
  const [name = '', email = '', date = '', message = ''] = stdout.split('\0');
  return { author: { name, email, date }, message: message.trimEnd() };
}

/**
 * Applies one commit to `onto`: the three-way merge of both over the commit's parent. git 2.39 cannot be told a merge
 * base, so two throw-away commits are given that parent.
 */
async function pick(git: RepositoryGit, onto: string, commit: string): Promise<TreeMerge> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', `${commit}^`], { allow: [1] });
  if (code !== 0) return mergeTrees(git, onto, commit);
  const parent = stdout.trim();
  const nobody: Identity = { name: 'forge', email: 'noreply@localhost', date: '0 +0000' };
  const meta = { author: nobody, committer: nobody, message: 'pick' };
  const ours = await writeCommit(git, await treeOf(git, onto), [parent], meta);
  const theirs = await writeCommit(git, await treeOf(git, commit), [parent], { ...meta, message: 'picked' });
  return mergeTrees(git, ours, theirs);
}

async function treeOf(git: RepositoryGit, commit: string): Promise<string> {
  return (await git(['rev-parse', `${commit}^{tree}`])).stdout.trim();
}
