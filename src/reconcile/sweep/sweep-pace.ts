/** How fast the repositories of an installation are swept, so that looking for lost webhooks leaves room for the work. */

/** Reads of a sweep of a repository of which nothing is known any more, a few open pull requests among it. */
const CALLS = 12;
/** The part of the hourly limit that sweeps may take. */
const SHARE = 1 / 2;
/** Repositories that are swept without waiting for each other. */
const BATCH_SIZE = 50;

export interface SweepPace {
  /** From the beginning of one round to that of the next. */
  readonly minutes: number;
  /** Repositories that are begun in a minute. */
  readonly perMinute: number;
}

/**
 * The pace for so many repositories. What is unchanged costs nothing as long as a token lives, which is an hour (ETags are
 * good for one token: eclipse-csi/otterdog#201, github/docs#34689), so that each repository is paid for once an hour, or
 * once a round where that takes longer. The limit of an installation is 5,000 calls an hour, and 50 more for each repository
 * above 20, up to 12,500 (docs.github.com, "Rate limits for the REST API").
 */
export function sweepPace(repositories: number, wantedMinutes: number): SweepPace {
  const hourly = Math.min(12_500, 5_000 + 50 * Math.max(0, repositories - 20));
  const affordable = (repositories * CALLS * 60) / (hourly * SHARE);
  const minutes = affordable <= 60 ? wantedMinutes : Math.max(wantedMinutes, Math.ceil(affordable));
  return { minutes, perMinute: Math.max(BATCH_SIZE, Math.ceil(repositories / minutes)) };
}
