import type { Position } from '../../channels/plan.ts';
import { tagOf, taggedRevisions } from '../repository/package-revisions.ts';
import type { Upstream } from './upstream.ts';

/** So many of the newest revisions are compared with a commit that none of them has. */
const MAX_COMPARED = 200;

/**
 * Where a package is on the way of its upstream. One locked to another commit is at the revision with the same content, if there
 * is one; else it has drifted, and the nearest is the last revision below that commit.
 */
export async function lockedPosition(upstream: Upstream, signal?: AbortSignal): Promise<Position> {
  const { access, refs, directory, current, baseCommit, lock } = upstream;
  if (current !== undefined) return { kind: 'revision', revision: current };
  const drifted = { kind: 'drifted', commit: lock.commit } as const;
  if (baseCommit === null) return drifted;
  const { git } = access;
  const tree = await git.treeId(baseCommit, directory, signal);
  let nearest: string | undefined;
  for (const { name } of taggedRevisions(refs, directory).slice(-MAX_COMPARED).toReversed()) {
    const tag = tagOf(refs, directory, name);
    if (tag === undefined) continue;
    if (tree !== null && (await git.treeId(tag.commit, directory, signal)) === tree)
      return { kind: 'revision', revision: name };
    if (nearest === undefined && (await git.isAncestor(tag.commit, baseCommit, signal))) nearest = name;
  }
  return { ...drifted, ...(nearest !== undefined && { nearest }) };
}
