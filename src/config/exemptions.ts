/** Which exemptions count on a day. They end by themselves; what was never going to end does not count at all. */
import { matchesGlob } from './glob.ts';
import type { Exemption, RepositoryConfig } from './repository-config.ts';

/** Nobody is exempt for longer from one decision: the document is renewed, and reviewed again. */
export const MAX_EXEMPT_DAYS = 366;

/** So long before its end an exemption is shown as ending soon. */
export const SOON_DAYS = 14;

const DAY = 86_400_000;

export type ExemptionState = 'in-force' | 'ends-soon' | 'expired' | 'too-long';

/** What an exemption is at a moment. The day that `until` names is its last, in UTC. */
export function exemptionState({ until }: Pick<Exemption, 'until'>, now: Date): ExemptionState {
  const left = Date.parse(`${until}T00:00:00Z`) + DAY - now.getTime();
  if (left <= 0) return 'expired';
  if (left > (MAX_EXEMPT_DAYS + 1) * DAY) return 'too-long';
  return left <= SOON_DAYS * DAY ? 'ends-soon' : 'in-force';
}

/** The exemptions that count at a moment. */
export function exemptionsInForce(
  { exemptions = [] }: Pick<RepositoryConfig, 'exemptions'>,
  now: Date,
): readonly Exemption[] {
  return exemptions.filter((one) => ['in-force', 'ends-soon'].includes(exemptionState(one, now)));
}

/** Those of a package, by its path below the registered directory. */
export function exemptionsOf(exemptions: readonly Exemption[], path: string): readonly Exemption[] {
  return exemptions.filter(({ packages }) => matchesGlob(path, packages));
}
