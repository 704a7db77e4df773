/** How many updates a repository has at a time. */
import type { DownstreamRepository } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { isDirectOn } from './direct-commit.ts';
import { countOpen, openLimitReached } from './existing-pull.ts';
import type { UpdatePlan } from './plan.ts';
import type { Route } from './route.ts';

/** How many update pull requests are open in a repository; counted up by whoever is about to open one. */
export interface UpdateQuota {
  readonly maxOpen: number;
  open(): Promise<number>;
  take(): void;
  /** An update that comes without a pull request is on its way: each one moves the branch that the others are made for. */
  isDirectUnderWay: boolean;
}

/** Counts what is open once, where it is asked for. */
export function updateQuota(
  ports: Ports,
  downstreamRepository: DownstreamRepository,
  signal: AbortSignal | undefined,
): UpdateQuota {
  let counted: Promise<number> | undefined;
  let taken = 0;
  return {
    maxOpen: downstreamRepository.config.updates.maxOpen,
    open: async () => (await (counted ??= countOpen(ports, downstreamRepository, signal))) + taken,
    take: () => void (taken += 1),
    isDirectUnderWay: false,
  };
}

const WAITS_FOR_ANOTHER = withheld(
  'checking',
  'It waits for another update of this repository that comes without a pull request.',
);

/** Why a new update has to wait for others of the repository; null where there is room for it. */
export async function heldByOthers(
  plan: UpdatePlan,
  members: readonly { readonly asked?: boolean }[],
  route: Route,
  quota: UpdateQuota,
): Promise<Withheld | null> {
  if (plan.open !== undefined || members.some(({ asked }) => asked)) return null;
  // Without a pull request nothing is counted; but who allows none at all wants no updates.
  if (route.kind !== 'direct' || quota.maxOpen === 0)
    return openLimitReached(await quota.open(), quota.maxOpen);
  return quota.isDirectUnderWay && !isDirectOn(plan) ? WAITS_FOR_ANOTHER : null;
}
