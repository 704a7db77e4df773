/**
 * Merges without a work tree, as GitHub does them: a real three-way merge, one squashed commit, or a replay of the
 * commits. Nothing here moves a ref.
 */

import type { GitPerson } from './git-objects.ts';
import type { GitRepository } from './git-repository.ts';

export type CommitMerge =
  | { readonly clean: true; readonly sha: string }
  | { readonly clean: false; readonly conflicts: readonly string[] };

export interface MergeInput {
  /** Commit that is merged into. */
  readonly base: string;
  /** Commit that is merged. */
  readonly head: string;
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
  /** Default: as the repository writes them, unsigned. */
  readonly write?: GitRepository['writeCommit'];
}

/** A merge commit with two parents, or the paths in conflict. */
export async function mergeCommit(git: GitRepository, input: MergeInput): Promise<CommitMerge> {
  return mergeOnto(git, input, [input.base, input.head]);
}

/** The merged tree as one commit on top of the base, or the paths in conflict. */
export async function squashCommit(git: GitRepository, input: MergeInput): Promise<CommitMerge> {
  return mergeOnto(git, input, [input.base]);
}

/**
 * Replays the commits of `head` that `base` lacks, oldest first and without merges, on top of `base`. Authors and
 * messages are kept, the committer is new, so every commit gets a new name, as on GitHub. A commit that brings
 * nothing is dropped.
 */
export async function rebaseCommits(
  git: GitRepository,
  base: string,
  head: string,
  committer: GitPerson,
): Promise<CommitMerge> {
  let onto = base;
  for (const sha of await git.log({ include: [head], exclude: [base], reverse: true })) {
    const commit = await git.commit(sha);
    if (commit === undefined || commit.parents.length > 1) continue;
    const picked = await pick(git, onto, sha);
    if (!picked.clean) return { clean: false, conflicts: picked.conflicts };
    if (picked.tree === (await git.commit(onto))?.tree) continue;
    const { author, message } = commit;
    onto = await git.writeCommit({ tree: picked.tree, parents: [onto], author, committer, message });
  }
  return { clean: true, sha: onto };
}

async function mergeOnto(
  git: GitRepository,
  input: MergeInput,
  parents: readonly string[],
): Promise<CommitMerge> {
  const merged = await git.mergeTree(input.base, input.head);
  if (!merged.clean) return { clean: false, conflicts: merged.conflicts };
  const { author, committer, message } = input;
  const write = input.write ?? ((commit) => git.writeCommit(commit));
  return {
    clean: true,
    sha: await write({ tree: merged.tree, parents, author, committer, message }),
  };
}

/**
 * Applies one commit to `onto`: the three-way merge of both over the commit's parent. git 2.39 cannot be told a merge
 * base, so two throw-away commits are given that parent.
 */
async function pick(
  git: GitRepository,
  onto: string,
  sha: string,
): Promise<Awaited<ReturnType<GitRepository['mergeTree']>>> {
  const [ours, theirs] = [await git.commit(onto), await git.commit(sha)];
  const parent = theirs?.parents[0];
  if (parent === undefined || ours === undefined || theirs === undefined) return git.mergeTree(onto, sha);
  if (parent === onto) return { clean: true, tree: theirs.tree };
  const nobody: GitPerson = { name: 'forge', email: 'noreply@localhost', date: '1970-01-01T00:00:00Z' };
  const side = (tree: string, message: string): Promise<string> =>
    git.writeCommit({ tree, parents: [parent], author: nobody, committer: nobody, message });
  return git.mergeTree(await side(ours.tree, 'ours'), await side(theirs.tree, 'theirs'));
}
