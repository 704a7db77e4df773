import { parseBranch } from '../revision/ref-name.ts';
import type { AnywhereCommand } from './command.ts';
import { branchProblem, newDraft, packageHere } from './draft-here.ts';
import { isOwnDraft } from './fits.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';
import { readUpstream } from './upstream-wish.ts';

export const rebase: AnywhereCommand = {
  name: 'rebase',
  usage: 'rebase <upstream>[@<revision>] [--package=<path>] [--workspace=<name>]',
  summary:
    'Move a package to another upstream or revision with a three-way merge; conflicts are listed for you to settle.',
  examples: [
    { line: '/portico rebase acme/blueprints:postgres@v2', does: 'moves the package of this pull request' },
    {
      line: '/portico rebase postgres@v2 --package=apps/db',
      does: 'in an issue, opens a draft that moves apps/db',
    },
  ],
  accepts: { positional: 1, options: { package: 'value', workspace: 'value' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  fits: isOwnDraft,
  decide(state, { positional: [from], options }) {
    if (from === undefined) {
      return refuse(
        'no-upstream',
        'the upstream is missing',
        'Write /portico rebase acme/blueprints:postgres@v2.',
      );
    }
    const upstream = readUpstream(from);
    if (!('directory' in upstream)) return upstream;
    const named = options.get('package');
    const workspace = options.get('workspace');
    const written = typeof named === 'string' ? named : undefined;
    if (state.place.kind === 'pull' && workspace === undefined) {
      const problem = branchProblem(state) ?? updateProblem(state.place.headRef);
      if (problem !== undefined) return problem;
      const path = packageHere(state, written);
      if (typeof path !== 'string') return path;
      return {
        kind: 'do',
        steps: [{ do: 'change-draft', change: { kind: 'rebase', package: path, upstream } }],
      };
    }
    if (written === undefined) {
      return refuse('which-package', 'the package is missing', 'Name one with --package=apps/db.');
    }
    const path = readPackagePath(written);
    return typeof path === 'string' ? newDraft(path, workspace, { kind: 'rebase', upstream }) : path;
  },
};

/** An update is made again whenever its upstream or the branch moves, and says itself where the package stands. */
function updateProblem(headRef: string): Refusal | undefined {
  if (parseBranch(headRef)?.kind !== 'update') return undefined;
  return refuse(
    'update-branch',
    "this is an update from the package's current upstream",
    'Run it in a draft of the package, or in an issue with --package.',
  );
}
