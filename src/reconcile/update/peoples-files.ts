/** Which files of a branch people had their hands on. */
import type { CommitInfo, Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { readCommitRecord } from '../seal/commit-seal.ts';
import { readSealed } from '../seal/update-record.ts';

/** A branch of more commits of its own is not looked through: it counts as people's. */
const HISTORY = 200;

/** True where somebody else than Portico committed a change of one of these files, or of a file in one of these directories. */
export async function hasPeoplesFiles({
  seals,
  git,
  range,
  paths,
  signal,
}: {
  readonly seals: Ports['seals'];
  readonly git: Pick<Git, 'log'>;
  readonly range: { readonly from: string; readonly to: string };
  readonly paths: readonly string[];
  readonly signal?: AbortSignal | undefined;
}): Promise<boolean> {
  const isOurs = (commit: CommitInfo): boolean =>
    isRenderCommit(commit, seals) ||
    readSealed(commit, seals) !== null ||
    readCommitRecord(commit, seals) !== null;
  for (const path of paths) {
    const log = await git.log(range, { path, firstParent: true, limit: HISTORY }, signal);
    if (log.length >= HISTORY || !log.every(isOurs)) return true;
  }
  return false;
}
