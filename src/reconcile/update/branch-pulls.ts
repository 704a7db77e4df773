import type { DownstreamRepository } from '../downstream/downstream.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Ports } from '../ports.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** Branches whose last state is remembered. */
const MAX_BRANCHES = 50_000;
/** After an update, and after its merge, the variant is looked at about as often before git stands still again. */
const MOVED_LOOKS = 5;

/** How often a branch was asked about while it, and its base, stood where they stand. */
const createBranchLooks = (): Map<string, { readonly state: string; readonly times: number }> => new Map();

/** Branches by their names, without `refs/heads/`. */
export interface BranchPulls {
  /** The pull requests that a branch has or had, newest first; of those that were merged, at least the last. */
  of(branch: string): Promise<readonly Pull[]>;
}

/**
 * Asks for the pull requests of update branches, each at most once, and for those of one kind together. A branch that is not there can
 * have none that is open, so it is asked about only where somebody asks for it: of a package that is where it should be, mostly nobody
 * does. While git stands still, the list of a branch is mostly unchanged, which costs nothing by REST.
 */
export function branchPulls(
  { memories }: Pick<Ports, 'memories'>,
  { access: { ref, forge }, base }: Pick<DownstreamRepository, 'access' | 'base'>,
  heads: ReadonlyMap<string, string | null>,
  signal: AbortSignal | undefined,
): BranchPulls {
  const looks = memories.of(createBranchLooks);
  const stood = new Set<string>();
  for (const [branch, head] of heads) {
    if (head === null) continue;
    const key = `${ref.id} ${branch}`;
    const state = `${base.oid} ${head}`;
    const known = looks.get(key);
    const times = known?.state === state ? known.times + 1 : 1;
    keepNewest(looks, key, { state, times }, MAX_BRANCHES);
    if (times > MOVED_LOOKS) stood.add(branch);
  }
  const moved = [...heads].filter(([branch]) => !stood.has(branch));
  const together = (are: boolean): (() => ReturnType<typeof forge.pullsOfBranches>) => {
    let asked: ReturnType<typeof forge.pullsOfBranches> | undefined;
    const branches = moved.filter(([, head]) => (head === null) === are).map(([branch]) => branch);
    return () => (asked ??= forge.pullsOfBranches(branches, signal));
  };
  const [gone, there] = [together(true), together(false)];
  return {
    of: async (branch) => {
      if (stood.has(branch)) return forge.pullsForHead({ branch }, { state: 'all' }, signal);
      const found = await (heads.get(branch) === null ? gone() : there());
      return found.get(branch) ?? [];
    },
  };
}
