/** What an answer says of approvals that its command has made void: people learn it there, not from a check that fails later. */
import type { Step } from '../../command/step.ts';
import type { Git } from '../git-port.ts';
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
