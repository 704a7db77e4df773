/** How an update comes: by a pull request, or to the branch without one where `updates.pullRequest: false` lets it. */
import { isPorticoCheck } from '../forge/checks.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { asksApproval } from '../review/proposal-approval.ts';
import { code } from '../text/markdown-blocks.ts';
import { whyNotByItself } from './automerge-policy.ts';
import { isDirect, type ByPull } from './direct-commit.ts';
import type { Member, UpdatePlan } from './plan.ts';

export type Route =
  | { readonly kind: 'direct' }
  | ByPull
  /** By a pull request, as everything does where nothing else is configured; or one is open. */
  | { readonly kind: 'usual' };

/** What is known before the content of the update is. */
export async function routeOf({
  ports,
  plan,
  members,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly members: readonly Member[];
  readonly signal: AbortSignal | undefined;
}): Promise<Route> {
  const { downstreamRepository, open } = plan;
  const { access, config } = downstreamRepository;
  if (config.updates.direct !== true || open !== undefined) return { kind: 'usual' };
  const why =
    whyAskedFor(members) ??
    (asksApproval(config) ? 'this repository requires approvals' : null) ??
    (await whyBranchStays(plan, signal)) ??
    (await whyNotByItself({ ports, downstreamRepository, members, signal })) ??
    whyPushRefused(await access.demands(config.branch, {}, signal));
  return why === null ? { kind: 'direct' } : { kind: 'pull', why };
}

function whyAskedFor(members: readonly Member[]): string | null {
  return members.some(({ asked }) => asked) ? 'someone asked for it' : null;
}

/** What stands on its branch and was neither made to come without a pull request nor merged: somebody may want to go on with it. */
async function whyBranchStays(
  { downstreamRepository: { access, base }, head, before, pulls }: UpdatePlan,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (head === null || isDirect({ head, before })) return null;
  if ((await pulls()).some(({ merged, headSha }) => merged && headSha === head)) return null;
  if (await access.git.isAncestor(head, base.oid, signal)) return null;
  return 'its branch holds commits that were not merged';
}

/** Why rules of the registered branch do not take the update by a push; null where they do, as far as they are told. */
export function whyPushRefused({
  refusesPushes,
  requiredChecks,
}: Pick<Awaited<ReturnType<RepositoryAccess['demands']>>, 'refusesPushes' | 'requiredChecks'>):
  | string
  | null {
  if (refusesPushes === true) return 'a rule of the branch asks for one, or for more than a push can bring';
  if (refusesPushes === null || requiredChecks === null)
    return 'the forge does not tell everything that the protection of the branch demands; it tells what rulesets do';
  const other = [...requiredChecks].find((name) => !isPorticoCheck(name));
  return other === undefined
    ? null
    : `the branch requires the check ${code(other)}, which Portico does not write`;
}
