/** What the privileges of a package are compared with. */
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryWork } from '../ports.ts';
import { taggedOnBranch, type RevisionRefs } from '../repository/package-revisions.ts';
import { rootPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { createDueRevisions } from './due-revisions.ts';

/** A proposal, and the head of the branch that it goes into. `facts` are needed where someone must approve privileges. */
export type Comparing = Pick<ProposalSnapshot, 'config' | 'base' | 'mergeBase'> &
  Partial<Pick<ProposalSnapshot, 'facts'>>;

/**
 * The commit of the newest revision that the proposal is made on; null where there is none, so that all privileges are new. What was
 * merged with its approvals counts before it has its tag.
 */
export async function revisionBefore(
  { ports, access, signal }: RepositoryWork<'now' | 'app' | 'seals' | 'content'>,
  {
    snapshot: { facts, config, base, mergeBase },
    refs,
    directory,
    tree,
  }: {
    readonly snapshot: Comparing;
    readonly refs: RevisionRefs;
    readonly directory: RepositoryDirectory;
    /** The package at the merge base. */
    readonly tree: string | null;
  },
): Promise<string | null> {
  const { git } = access;
  if (tree === null) return null;
  const tagged = await taggedOnBranch({ git, refs, directory, head: mergeBase, signal });
  const treeAt = async (commit: string | null): Promise<string | null> =>
    commit === null ? null : git.treeId(commit, directory, signal);
  const isAsked = (config.publish.requireApprovalBy ?? []).length > 0;
  if (!isAsked || facts === undefined || (await treeAt(tagged)) === tree) return tagged;
  // A proposal ahead in a merge queue that changes the package is judged with all that is beneath it.
  const isQueued = !(await git.isAncestor(mergeBase, base, signal));
  if (isQueued && (await treeAt(base)) !== tree) return mergeBase;
  const packages = await rootPackages(access, base, config.directory, signal);
  const found = packages.find((one) => one.directory === directory);
  const look = createDueRevisions(ports);
  const { due } = found
    ? await look(access, { facts, config, refs, found, head: base }, signal)
    : { due: [] };
  let newest = tagged;
  for (const { commit } of due) if (await git.isAncestor(commit.oid, mergeBase, signal)) newest = commit.oid;
  return newest;
}
