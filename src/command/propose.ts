import type { PullCommand } from './command.ts';
import { wouldAct } from './fits.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { missing, PROPOSERS, refuseMissing } from './readiness.ts';

export const propose: PullCommand = {
  ...PROPOSERS,
  usage: 'propose [@commit]',
  summary: 'Mark the draft as ready for approval; refused while its checks fail or have not finished.',
  examples: [{ line: '/portico propose', does: 'marks the draft as ready for review' }],
  accepts: { commit: true },
  contexts: 'pull',
  guard: 'head',
  fits: (state) => wouldAct(propose, state),
  decide(state, _args, pull) {
    return (
      lifecycleProblem(pull, 'propose') ??
      refuseMissing(missing(state, pull, 'propose')) ?? { kind: 'do', steps: [{ do: 'mark-ready' }] }
    );
  },
};
