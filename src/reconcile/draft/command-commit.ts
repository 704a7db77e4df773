import { PorticoError } from '../../error.ts';
import type { CommitInfo, FileChanges, Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { botPerson } from '../seal/bot-commit.ts';
/** Commits that commands make, and how a command that was carried out is known again. */
import { commandRecord, sealedCommitMessage, type CommandRecord } from '../seal/commit-seal.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { sentence } from '../text/markdown-blocks.ts';

/** A branch of more commits of its own is not looked through. */
const HISTORY = 300;

/** The commit that this very command made on a branch; null where it made none yet. */
export async function madeBefore(
  { seals }: Pick<Ports, 'seals'>,
  git: Git,
  range: { readonly from: string; readonly to: string },
  asked: Pick<CommandRequest, 'id' | 'index'>,
  directory: string,
  signal?: AbortSignal,
): Promise<{ readonly commit: CommitInfo; readonly record: CommandRecord } | null> {
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
  const { branch, parent, changes, record } = commit;
  const tree = await git.writeTree(parent, changes, signal);
  const parents = [parent];
  const text = [commit.title, '', ...commit.trailers, `Requested-By: ${record.by}`].join('\n');
  const message = sealedCommitMessage(
    text,
    record,
    { repository: git.repository, tree, parents },
    ports.seals,
  );
  const oid = await git.commitTree({ tree, parents, message, committer: botPerson(ports.app) }, signal);
  const answer = await git.push([{ ref: `refs/heads/${branch}`, to: oid, expect: commit.expect }], signal);
  if (answer.ok) return null;
  const [rejected] = answer.rejected;
  if (rejected === undefined || rejected.reason === 'stale' || rejected.reason === 'exists') {
    throw new PorticoError('REF_MOVED', `${branch} moved while a command was carried out`, {
      blame: 'forge',
      retryAfter: 1,
    });
  }
  return {
    kind: 'failed',
    message: `The forge refused the push to ${branch}: ${sentence(rejected.message)}`,
    hint:
      rejected.hint ??
      'Let the App push to this branch: a ruleset that forbids it must list the App as a bypass actor.',
  };
}
