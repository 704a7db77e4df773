import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';

/** Commits that one rebase brings and that are gone through. */
const MAX_REBASED = 100;

/**
 * The commit that the branch was at before a merge: a rebase brings several commits, each with the one before as its parent. Null
 * where the merge began the branch.
 */
export async function branchBefore(
  { git, forge }: Pick<RepositoryAccess, 'git' | 'forge'>,
  { parents: [first, second] }: CommitInfo,
  { number, headSha }: Pick<Pull, 'number' | 'headSha'>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (first === undefined) return null;
  const left = second === undefined ? await git.mergeBase(first, headSha, signal) : null;
  const own = left === null ? [] : await git.log({ from: left, to: headSha }, { limit: MAX_REBASED }, signal);
  let base: string = first;
  for (let turn = 1; turn < own.length; turn += 1) {
    const pulls = await forge.pullsForCommit(base, signal);
    if (pulls.every((pull) => pull.number !== number)) return base;
    const [before] = (await git.commit(base, signal)).parents;
    if (before === undefined) return null;
    base = before;
  }
  return base;
}
