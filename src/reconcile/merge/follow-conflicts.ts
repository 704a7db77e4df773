/**
 * Conflicts that are none of their own. Where both sides changed a setter's value, both changed every field that the
 * setter writes: those follow the setter, and are settled with it.
 */
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import { bySource, otherSides, samePlaces } from '../../package/merge/follow.ts';
import type { PackageFiles } from '../../package/package.ts';

export interface Sorted<Found extends Conflict> {
  /** To be settled. */
  readonly conflicts: readonly Found[];
  /** In fields that functions write from what some of these are about. */
  readonly following: readonly Found[];
}

/**
 * Tries it: a field follows where the rendered package says the same there whichever side the field takes, and something
 * else once the pipeline and its configuration take the other side. `rendered` makes the merge with decisions, rendered;
 * null where that fails, and then each conflict stands for itself.
 */
export async function withoutFollowing<Found extends Conflict>(
  conflicts: readonly Found[],
  merged: PackageFiles,
  rendered: (decisions: ReadonlyMap<string, Choice>) => Promise<PackageFiles | null>,
): Promise<Sorted<Found>> {
  const all = { conflicts, following: [] };
  const { sources, others } = bySource(conflicts, merged);
  if (sources.length === 0 || others.length === 0) return all;
  const now = await rendered(new Map());
  const turned = now && (await rendered(otherSides(others)));
  if (now === null || turned === null) return all;
  const written = samePlaces(others, now, turned);
  if (written.length === 0) return all;
  const elsewhere = await rendered(otherSides(sources));
  if (elsewhere === null) return all;
  const still = new Set(samePlaces(written, now, elsewhere));
  const following = new Set(written.filter((one) => !still.has(one)));
  return { conflicts: conflicts.filter((one) => !following.has(one)), following: [...following] };
}
