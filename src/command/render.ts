import type { PullCommand } from './command.ts';
import { wouldAct } from './fits.ts';

export const render: PullCommand = {
  name: 'render',
  usage: 'render',
  summary: 'Render and check the head commit again.',
  examples: [{ line: '/portico render', does: 'runs pipelines and guardrails again' }],
  accepts: {},
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull',
  // Whatever the head is now is what shall be rendered.
  guard: 'open',
  fits: (state) => wouldAct(render, state),
  decide: () => ({ kind: 'do', steps: [{ do: 'render' }] }),
};
