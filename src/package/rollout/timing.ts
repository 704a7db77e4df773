/** Pure: when the waves of a rollout open, as far as that can be told. Moments are milliseconds since 1970. */
import type { RolloutDownstream, RolloutPlan, WavePlan } from './plan.ts';
import type { Wave } from './rollout.ts';

export interface WaveTiming {
  /** When it opened, or when it will: certain. */
  readonly opensAt?: number;
  /** It opens no earlier than this, which is when it does if every gate before it holds at once. */
  readonly notBefore?: number;
  /** It fails then, if its gate does not hold. */
  readonly failsAt?: number;
}

/** For each wave of the plan, in its order. `resumedAt`: timeouts begin there. */
export function waveTimings<One extends RolloutDownstream>(
  plan: Pick<RolloutPlan<One>, 'state' | 'waves'>,
  written: readonly Pick<Wave, 'name' | 'gate' | 'pauseAfter'>[],
  { now, resumedAt = 0 }: { readonly now: number; readonly resumedAt?: number | undefined },
): readonly WaveTiming[] {
  const timings: WaveTiming[] = [];
  /** When the wave after those that were looked at opens at the earliest; undefined where nobody can tell. */
  let next: number | undefined;
  for (const wave of plan.waves) {
    const own = written.find(({ name }) => name === wave.name);
    const earliest = wave.opensAt ?? (plan.state === 'running' ? next : undefined);
    timings.push({
      ...(wave.opensAt !== undefined && { opensAt: wave.opensAt }),
      ...(wave.opensAt === undefined && earliest !== undefined && { notBefore: earliest }),
      ...failsAt(plan.state, wave, own?.gate.timeout, resumedAt),
    });
    next = wave.passesAt ?? leavesAt(wave, earliest, own?.pauseAfter ?? 0, now);
  }
  return timings;
}

/** Where its gate holds as soon as it can. */
function leavesAt<One extends RolloutDownstream>(
  { state, counted }: WavePlan<One>,
  earliest: number | undefined,
  pauseAfter: number,
  now: number,
): number | undefined {
  if (earliest === undefined || state === 'paused' || state === 'failed') return undefined;
  return Math.max(now, earliest) + (counted === 0 ? 0 : pauseAfter * 1_000);
}

function failsAt<One extends RolloutDownstream>(
  plan: RolloutPlan<One>['state'],
  { state, opensAt, awaitsApproval }: WavePlan<One>,
  timeout: number | undefined,
  resumedAt: number,
): Pick<WaveTiming, 'failsAt'> {
  const isTimed = plan === 'running' && state === 'open' && awaitsApproval !== true;
  if (!isTimed || opensAt === undefined || timeout === undefined) return {};
  return { failsAt: Math.max(opensAt, resumedAt) + timeout * 1_000 };
}
