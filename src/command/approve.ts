import { isSameAccount } from './account.ts';
import { shown } from './arguments.ts';
import type { AuthorBecause } from './author.ts';
import type { AnywhereCommand } from './command.ts';
import { wouldAct } from './fits.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { refuse } from './refusal.ts';
import { APPROVERS, approveRetirement } from './retirement.ts';

/** Why somebody cannot approve, as it is told to that person. */
const OWN_PART: Record<AuthorBecause, string> = {
  opened: 'you opened this pull request',
  pushed: 'you pushed part of this content',
  merged: 'one of your pull requests was merged into this branch',
  asked: 'one of your commands made part of this content',
  beneath: 'you pushed changes to the base branch that its next revision will publish',
};

export const approve: AnywhereCommand = {
  ...APPROVERS,
  usage: 'approve [@commit | <package>@<revision>]',
  summary:
    'Approve exactly this content, like an approving review; in an issue, approve the retirement of a revision.',
  examples: [
    { line: '/portico approve', does: 'approves the head commit that you see' },
    { line: '/portico approve @1a2b3c4', does: 'approves only if this is still the head commit' },
  ],
  accepts: { positional: 1, commit: true },
  contexts: 'pull-or-issue',
  guard: 'content',
  fits: (state) => wouldAct(approve, state),
  decide(state, { positional: [name] }) {
    const { caller, config, checks, digest, approvals, place: pull } = state;
    if (pull.kind === 'issue') return approveRetirement(state, name);
    if (name !== undefined) {
      return refuse('unexpected-argument', `${shown(name)} is not expected here`, 'Remove it.');
    }
    const problem = lifecycleProblem(pull, 'approve');
    if (problem !== undefined) return problem;
    const own = approvals.authors.find((author) => isSameAccount(author, caller));
    if ((caller.isAuthor || own !== undefined) && !config.publish.allowSelfApproval) {
      const why =
        own === undefined ? 'you opened this pull request, or had it opened' : OWN_PART[own.because];
      return refuse('self-approval', why, 'Someone else must approve it.');
    }
    // Without finished checks of this very content there is nothing that an approval could be bound to.
    if (
      digest === undefined ||
      checks.digest !== digest ||
      checks.state === 'pending' ||
      checks.state === 'absent'
    ) {
      return refuse(
        'not-checked',
        'the checks for this content have not finished',
        'Approve it when they have.',
      );
    }
    if (
      approvals.digest === digest &&
      approvals.counted.some((given) => given.login.toLowerCase() === caller.login.toLowerCase())
    ) {
      // It may count because this very command wrote it and did not get to the end: what shows it follows now.
      return {
        kind: 'do',
        steps: [{ do: 'render' }],
        reply: 'Your approval already counts for this content.',
      };
    }
    return {
      kind: 'do',
      steps: [{ do: 'record-approval', login: caller.login, digest, head: pull.headSha }],
    };
  },
};
