/** Which proposals a merge queue puts together, as its branches in git tell it. */
import type { Git } from '../git-port.ts';
import type { Job } from '../job.ts';
import { mergeGroupJob } from '../jobs.ts';
import type { RepositoryAccess } from '../ports.ts';

const QUEUE = 'refs/heads/gh-readonly-queue/';

/** Proposals before a group that are judged with it; GitHub merges at most 100 at once. */
const MAX_MEMBERS = 100;

/** One proposal of a queue: what it brings on top of the proposals before it. */
export interface QueueMember {
  readonly number: number;
  /** The branch of its group. */
  readonly ref: string;
  /** The group's commit, and what that is built on. */
  readonly head: string;
  readonly base: string;
}

/** The pull request that a queue's branch is for, `gh-readonly-queue/main/pr-7-<commit>`; undefined for any other name. */
export function pullOfQueueBranch(ref: string): number | undefined {
  const [, number] = /\/pr-(\d{1,15})-[0-9a-f]{40,64}$/.exec(ref) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * The proposals that a group brings to the branch, in the order of the queue, its own last: those before it merge with it. Null
 * where the queue's branches do not explain what the group is built on.
 */
export async function membersOf(
  git: Git,
  branch: string,
  group: { readonly headRef: string; readonly headSha: string; readonly baseSha: string },
  signal?: AbortSignal,
): Promise<readonly QueueMember[] | null> {
  const number = pullOfQueueBranch(group.headRef);
  const tip = await git.resolve(`refs/heads/${branch}`, signal);
  if (number === undefined || tip === null) return null;
  const waiting = [...(await git.refs(`${QUEUE}${branch}/`, signal))].flatMap(([ref, { commit }]) => {
    const pull = pullOfQueueBranch(ref);
    return pull === undefined ? [] : [{ number: pull, ref, head: commit }];
  });
  const members: QueueMember[] = [{ number, ref: group.headRef, head: group.headSha, base: group.baseSha }];
  for (;;) {
    const { base } = members[0] as QueueMember;
    if (await git.isAncestor(base, tip, signal)) return members;
    const ahead = waiting.find(({ head }) => head === base);
    if (ahead === undefined || members.length >= MAX_MEMBERS) return null;
    members.unshift({ ...ahead, base: await baseOf(git, ahead.head, { tip, waiting }, signal) });
  }
}

/**
 * True where a commit is at a branch of people. Anyone who can push can name a branch as a queue does, and a check that is written
 * for the proposal that it names would count at their own commit.
 */
export async function isOnBranch(git: Git, oid: string, signal?: AbortSignal): Promise<boolean> {
  const refs = [...(await git.refs('refs/heads/', signal))];
  return refs.some(([ref, { commit }]) => commit === oid && !ref.startsWith(QUEUE));
}

/** True where the tree of a group is what git makes of its base and the head of its proposal, as the forge merges them. */
export async function isMergeOf(
  git: Git,
  { base, tree }: Pick<QueueMember, 'base'> & { readonly tree: string },
  headSha: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if ((await git.resolve(headSha, signal)) === null) return false;
  const merged = await git.mergeTrees(base, headSha, {}, signal);
  return merged.conflicts.length === 0 && merged.tree === tree;
}

/** What a group of the queue is built on: the newest commit of its first parents that another group, or the branch, is at. */
async function baseOf(
  git: Git,
  head: string,
  { tip, waiting }: { readonly tip: string; readonly waiting: readonly { readonly head: string }[] },
  signal: AbortSignal | undefined,
): Promise<string> {
  const heads = new Set(waiting.map((one) => one.head));
  const log = await git.log({ from: tip, to: head }, { firstParent: true }, signal);
  const before = log.slice(1).find(({ oid }) => heads.has(oid));
  return before?.oid ?? (await git.mergeBase(tip, head, signal)) ?? head;
}

/** Jobs that judge again the queue that a proposal waits in; none where it waits in none. */
export async function groupsWith(
  { git, ref: repository }: Pick<RepositoryAccess, 'git' | 'ref'>,
  number: number,
  signal?: AbortSignal,
): Promise<readonly Job[]> {
  const refs = [...(await git.refs(QUEUE, signal))];
  const own = refs.find(([ref]) => pullOfQueueBranch(ref) === number);
  if (own === undefined) return [];
  const branch = own[0].slice(QUEUE.length).replace(/\/pr-[^/]*$/, '');
  const tip = await git.resolve(`refs/heads/${branch}`, signal);
  if (tip === null) return [];
  const waiting = refs
    .filter(([ref]) => ref.startsWith(`${QUEUE}${branch}/pr-`))
    .map(([ref, { commit }]) => ({ ref, head: commit }));
  const jobs: Job[] = [];
  for (const { ref: headRef, head: headSha } of waiting.slice(0, MAX_MEMBERS)) {
    // Merged in the meantime: nothing is left to judge.
    if (await git.isAncestor(headSha, tip, signal)) continue;
    const baseSha = await baseOf(git, headSha, { tip, waiting }, signal);
    jobs.push(mergeGroupJob(repository, { headSha, headRef, baseSha, baseRef: `refs/heads/${branch}` }));
  }
  return jobs;
}
