/** Pure: to which revision a downstream goes back, and whether its own configuration lets it. */
import { newestInRange } from '../../config/follow.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';

/** A way back that somebody ordered. */
export interface WayBack {
  /** The revision that it was at before; undefined where it was at no other. */
  readonly to: string | undefined;
  /** It was ordered in the repository that it is about. */
  readonly own: boolean;
  /** That repository obeys the documents of the one in which it was ordered. */
  readonly obeyed: boolean;
  /** Markdown: which rollout, who ordered it, and what failed. */
  readonly because?: string;
}

/**
 * What was ordered elsewhere is obeyed where the base configuration says so; and only who follows whatever is newest is
 * led back: a pin and a channel say where to be.
 */
export function isLedBack(follow: UpdatePolicy['follow'], { to, own, obeyed }: WayBack): boolean {
  if (own) return true;
  const isIn = follow.kind === 'range' && to !== undefined && newestInRange(follow.range, [to]) !== undefined;
  return obeyed && (follow.kind === 'latest' || isIn);
}

/**
 * The revision that a downstream goes back to: the latest that it was at before this one, is older, still has its tag and was not
 * withdrawn itself. Undefined where there is none.
 */
export function wayBackFrom(
  current: string,
  history: readonly string[],
  {
    available,
    isWithdrawn,
  }: { readonly available: readonly string[]; readonly isWithdrawn: (name: string) => boolean },
): string | undefined {
  return history.find((name) => isOlder(name, current) && available.includes(name) && !isWithdrawn(name));
}

/** True where both are revisions and the first comes before the second. */
export function isOlder(one: string, other: string): boolean {
  const a = parseRevisionName(one);
  const b = parseRevisionName(other);
  return a !== undefined && b !== undefined && compareRevisions(a, b) < 0;
}
