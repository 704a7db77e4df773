import type { PullCommand } from './command.ts';

export const cancel: PullCommand = {
  name: 'cancel',
  usage: 'cancel',
  summary: 'Stop what Portico is doing about this pull request; a push or /portico render starts it again.',
  examples: [{ line: '/portico cancel', does: 'ends a render that takes too long' }],
  accepts: {},
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull',
  guard: 'open',
  decide: ({ caller }) => ({ kind: 'do', steps: [{ do: 'cancel-work', login: caller.login }] }),
};
