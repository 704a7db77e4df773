import { shown } from './arguments.ts';
import type { PullCommand } from './command.ts';
import { branchProblem, packageHere } from './draft-here.ts';
import { isOwnDraft } from './fits.ts';
import { refuse } from './refusal.ts';

const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._/-]*(?::[A-Za-z0-9._-]+)?(?:@sha256:[0-9a-f]{64})?$/;

export const evaluate: PullCommand = {
  name: 'eval',
  usage: 'eval <function> [<key>=<value>…] [--package=<path>]',
  summary: 'Run a function once on the package of this pull request, and commit its changes.',
  examples: [
    { line: '/portico eval set-labels:v0.2 team=platform', does: 'adds a label to every resource' },
    {
      line: '/portico eval set-namespace:v0.4 namespace=shop --package=apps/web',
      does: 'names the package, for a pull request that changes several',
    },
  ],
  accepts: { positional: 1, values: true, options: { package: 'value' } },
  minimumRole: 'write',
  mayAlso: ['author'],
  contexts: 'pull',
  // The function runs on whatever the branch holds then; approvals are for content, so none survives it.
  guard: 'open',
  fits: isOwnDraft,
  decide(state, { positional: [image], values, options }) {
    if (image === undefined) {
      return refuse(
        'no-function',
        'the function is missing',
        'Write /portico eval set-labels:v0.2 team=platform.',
      );
    }
    if (!IMAGE.test(image)) {
      return refuse(
        'bad-function',
        `${shown(image)} is not a function`,
        'Write a function such as set-labels:v0.2.',
      );
    }
    const problem = branchProblem(state);
    if (problem !== undefined) return problem;
    const named = options.get('package');
    const path = packageHere(state, typeof named === 'string' ? named : undefined);
    if (typeof path !== 'string') return path;
    return {
      kind: 'do',
      steps: [{ do: 'change-draft', change: { kind: 'eval', package: path, image, values } }],
    };
  },
};
