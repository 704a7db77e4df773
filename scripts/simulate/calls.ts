/**
 * What one update costs in calls, from its opening to its release, where one approval is asked for: as
 * `test/reconcile/update/calls-of-update.test.ts` counts them in a real run on the local forge, which fails where a step costs more.
 */
export interface Calls {
  /** Calls that create content. */
  readonly content: number;
  /** Other writes. */
  readonly writes: number;
  /** Reads that something new is answered to: a 304 costs nothing of the hour. */
  readonly reads: number;
}

export const CALLS_OF_UPDATE = {
  /** Its pull request, its comment, and two checks. */
  opening: { content: 2, writes: 2, reads: 12 },
  /** A person's review: both checks and the comment are changed. */
  approval: { content: 0, writes: 3, reads: 6 },
  /** A person's merge: the release, the comment and the description. */
  publishing: { content: 1, writes: 2, reads: 18 },
} as const satisfies Readonly<Record<string, Calls>>;

/** All calls that count for the hour. */
export function inAll({ content, writes, reads }: Calls): number {
  return content + writes + reads;
}
