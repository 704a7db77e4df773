import type { SealedPlace } from '../../revision/sealed-record.ts';
import type { FileChanges, Git, RejectedRef } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { botPerson } from '../seal/bot-commit.ts';
import { refMoved, wasOvertaken } from './refused-push.ts';

export interface BranchCommit {
  readonly branch: string;
  /** The commit at which the branch stands; null where there is no such branch. */
  readonly expect: string | null;
  /** Ids of commits; the tree that is changed is that of the first, or of `onto`. */
  readonly parents: readonly [string, ...string[]];
  readonly onto?: string;
  readonly changes: FileChanges;
  /** The whole message, with a seal of the place. */
  readonly message: (place: SealedPlace) => string;
}

/** On a branch that stands at the first parent. */
export type HeadCommit = Omit<BranchCommit, 'expect'>;

export type PushedCommit =
  | { readonly kind: 'pushed'; readonly oid: string }
  /** The branch is not where it was expected: somebody else was faster, or has a branch of that name. */
  | { readonly kind: 'moved' }
  /** The forge does not take it: protected, or the App may not. */
  | { readonly kind: 'refused'; readonly rejected: RejectedRef };

/** Makes a commit in Portico's name and moves a branch to it by compare-and-swap. Every answer is the caller's to tell. */
export async function pushCommit(
  { app }: Pick<Ports, 'app'>,
  git: Pick<Git, 'repository' | 'writeTree' | 'commitTree' | 'push'>,
  { branch, expect, parents, onto = parents[0], changes, message }: BranchCommit,
  signal?: AbortSignal,
): Promise<PushedCommit> {
  const tree = await git.writeTree(onto, changes, signal);
  const text = message({ repository: git.repository, tree, parents });
  const oid = await git.commitTree({ tree, parents, message: text, committer: botPerson(app) }, signal);
  const answer = await git.push([{ ref: `refs/heads/${branch}`, to: oid, expect }], signal);
  if (answer.ok) return { kind: 'pushed', oid };
  const rejected = answer.rejected.find((one) => !wasOvertaken(one));
  return rejected === undefined ? { kind: 'moved' } : { kind: 'refused', rejected };
}

/**
 * Puts a commit on the branch of a proposal, whose head is the first of `parents`. Answers what was pushed, or why not.
 * @throws PorticoError REF_MOVED where somebody else was faster: the job runs again on what is there then
 */
export async function pushOnHead(
  ports: Pick<Ports, 'app'>,
  git: Parameters<typeof pushCommit>[1],
  commit: HeadCommit,
  signal?: AbortSignal,
): Promise<Exclude<PushedCommit, { kind: 'moved' }>> {
  const answer = await pushCommit(ports, git, { ...commit, expect: commit.parents[0] }, signal);
  if (answer.kind === 'moved') throw refMoved(commit.branch);
  return answer;
}
