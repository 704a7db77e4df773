import type { ForgeContext } from '../context.ts';
import { happens } from './chances.ts';

/**
 * `updated_at` of something that was made at `now`. GitHub's two times may differ though nobody edited it
 * (palantir/policy-bot#459, ptsochantaris/trailer#43).
 */
export function firstUpdate(context: ForgeContext, now: string): string {
  if (!happens(context, 'movedTimes')) return now;
  return new Date(Date.parse(now) + 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
}
