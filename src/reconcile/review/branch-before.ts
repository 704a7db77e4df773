import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import { activityOf } from './authors.ts';

/**
 * The commit that the branch was at before a merge. A rebase brings several commits, each with the one before as its parent, so the
 * forge is asked where the branch came from if the proposal has several; if it does not tell, the parent stands in. Null where the
 * merge began the branch.
 */
export async function branchBefore(
  access: Pick<RepositoryAccess, 'git' | 'forge'>,
  { oid, parents: [first, second] }: CommitInfo,
  { baseRef, headSha }: Pick<Pull, 'baseRef' | 'headSha'>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (first === undefined || second !== undefined) return first ?? null;
  const { git } = access;
  const left = await git.mergeBase(first, headSha, signal);
  const own = left === null ? [] : await git.log({ from: left, to: headSha }, { limit: 2 }, signal);
  if (own.length < 2) return first;
  const activity = await activityOf(access, `refs/heads/${baseRef}`, {}, signal);
  const before = activity?.pushes.findLast(({ after }) => after === oid)?.before ?? null;
  return before !== null && (await git.resolve(before, signal)) !== null ? before : first;
}
