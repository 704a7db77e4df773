/** Pure: which packages a changed rollout takes from another: of two for one package the first by place counts. */
import { matchesGlob } from '../../config/glob.ts';
import type { Rollout } from '../../package/rollout/rollout.ts';
import { canonicalJson } from '../../revision/digest.ts';

/** A repository, '' for the one of the document, and a glob over its packages. */
interface Claim {
  readonly repo: string;
  readonly glob: string;
}

/** Pairs of globs that are compared; beyond it packages count as taken. */
const MAX_PAIRS = 200_000;

/** Rollouts in the order in which they count. Of two with one name the second lets nothing out. */
export function rolloutsInEffect(rollouts: readonly Rollout[]): readonly Rollout[] {
  const first = new Map<string, Rollout>();
  for (const one of rollouts.toSorted((a, b) => orderOf(a) - orderOf(b)))
    if (!first.has(one.name)) first.set(one.name, one);
  return [...first.values()];
}

/** A mistake takes nothing from what can be followed. */
function orderOf({ mistake }: Rollout): number {
  return Number(mistake !== undefined);
}

/** Of each rollout that had packages before, the names of those that may take some of them now. Both in effect. */
export function takenFrom(
  before: readonly Rollout[],
  after: readonly Rollout[],
): ReadonlyMap<string, readonly string[]> {
  const places = new Map(before.map((one, at) => [one.name, { at, claims: claimsOf(one), key: keyOf(one) }]));
  const now = after.map((one) => ({ name: one.name, claims: claimsOf(one), key: keyOf(one) }));
  const taken = new Map<string, string[]>();
  let pairs = 0;
  for (const [at, { name }] of now.entries()) {
    const own = places.get(name);
    if (own === undefined) continue;
    for (const other of now.slice(0, at)) {
      const was = places.get(other.name);
      const known = was !== undefined && was.at < own.at ? was : undefined;
      if (known?.key === other.key) continue;
      pairs += other.claims.length * (own.claims.length + (known?.claims.length ?? 0));
      if (pairs <= MAX_PAIRS && !takes(other.claims, known?.claims ?? [], own.claims)) continue;
      taken.set(name, [...(taken.get(name) ?? []), other.name]);
      if (pairs > MAX_PAIRS) break;
    }
  }
  return taken;
}

/** Whether what is added to `known` may mean a package of `own`. */
function takes(claims: readonly Claim[], known: readonly Claim[], own: readonly Claim[]): boolean {
  return claims.some(
    (claim) => !known.some((one) => isSame(one, claim)) && own.some((one) => mayShare(one, claim)),
  );
}

function keyOf({ upstreams }: Rollout): string {
  return canonicalJson(upstreams);
}

function claimsOf({ upstreams }: Rollout): readonly Claim[] {
  return upstreams.flatMap(({ repo = '', packages }) =>
    packages.map((glob) => ({ repo: repo.toLowerCase().split('/').at(-1) ?? '', glob })),
  );
}

function isSame(one: Claim, other: Claim): boolean {
  return one.repo === other.repo && one.glob === other.glob;
}

/** Whether both may mean one package; where that cannot be told, they do. */
function mayShare(one: Claim, other: Claim): boolean {
  // A document may name its own repository, too.
  if (one.repo !== other.repo && one.repo !== '' && other.repo !== '') return false;
  const [left, right] = [plainStart(one.glob), plainStart(other.glob)];
  if (left === one.glob) return matchesGlob(one.glob, [other.glob]);
  if (right === other.glob) return matchesGlob(other.glob, [one.glob]);
  return left.startsWith(right) || right.startsWith(left);
}

/** What a glob says before its first sign that stands for others. */
function plainStart(glob: string): string {
  return /^[^*?[\]\\!]*/.exec(glob)?.[0] ?? '';
}
