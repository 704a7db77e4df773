import type { Bump } from '../revision/numbering.ts';
import { shown } from './arguments.ts';
import type { CommandState } from './command-state.ts';
import type { PullCommand } from './command.ts';
import { wouldAct } from './fits.ts';
import { lifecycleProblem } from './lifecycle.ts';
import { missing, onlyRemoves, refuseMissing } from './readiness.ts';
import { type Refusal, refuse } from './refusal.ts';

export const publish: PullCommand = {
  name: 'publish',
  usage: 'publish [major|minor|patch] [@commit]',
  summary: 'Merge the proposal and tag a revision of each package in it.',
  examples: [
    { line: '/portico publish', does: 'publishes once checks and approvals of this content are there' },
    { line: '/portico publish @1a2b3c4', does: 'publishes only if this is still the head' },
    {
      line: '/portico publish minor',
      does: 'says which part goes up, where the repository numbers by SemVer',
    },
  ],
  accepts: { positional: 1, commit: true },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull',
  guard: 'head',
  merges: true,
  fits: (state) => wouldAct(publish, state),
  decide(state, { positional }, pull) {
    const bump = bumpOf(state, positional[0]);
    const problem =
      (typeof bump === 'object' ? bump : undefined) ??
      // A draft is refused together with what else is missing.
      (pull.draft ? undefined : lifecycleProblem(pull, 'publish')) ??
      refuseMissing(missing(state, pull, 'publish'));
    if (problem !== undefined) return problem;
    // The checks are of this digest, so there is one.
    const { digest = '' } = state;
    return {
      kind: 'do',
      steps: [{ do: 'merge', sha: pull.headSha, digest, ...(typeof bump === 'string' && { bump }) }],
    };
  },
};

function bumpOf({ config, packages }: CommandState, word: string | undefined): Bump | Refusal | undefined {
  const bump = (['major', 'minor', 'patch'] as const).find((part) => part === word);
  if (word !== undefined && bump === undefined) {
    const hint = config.versioning === 'semver' ? 'Say major, minor or patch.' : 'Leave it out.';
    return refuse('unexpected-argument', `${shown(word)} is not expected here`, hint);
  }
  if (config.versioning === 'semver' && bump === undefined && !onlyRemoves({ packages })) {
    return refuse(
      'bump-missing',
      'this repository numbers by SemVer',
      'Say which part goes up: major, minor or patch.',
    );
  }
  if (config.versioning === 'sequence' && bump !== undefined) {
    return refuse('bump-unused', 'this repository counts its revisions: v1, v2, v3', `Leave out ${bump}.`);
  }
  return bump;
}
