/** Commits that commands make, and how a command that was carried out is known again. */

import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { CommitInfo, FileChanges, Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { pushCommit, type BranchCommit } from '../repository/push-commit.ts';
import { pushRefusal, refMoved } from '../repository/refused-push.ts';
import { commandRecord, sealedCommitMessage, type CommandRecord } from '../seal/commit-seal.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';

/** A branch of more commits of its own is not looked through. */
const HISTORY = 300;

/** The commit that this very command made on a branch; null where it made none yet. */
export async function madeBefore({
  ports: { seals },
  git,
  range,
  asked,
  directory,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly git: Git;
  readonly range: { readonly from: string; readonly to: string };
  readonly asked: Pick<CommandRequest, 'id' | 'index'>;
  readonly directory: RepositoryDirectory;
  readonly signal?: AbortSignal | undefined;
}): Promise<{ readonly commit: CommitInfo; readonly record: CommandRecord } | null> {
  for (const commit of await git.log(range, { firstParent: true, limit: HISTORY }, signal)) {
    const record = commandRecord(commit, seals);
    if (record?.comment === asked.id && record.index === asked.index && record.directory === directory) {
      return { commit, record };
    }
  }
  return null;
}

/**
 * Commits changes on top of `parent` and moves the branch there, which must stand at `expect` (null: must not be). The
 * answer is null when it is done, else why not. Throws REF_MOVED (try again) when somebody else was faster.
 */
export async function commitByCommand(
  ports: Pick<Ports, 'app' | 'seals'>,
  git: Git,
  commit: {
    readonly branch: string;
    readonly parent: string;
    readonly expect: string | null;
    readonly changes: FileChanges;
    readonly title: string;
    /** Trailers that people read, such as `Restored-From: v7`. */
    readonly trailers: readonly string[];
    readonly record: CommandRecord;
  },
  signal?: AbortSignal,
): Promise<StepOutcome | null> {
  const { branch, parent, expect, changes, record } = commit;
  const text = [commit.title, '', ...commit.trailers, `Requested-By: ${record.by}`].join('\n');
  const message: BranchCommit['message'] = (place) => sealedCommitMessage(text, record, place, ports.seals);
  const answer = await pushCommit(
    ports,
    git,
    { branch, expect, parents: [parent], changes, message },
    signal,
  );
  if (answer.kind === 'pushed') return null;
  if (answer.kind === 'moved') throw refMoved(branch);
  return { kind: 'failed', ...pushRefusal(branch, answer.rejected) };
}
