/**
 * Conflicts that someone settled on an update's branch before Portico made the update again: they stay settled as long as their
 * values are the same, however often the branch or the registered branch moves.
 */

import { contentAt } from '../../package/merge/conflict-place.ts';
import type { Conflict } from '../../package/merge/conflict.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import type { HumanCommitRange } from './replay.ts';

/** Commits of a branch that are searched for decisions. */
const HISTORY = 500;

/** Those settled by command, as `DIRECTORY:ID`. An id stands for the place and its three values. */
export async function settledByCommand(
  { seals }: Pick<Ports, 'seals'>,
  git: Pick<Git, 'log'>,
  range: { readonly from: string; readonly to: string },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const log = await git.log(range, { firstParent: true, limit: HISTORY }, signal);
  return log.flatMap((commit) => {
    const record = readCommitRecord(commit, seals);
    return record?.kind === 'settle' ? record.settled : [];
  });
}

/**
 * Conflicts without those that commits on the branch decided: with these commits on top, the place has another value than the merge
 * gave it, and the local value is the one that they decided on. Another upstream value would not have let them be replayed.
 */
export async function withoutDecided(
  git: Git,
  {
    directory,
    local,
    merged,
    replayed,
    conflicts,
  }: {
    readonly directory: RepositoryDirectory;
    readonly local: PackageFiles;
    /** The merge alone, and with the commits on top. */
    readonly merged: PackageFiles;
    readonly replayed: PackageFiles;
    readonly conflicts: readonly Conflict[];
  },
  ranges: readonly HumanCommitRange[],
  signal?: AbortSignal,
): Promise<readonly Conflict[]> {
  const decided = conflicts.filter((one) => contentAt(replayed, one) !== contentAt(merged, one));
  if (decided.length === 0) return conflicts;
  const earlier = await Promise.all(ranges.map(({ record }) => filesAt(git, record.base, directory, signal)));
  const isSettled = (one: Conflict): boolean =>
    decided.includes(one) && earlier.some((files) => contentAt(files, one) === contentAt(local, one));
  return conflicts.filter((one) => !isSettled(one));
}
