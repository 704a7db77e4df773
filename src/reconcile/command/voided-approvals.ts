/**
 * What an answer says of approvals that its command has made void, and of those that its giver cannot give any more: people learn
 * it there, not from a check that fails later.
 */
import { isSameAccount, type Account } from '../../command/account.ts';
import { approvalRemedy } from '../../command/approval-state.ts';
import { isAuthor } from '../../command/author.ts';
import { authorize } from '../../command/authorize.ts';
import { APPROVERS } from '../../command/retirement.ts';
import type { Step } from '../../command/step.ts';
import type { Git } from '../git-port.ts';
import type { RepositoryWork } from '../ports.ts';
import { askersOf } from '../review/authors.ts';
import { code } from '../text/markdown-blocks.ts';
import type { CommandPlace } from './place.ts';

/** A sentence, or '' if each approval still counts. `place` is as it was before the steps. */
export async function voidedApprovals(
  git: Pick<Git, 'resolve' | 'commit'>,
  { state, snapshot }: CommandPlace,
  steps: readonly Step[],
  signal?: AbortSignal,
): Promise<string> {
  const approvers = state.approvals.counted.map(({ login }) => code(login));
  if (snapshot === null || approvers.length === 0) return '';
  const given = `approval of ${approvers.join(', ')}`;
  // Another job pushes the update after this answer.
  if (steps.some((step) => step.do === 'request-update')) {
    return `When the update changes the content, it needs a new approval: the ${given} is for the content before.`;
  }
  const now = await git.resolve(`refs/heads/${snapshot.pull.headRef}`, signal);
  if (now === null || now === snapshot.head.oid || !snapshot.writable) return '';
  const isSame = (await git.commit(now, signal)).tree === snapshot.head.tree;
  return isSame
    ? ''
    : `It needs a new approval: the ${given} was for the content before this commit, and no longer counts.`;
}

/**
 * That a command which committed makes its giver an author, whose approval does not count; '' where the giver was one before, or
 * could not approve anyway.
 */
export async function newAuthor(
  { ports, access: { git }, signal }: RepositoryWork<'seals', 'git'>,
  { state, snapshot }: CommandPlace,
  caller: Account,
  steps: readonly Step[],
): Promise<string> {
  const { approvals, config } = state;
  if (snapshot === null || approvals.required === 0 || config.publish.allowSelfApproval) return '';
  if (isAuthor(approvals.authors, caller)) return '';
  if (authorize(config, APPROVERS, state.caller).kind !== 'allowed') return '';
  // Another job pushes the update after this answer.
  if (steps.some((step) => step.do === 'request-update'))
    return 'The update makes you an author of its pull request, so your approval of that does not count.';
  const now = await git.resolve(`refs/heads/${snapshot.pull.headRef}`, signal);
  if (now === null || now === snapshot.head.oid || !snapshot.writable) return '';
  const made = await git.log({ from: snapshot.head.oid, to: now }, { limit: MAX_MADE }, signal);
  if (!made.some((commit) => isAuthorOf(askersOf(commit, ports.seals), caller))) return '';
  const remedy = approvalRemedy(config, { authors: [...approvals.authors, { ...caller, because: 'asked' }] });
  return `This commit makes you an author of this pull request, so your approval of it does not count. ${remedy}`;
}

function isAuthorOf(askers: readonly Account[], caller: Account): boolean {
  return askers.some((one) => isSameAccount(one, caller));
}

/** Commits that one command makes. */
const MAX_MADE = 20;
