/** Whether an update may come without a person, as far as the downstream's configuration and what stands there say. */
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import type { Downstream, DownstreamRepository } from '../downstream/downstream.ts';
import type { CheckRun } from '../forge/checks.ts';
import type { Ports } from '../ports.ts';
import { pauseOf } from '../repository/pause.ts';
import { mayMergeFor, partyOf } from '../repository/visibility.ts';
import { isAuthorless, loadBeneath } from '../review/unpublished-beneath.ts';
import { hasForeignOrders } from '../rollout/rollouts.ts';
import { FINE } from './automerge-checks.ts';
import type { Member } from './plan.ts';
import { isDowngrade as isWayBack } from './upgrade-path.ts';

/** Why a person decides about an update, as a clause without a subject of its own; null where none has to. */
export async function whyNotByItself({
  ports,
  downstreamRepository,
  members,
  signal,
}: {
  readonly ports: Ports;
  readonly downstreamRepository: DownstreamRepository;
  readonly members: readonly Member[];
  readonly signal: AbortSignal | undefined;
}): Promise<string | null> {
  const { access, base, config, facts } = downstreamRepository;
  // The way back is ordered elsewhere: by a rollout, a channel, a tag that is gone. A person has to see it.
  if (members.some(({ down, to, way }) => isBack(down.upstream.current, to) || isDowngradePath(way)))
    return 'it goes back to an earlier revision';
  const { automerge, automergeFrom } = config.updates;
  const here = partyOf({ facts, config });
  // Whoever writes documents elsewhere may propose here, and no more unless this repository says so.
  if (members.some(({ down: { planned } }) => planned && !mayMergeFor(here, automergeFrom, planned.control)))
    return 'the documents of another repository ask for it, which `updates.automergeFrom` does not name';
  const steps = members.map(
    ({ down, to }) => down.renewal?.size ?? (down.exists ? stepOf(down.upstream.current, to) : 'all'),
  );
  if (!steps.every((step) => allows(automerge, step)))
    return `its step is larger than \`updates.automerge: ${automerge}\` allows`;
  // What was pushed past the rules would be published along, with nobody's approval.
  const directories = members.map(({ down }) => down.directory);
  const beneath = { facts, config, base: base.oid, directories };
  if (!isAuthorless(await loadBeneath(ports, access, beneath, signal)))
    return 'it would publish changes along that no one proposed';
  return (await hasForeignRecord(ports, members, signal)) ? FOREIGN_RECORD : null;
}

const FOREIGN_RECORD = 'a ref that Portico did not write stands where a pause or an order of a rollout would';

/** Whether there is a pause or an order that nobody can vouch for: somebody looks before anything merges. */
export async function hasForeignRecord(
  ports: Ports,
  members: readonly { readonly down: Downstream }[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const { down } of members) {
    const pause = await pauseOf(ports, down.access, down.directory, signal);
    if ((pause !== null && pause.by === null) || (await hasForeignOrders(ports, down, signal))) return true;
  }
  return false;
}

/** Portico's checks among these that hold something up, but those that wait for what this update need not have. */
export function heldBy(
  { app }: Pick<Ports, 'app'>,
  runs: readonly CheckRun[],
  waiting: readonly CheckRun[],
): readonly CheckRun[] {
  return runs
    .filter((run) => run.appId === app.id && !waiting.includes(run))
    .filter(({ status, conclusion }) => status !== 'completed' || !FINE.includes(conclusion));
}

/** Also where the position is known by its content alone. */
function isDowngradePath(way: UpdateWay | undefined): boolean {
  return way !== undefined && isWayBack(way);
}

function isBack(from: string | undefined, to: string): boolean {
  const a = from === undefined ? undefined : parseRevisionName(from);
  const b = parseRevisionName(to);
  return a !== undefined && b !== undefined && compareRevisions(b, a) < 0;
}

type Step = 'patch' | 'minor' | 'all';

/** How big a step is; numbers without dots, and values that change at one revision, tell nothing: any size. */
function stepOf(from: string | undefined, to: string): Step {
  const a = from === undefined ? undefined : parseRevisionName(from);
  const b = parseRevisionName(to);
  if (a?.kind !== 'semver' || b?.kind !== 'semver' || a.major !== b.major || a.name === b.name) return 'all';
  return a.minor === b.minor ? 'patch' : 'minor';
}

const SIZES: readonly UpdatePolicy['automerge'][] = ['none', 'patch', 'minor', 'all'];

function allows(policy: UpdatePolicy['automerge'], step: Step): boolean {
  return SIZES.indexOf(policy) >= SIZES.indexOf(step);
}
