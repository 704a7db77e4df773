import type { PullCommand } from './command.ts';

export const cancel: PullCommand = {
  name: 'cancel',
  usage: 'cancel',
  summary: "Stop Portico's work on this pull request; a push or /portico render starts it again.",
  examples: [{ line: '/portico cancel', does: 'stops a render that takes too long' }],
  accepts: {},
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull',
  guard: 'open',
  decide: ({ caller }) => ({ kind: 'do', steps: [{ do: 'cancel-work', login: caller.login }] }),
};
