/** Approvals that a merge took from other repositories, counted again before its tag: the check is as old as its last look. */
import type { RepositoryAccess } from '../ports.ts';
import { filesBeside, touchedPackages, type ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { AcceptedAtMerge } from './merged-approval.ts';
import { acceptedElsewhere, type Accepting } from './same-change.ts';

/**
 * Counts only what the check counted too. Right after a start the repositories that approved may not be indexed yet: then no one can tell
 * that approvals are missing.
 */
export function acceptedAtMerge(ports: Accepting): AcceptedAtMerge {
  return async (access, { facts, config, pull, commits, count, seen, beneath }, signal) => {
    const proposal = { facts, config, pull, ...commits };
    const snapshot = { ...proposal, ...(await changedBy(access, proposal, signal)) };
    const accepted = await acceptedElsewhere({ ports, access, snapshot, count, beneath, signal });
    const counted = accepted.slice(0, seen);
    const isMissing = count.counted.length + counted.length < count.needed;
    return isMissing && !ports.catalog.isComplete() ? 'not-indexed-yet' : counted;
  };
}

/** What the proposal changed of the branch as it was before the merge. */
async function changedBy(
  access: RepositoryAccess,
  {
    facts,
    config,
    pull,
    base,
    mergeBase,
    head,
  }: Omit<ProposalSnapshot, 'packages' | 'otherFiles' | 'writable'>,
  signal: AbortSignal | undefined,
): Promise<Pick<ProposalSnapshot, 'packages' | 'otherFiles' | 'writable'>> {
  const changes = await access.git.changedPaths(mergeBase, head.oid, signal);
  const packages = await touchedPackages({
    access,
    registered: config.directory,
    changed: changes.map(({ path }) => path),
    commits: { mergeBase, base, head: head.oid },
    signal,
  });
  const writable = pull.headRepositoryId === facts.id;
  return { packages, otherFiles: filesBeside(changes, packages), writable };
}
