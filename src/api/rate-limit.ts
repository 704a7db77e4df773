/** How many requests one caller may make: a bucket for each, filled evenly. */

export interface RateLimit {
  /** Takes one; 0 where there was one, else the seconds until there is. */
  take(caller: string): number;
}

/** Callers that are remembered; whoever is forgotten had the oldest request, and begins with a full bucket. */
const MAX_CALLERS = 10_000;

/** `perMinute` at once, and as many in each minute. */
export function createRateLimit(perMinute: number, now: () => number): RateLimit {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return {
    take(caller) {
      const at = now();
      const known = buckets.get(caller);
      const filled =
        known === undefined ? perMinute : known.left + (Math.max(0, at - known.at) * perMinute) / 60_000;
      const left = Math.min(perMinute, filled);
      const isAllowed = left >= 1;
      buckets.delete(caller);
      buckets.set(caller, { left: isAllowed ? left - 1 : left, at });
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_CALLERS && oldest !== undefined) buckets.delete(oldest);
      return isAllowed ? 0 : Math.max(1, Math.ceil(((1 - left) * 60) / perMinute));
    },
  };
}
