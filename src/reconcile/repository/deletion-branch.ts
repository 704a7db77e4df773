/** What a proposal that deletes a package consists of: a commit that removes its directory, and a note on what stays. */

import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { sealedCommitMessage, type DeletionRecord } from '../seal/commit-seal.ts';
import { pushCommit, type BranchCommit, type PushedCommit } from './push-commit.ts';

/** In the body of each such proposal. */
export const DELETION_NOTE =
  'Its tags stay, so published revisions remain available; their numbers are never reused. To keep the package, close this pull request.';

/** Puts the commit on `branch`, on top of `base`. The directory is that of `record`; a package is never the whole repository. */
export async function pushDeletion(
  ports: Pick<Ports, 'app' | 'seals'>,
  git: Git,
  {
    record,
    title,
    base,
    ...place
  }: Pick<BranchCommit, 'branch' | 'expect'> & {
    readonly record: DeletionRecord;
    readonly title: string;
    readonly base: string;
  },
  signal?: AbortSignal,
): Promise<PushedCommit> {
  const below = `${record.directory}/`;
  const paths = (await git.changedPaths(null, base, signal)).filter(({ path }) => path.startsWith(below));
  const commit: BranchCommit = {
    ...place,
    parents: [base],
    changes: new Map(paths.map(({ path }) => [path, null])),
    message: (at) => sealedCommitMessage(title, record, at, ports.seals),
  };
  return pushCommit(ports, git, commit, signal);
}
