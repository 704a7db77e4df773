import { shown } from './arguments.ts';
import type { AnywhereCommand } from './command.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { refuse } from './refusal.ts';
import { APPROVERS, approveRetirement } from './retirement.ts';

export const approve: AnywhereCommand = {
  ...APPROVERS,
  usage: 'approve [@commit | <package>@<revision>]',
  summary:
    'Approve exactly this content, as an approving review would; in an issue, that a revision is retired.',
  examples: [
    { line: '/portico approve', does: 'approves the head that you see' },
    { line: '/portico approve @1a2b3c4', does: 'approves only if this is still the head' },
  ],
  accepts: { positional: 1, commit: true },
  contexts: 'pull-or-issue',
  guard: 'head',
  decide(state, { positional: [name] }) {
    const { caller, config, checks, digest, approvals, place: pull } = state;
    if (pull.kind === 'issue') return approveRetirement(state, name);
    if (name !== undefined) {
      return refuse('unexpected-argument', `${shown(name)} is not expected here`, 'Leave it out.');
    }
    const problem = lifecycleProblem(pull, 'approve');
    if (problem !== undefined) return problem;
    if (caller.isAuthor && !config.publish.allowSelfApproval) {
      return refuse(
        'self-approval',
        'you opened this pull request, or had it opened',
        'Somebody else must approve it.',
      );
    }
    // Without finished checks of this very content there is nothing that an approval could be bound to.
    if (
      digest === undefined ||
      checks.digest !== digest ||
      checks.state === 'pending' ||
      checks.state === 'absent'
    ) {
      return refuse('not-checked', 'the checks of this content are not done', 'Approve when they are.');
    }
    const login = caller.login.toLowerCase();
    if (
      approvals.digest === digest &&
      approvals.counted.some((given) => given.login.toLowerCase() === login)
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
