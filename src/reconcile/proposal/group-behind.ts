import { mergedPackage } from '../merge/concurrent-draft.ts';
import type { RepositoryWork } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { filesAt } from '../repository/package-files.ts';
import type { ProposalPackage } from '../repository/proposal-snapshot.ts';
import { pullOfQueueBranch } from './queue-members.ts';

/**
 * Packages that what stands before a proposal in the queue changed too, and that git, line by line, put together in
 * another way than the structural merge does, or that meet in a field: nobody has seen that content.
 */
export async function groupBehind(
  { ports, access: { git, forge }, signal }: RepositoryWork<'content', 'git' | 'forge'>,
  group: { readonly headRef: string; readonly headSha: string; readonly baseSha: string },
  packages: readonly ProposalPackage[],
): Promise<readonly string[]> {
  const number = pullOfQueueBranch(group.headRef);
  const pull = number === undefined ? null : await forge.getPull(number, signal);
  const head = pull === null ? null : await git.resolve(pull.headSha, signal);
  const mergeBase = head === null ? null : await git.mergeBase(group.baseSha, head, signal);
  if (head === null || mergeBase === null) return [];
  const behind: string[] = [];
  for (const { path, directory } of packages) {
    const [before, base, local] = await Promise.all(
      [mergeBase, group.baseSha, head].map((commit) => git.treeId(commit, directory, signal)),
    );
    if (before === base || base === local || before === local) continue;
    const commits = { base: mergeBase, upstream: group.baseSha, local: head };
    const merged = await mergedPackage({ ports, git, commits, directory, signal });
    const built = await filesAt(git, group.headSha, directory, signal);
    const differs = changesBetween(directory, built, merged.files).size > 0;
    if (differs || merged.conflicts.length > 0) behind.push(path);
  }
  return behind;
}
