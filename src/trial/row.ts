import type { TrialStage } from './stage.ts';

/**
 * What playing a row showed. `not seen`: the forge was asked and could not show it; `not asked`: nothing that the trial can do
 * would show it. Both say why, and are no fault.
 */
export type Verdict = 'as believed' | 'otherwise' | 'not seen' | 'not asked';

export interface Seen {
  readonly verdict: Verdict;
  /** One sentence for a table. */
  readonly seen: string;
}

/** One thing that Portico assumes of GitHub. Up to 24 the numbers are those of docs/github.md; the others follow there. */
export interface Row {
  readonly number: number;
  readonly belief: string;
  play(stage: TrialStage): Promise<Seen>;
}

/** A row as it was played. */
export interface PlayedRow extends Seen {
  readonly number: number;
  readonly belief: string;
}

export const asBelieved = (seen: string): Seen => ({ verdict: 'as believed', seen });
export const otherwise = (seen: string): Seen => ({ verdict: 'otherwise', seen });
export const notSeen = (seen: string): Seen => ({ verdict: 'not seen', seen });
export const notAsked = (seen: string): Seen => ({ verdict: 'not asked', seen });

/** `as believed` where that is so, with the same sentence. */
export const judged = (isSo: boolean, seen: string): Seen => (isSo ? asBelieved(seen) : otherwise(seen));
