/** Pure: what a rollout's comments are about, as their keys and hidden marks name it. */
import type { RolloutPlan } from '../../package/rollout/plan.ts';
import { digestOf } from '../../revision/digest.ts';
import type { Notice } from '../job.ts';
import type { RolloutLook } from './rollouts.ts';

export type AlarmLook = Pick<RolloutLook, 'governed' | 'revision' | 'orders'> & {
  readonly plan: Pick<RolloutPlan<never>, 'state' | 'why'> & {
    readonly waves: readonly Pick<
      RolloutPlan<never>['waves'][number],
      'name' | 'state' | 'opensAt' | 'why' | 'awaitsApproval'
    >[];
  };
};

/** `about` is a package, or the document where it has a mistake. */
export function aboutMark(about: string, revision: string, type: Notice['type']): string {
  return `<!-- portico:about ${shortHash(about)} ${shortHash(revision)} ${type} -->`;
}

export function shortHash(text: string): string {
  return digestOf('portico alarm about 1', [text]).slice(-16);
}

/** The upstream package of a rollout, as marks and keys name it. */
export function packageOf({ governed: { upstream, directory } }: Pick<AlarmLook, 'governed'>): string {
  return `${upstream.ref.id}:${directory}`;
}

/** Once for each wave and revision. */
export function approvalKey(look: Pick<AlarmLook, 'governed' | 'revision'>, wave: string): string {
  return `${look.governed.rollout.name} ${packageOf(look)}@${look.revision} approval ${wave}`;
}
