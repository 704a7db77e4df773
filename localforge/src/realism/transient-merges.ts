import type { PullRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import type { Actor } from '../viewer.ts';
import { choose, happens } from './chances.ts';

export const BASE_MODIFIED = 'Base branch was modified. Review and try the merge again.';
export const NOT_MERGEABLE = 'Pull Request is not mergeable';

/** After so many refusals of one pull request in a row it is merged. */
const MAX_IN_A_ROW = 2;

const refused = new WeakMap<ForgeContext, Map<number, number>>();

/**
 * The words of a 405 that passes by itself, where this merge gets one. "Base branch was modified" is a race with the job
 * that computes mergeability, not a rule (cli/cli#8092, NixOS/nixpkgs-merge-bot#179, quipper/monorepo-deploy-actions#499);
 * "not mergeable" is also said while that job has not ended. By chance it meets Apps alone: people press the button again.
 */
export function transientRefusal(
  context: ForgeContext,
  pull: PullRecord,
  { kind }: Pick<Actor, 'kind'>,
): string | undefined {
  const { nextMerges } = context.knobs;
  if (nextMerges !== null && nextMerges.times > 0) {
    nextMerges.times -= 1;
    return nextMerges.message;
  }
  const counts = refused.get(context) ?? new Map<number, number>();
  refused.set(context, counts);
  const before = counts.get(pull.id) ?? 0;
  if (kind !== 'installation' || before >= MAX_IN_A_ROW || !happens(context, 'transientMerges')) {
    counts.delete(pull.id);
    return undefined;
  }
  counts.set(pull.id, before + 1);
  return choose(context, 'transientMerges', [BASE_MODIFIED, NOT_MERGEABLE]);
}
