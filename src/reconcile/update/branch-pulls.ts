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

/**
 * The pull requests that an update's branch has or had, newest first. While git stands still, or has no such branch, the list is mostly unchanged,
 * which costs nothing by REST.
 */
export async function branchPulls({
  ports: { memories },
  downstreamRepository: { access, base },
  branch,
  head,
  signal,
}: {
  readonly ports: Pick<Ports, 'memories'>;
  readonly downstreamRepository: Pick<DownstreamRepository, 'access' | 'base'>;
  readonly branch: string;
  readonly head: string | null;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly Pull[]> {
  const { ref, forge } = access;
  const looks = memories.of(createBranchLooks);
  const key = `${ref.id} ${branch}`;
  const state = `${base.oid} ${head}`;
  const known = looks.get(key);
  const times = known?.state === state ? known.times + 1 : 1;
  keepNewest(looks, key, { state, times }, MAX_BRANCHES);
  return head === null || times > MOVED_LOOKS
    ? forge.pullsForHead({ branch }, { state: 'all' }, signal)
    : forge.pullsOfBranch(branch, signal);
}
