/**
 * Conflicts that are none of their own. Where both sides changed a setter's value, both changed every field that the
 * setter writes: those follow the setter, and are settled with it. Where the setter is decided (`portico-merge.yaml`), its
 * value stands in the field, and neither side of the field counts.
 */
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import { bySource, otherSides, samePlaces } from '../../package/merge/follow.ts';
import type { PackageFiles } from '../../package/package.ts';

export interface Sorted<Found extends Conflict> {
  /** To be settled. */
  readonly conflicts: readonly Found[];
  /** In fields that functions write, from what some of these are about or from what is decided. */
  readonly following: readonly Found[];
}

/**
 * Tries it: a field follows where the rendered package says the same there whichever side the field takes. Either that is
 * not what the side taken has, or it is something else once the pipeline and its configuration take the other side.
 * `rendered` makes the merge with decisions, rendered; null where that fails, and then each conflict stands for itself.
 */
export async function withoutFollowing<Found extends Conflict>(
  conflicts: readonly Found[],
  merged: PackageFiles,
  rendered: (decisions: ReadonlyMap<string, Choice>) => Promise<PackageFiles | null>,
): Promise<Sorted<Found>> {
  const all = { conflicts, following: [] };
  const { sources, others } = bySource(conflicts, merged);
  if (others.length === 0) return all;
  const now = await rendered(new Map());
  if (now === null) return all;
  const asTaken = samePlaces(others, merged, now);
  if (sources.length === 0 && asTaken.length === others.length) return all;
  const turned = await rendered(otherSides(others));
  if (turned === null) return all;
  const written = samePlaces(others, now, turned);
  if (written.length === 0) return all;
  const elsewhere = sources.length === 0 ? now : await rendered(otherSides(sources));
  if (elsewhere === null) return all;
  const still = new Set(samePlaces(asTaken, now, elsewhere));
  const following = new Set(written.filter((one) => !still.has(one)));
  return { conflicts: conflicts.filter((one) => !following.has(one)), following: [...following] };
}
