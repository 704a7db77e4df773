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
  summary: 'Merge the proposal and tag a new revision of each package in it.',
  examples: [
    { line: '/portico publish', does: 'publishes if this content has its checks and approvals' },
    { line: '/portico publish @1a2b3c4', does: 'publishes only if this is still the head commit' },
    {
      line: '/portico publish minor',
      does: 'in a repository with SemVer versioning, says which part of the version increases',
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
    const { digest = '', approvals } = state;
    const elsewhere = (approvals.accepted ?? []).map(({ login, where }) => `${login} in ${where}`);
    return {
      kind: 'do',
      steps: [
        {
          do: 'merge',
          sha: pull.headSha,
          digest,
          ...(typeof bump === 'string' && { bump }),
          ...(elsewhere.length > 0 && { approvedElsewhere: elsewhere }),
        },
      ],
    };
  },
};

function bumpOf({ config, packages }: CommandState, word: string | undefined): Bump | Refusal | undefined {
  const bump = (['major', 'minor', 'patch'] as const).find((part) => part === word);
  if (word !== undefined && bump === undefined) {
    const hint = config.versioning === 'semver' ? 'Use major, minor or patch.' : 'Remove it.';
    return refuse('unexpected-argument', `${shown(word)} is not expected here`, hint);
  }
  if (config.versioning === 'semver' && bump === undefined && !onlyRemoves({ packages })) {
    return refuse(
      'bump-missing',
      'this repository uses SemVer versions',
      'Say which part of the version increases: major, minor or patch.',
    );
  }
  if (config.versioning === 'sequence' && bump !== undefined) {
    return refuse('bump-unused', 'this repository numbers its revisions v1, v2, v3', `Remove ${bump}.`);
  }
  return bump;
}
