import type { PullCommand } from './command.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { refuse } from './refusal.ts';

export const reject: PullCommand = {
  name: 'reject',
  usage: 'reject <why>',
  summary: 'Make the proposal a draft again and void its approvals.',
  examples: [
    { line: '/portico reject the quota is too high', does: 'returns the proposal with this reason' },
  ],
  accepts: { text: true },
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull',
  // Taking something back is safe whatever was pushed meanwhile.
  guard: 'open',
  decide({ caller }, { text }, pull) {
    const problem = lifecycleProblem(pull, 'reject');
    if (problem !== undefined) return problem;
    if (text === '')
      return refuse('no-reason', 'a rejection needs a reason', 'Write /portico reject and why.');
    return {
      kind: 'do',
      steps: [
        { do: 'convert-to-draft' },
        { do: 'record-rejection', login: caller.login, why: text, head: pull.headSha },
      ],
    };
  },
};
