import type { PackageFile } from '../../package/package.ts';
import { sealOf } from '../../revision/sealed-record.ts';
import type { CommitInfo, FileChanges } from '../git-port.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushOnHead, type HeadCommit } from '../repository/push-commit.ts';
import { pushRefusal } from '../repository/refused-push.ts';
import { RENDER_SEAL } from '../seal/bot-commit.ts';
import type { RenderedPackage } from './proposal-render.ts';

export type RenderCommit =
  /** The branch holds the rendered packages. `pushed` when it took a commit of ours. */
  | { readonly state: 'rendered'; readonly head: CommitInfo; readonly pushed: boolean }
  /** The rendered content is not on the branch, and Portico may not put it there. */
  | {
      readonly state: 'withheld';
      readonly head: CommitInfo;
      /** A sentence. */
      readonly reason: string;
      /** What the branch lacks, for `git apply`; files that are not text are only named. */
      readonly patch: string;
      readonly opaque: readonly string[];
    };

/**
 * Puts the rendered packages on the proposal's branch as one commit, by compare-and-swap. Throws REF_MOVED (try
 * again) when somebody pushed meanwhile.
 */
export async function pushRendered(
  { ports, access: { git }, signal }: RepositoryWork<'app' | 'seals' | 'content', 'git'>,
  snapshot: ProposalSnapshot,
  rendered: readonly RenderedPackage[],
): Promise<RenderCommit> {
  const { head, pull } = snapshot;
  const changes: FileChanges = new Map(rendered.flatMap((one) => [...one.changes]));
  if (changes.size === 0) return { state: 'rendered', head, pushed: false };
  if (!snapshot.writable) {
    const reason = 'The proposal comes from a fork, where Portico may not write.';
    return withhold({ ports, git, head, reason, changes, signal });
  }
  const names = rendered.filter((one) => one.changes.size > 0).map((one) => one.package.path);
  const subject = `Render ${names.join(', ')}`;
  const answer = await commitRendered({ ports, access: { git }, signal }, snapshot, subject, changes);
  if (answer.kind === 'pushed')
    return { state: 'rendered', head: await git.commit(answer.oid, signal), pushed: true };
  const { message, hint } = pushRefusal(pull.headRef, answer.rejected);
  return withhold({ ports, git, head, reason: `${message} ${hint}`, changes, signal });
}

/** One commit on the proposal's branch with what follows from what is below it. Throws REF_MOVED (try again). */
export async function commitRendered(
  { ports, access: { git }, signal }: RepositoryWork<'app' | 'seals', 'git'>,
  { head, pull }: Pick<ProposalSnapshot, 'head' | 'pull'>,
  subject: string,
  changes: FileChanges,
): ReturnType<typeof pushOnHead> {
  const commit: HeadCommit = {
    branch: pull.headRef,
    parents: [head.oid],
    changes,
    message: (place) =>
      `${subject}\n\n${RENDER_SEAL}${sealOf({ of: 'render', at: place }, '', ports.seals)}\n`,
  };
  return await pushOnHead(ports, git, commit, signal);
}

async function withhold({
  ports: { content },
  git,
  head,
  reason,
  changes,
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly head: CommitInfo;
  readonly reason: string;
  readonly changes: FileChanges;
  readonly signal: AbortSignal | undefined;
}): Promise<RenderCommit> {
  const before = new Map<string, PackageFile>();
  const now = new Map<string, PackageFile>();
  for (const [path, after] of changes) {
    const bytes = await git.readFile(head.oid, path, signal);
    if (bytes !== null) before.set(path, { mode: after?.mode ?? '100644', bytes });
    if (after !== null) now.set(path, after);
  }
  return { state: 'withheld', head, reason, ...(await content.patch({ before, after: now }, signal)) };
}
