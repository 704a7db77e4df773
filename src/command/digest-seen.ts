/** Pure: which content somebody could see at a moment, by the checks that stood at the commit. */
import { compareTimes } from './moment.ts';

/** A run of our aggregate check. One run speaks of one content for ever: other content gets a run of its own. */
export interface CheckedContent {
  readonly id: number;
  /** Content digest; '' where it could not be checked. */
  readonly digest: string;
  /** ISO 8601; null where the forge does not tell. */
  readonly startedAt: string | null;
}

/**
 * The content that our check named at that moment; undefined where there was no check yet, and where two runs of
 * different content meet in the second of the moment, because then nobody can tell which of them was seen.
 */
export function digestSeen(runs: readonly CheckedContent[], at: string): string | undefined {
  const until = runs
    .filter(({ startedAt }) => startedAt !== null && (compareTimes(startedAt, at) ?? 1) <= 0)
    .toSorted((a, b) => (compareTimes(a.startedAt ?? '', b.startedAt ?? '') ?? 0) || a.id - b.id);
  const before = until.findLastIndex(({ startedAt }) => compareTimes(startedAt ?? '', at) !== 0);
  const digests = new Set(until.slice(Math.max(0, before)).map(({ digest }) => digest));
  const [only] = digests;
  return digests.size === 1 && only !== '' ? only : undefined;
}
