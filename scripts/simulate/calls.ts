/**
 * What one update costs in calls, from its opening to its publication, in a deployment repository where one approval is asked for: as
 * `test/reconcile/update/calls-of-update.test.ts` counts them in a real run on the local forge, which fails where a step costs more.
 */
export interface Calls {
  /** Calls that create content. */
  readonly content: number;
  /** Other writes. */
  readonly writes: number;
  /** Reads by REST that something new is answered to: a 304 costs nothing of the hour. */
  readonly reads: number;
  /** Queries of GraphQL, of one point each: these have an hour of their own. */
  readonly graphql: number;
}

export const CALLS_OF_UPDATE = {
  /** Its pull request, its comment, and two checks. */
  opening: { content: 2, writes: 2, reads: 5, graphql: 2 },
  /** A person's review: both checks and the comment are changed. */
  approval: { content: 0, writes: 3, reads: 1, graphql: 1 },
  /** A person's merge: the comment and the description. */
  publishing: { content: 0, writes: 2, reads: 5, graphql: 12 },
} as const satisfies Readonly<Record<string, Calls>>;

/** One that comes without a pull request, from its commit to its tag: the check at it. */
export const CALLS_OF_DIRECT: Calls = { content: 0, writes: 1, reads: 16, graphql: 1 };

/** What publishing costs beside that where a release is made: as in other repositories than those for deployment. */
export const CALLS_OF_RELEASE: Calls = { content: 1, writes: 0, reads: 3, graphql: 0 };

/** All calls that count for the hour of REST. */
export function inAll({ content, writes, reads }: Calls): number {
  return content + writes + reads;
}
