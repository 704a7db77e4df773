import type { AnywhereCommand } from './command.ts';
import { openPull } from './fits.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { refuse } from './refusal.ts';
import { rejectRetirement } from './retirement.ts';

export const reject: AnywhereCommand = {
  name: 'reject',
  usage: 'reject <why>',
  summary: 'Turn the proposal back into a draft and void its approvals; in an issue, keep the revision.',
  examples: [
    { line: '/portico reject the quota is too high', does: 'rejects the proposal with this reason' },
  ],
  accepts: { text: true },
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull-or-issue',
  // Taking something back is safe whatever was pushed meanwhile.
  guard: 'open',
  fits: (state) => openPull(state)?.draft === false,
  decide(state, { text: written }) {
    // A reason in quotes is the reason: it is shown in a block of its own.
    const text = written.replace(/^(["'])(.*)\1$/s, '$2').trim();
    const { caller, place: pull } = state;
    const problem = pull.kind === 'pull' ? lifecycleProblem(pull, 'reject') : undefined;
    if (problem !== undefined) return problem;
    if (text === '')
      return refuse('no-reason', 'the reason is missing', 'Write /portico reject followed by the reason.');
    if (pull.kind === 'issue') return rejectRetirement(state, text);
    return {
      kind: 'do',
      // The word first: broken off after it, the command can be taken up again, and in a draft it could not.
      steps: [
        { do: 'record-rejection', login: caller.login, why: text, head: pull.headSha },
        { do: 'convert-to-draft' },
      ],
    };
  },
};
