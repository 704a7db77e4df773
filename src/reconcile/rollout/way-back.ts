/** Where the downstreams of a withdrawn revision go: each to what it was at before. */
import { repositoryName } from '../../catalog/catalog.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { Downstream as Update } from '../downstream/downstream.ts';
import { channelInIndex, followOf } from '../downstream/follow-of.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { Ports } from '../ports.ts';
import { taggedRevisions } from '../repository/package-revisions.ts';
import { isControlledBy, mayFlow, partyOf, type Party } from '../repository/visibility.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { followersOf, type RolloutMember } from './facts.ts';
import { upstreamHistory } from './history.ts';
import { isLedBack, isOlder, wayBackFrom, type WayBack } from './led-back.ts';
import { ordersFor, readOrders, subjectOf, type RolloutOrder } from './orders.ts';
import { recentLook, whyHalted } from './rollouts.ts';
import { rolloutsOf, type Governed } from './scope.ts';

/** Where a downstream goes whose revision of the upstream is rolled back for good; undefined where it is not. */
export async function rolledBackTo(
  ports: Ports,
  down: Update,
  signal?: AbortSignal,
): Promise<WayBack | undefined> {
  const { upstream, facts, access, directory, base } = down;
  const { current } = upstream;
  const governed = rolloutsOf(ports.catalog).of(upstream.access.ref.id, upstream.directory);
  if (governed === undefined || current === undefined) return undefined;
  const control = await ports.open(governed.control.ref, signal);
  await control.git.fetch({}, signal);
  const { orders } = await readOrders(ports, control, governed.rollout.name, signal);
  const isWithdrawn = withdrawnBy(orders, governed);
  if (!isWithdrawn(current)) return undefined;
  const available = taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name);
  const { map } = down.config.upstreams;
  const place = { git: access.git, directory, head: base.oid, map };
  const history = await upstreamHistory(ports.catalog, place, governed, signal);
  const to = wayBackFrom(current, history, { available, isWithdrawn });
  const here = partyOf(down);
  const obeyed = isControlledBy(here, governed.control);
  const because = await causeOf(ports, governed, { revision: current, here }, signal);
  return { to, own: governed.control.ref.id === facts.id, obeyed, because };
}

/** What may not be known where the update is, is not named there. */
async function causeOf(
  ports: Ports,
  governed: Governed,
  { revision, here }: { readonly revision: string; readonly here: Party },
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!mayFlow(governed.control, here)) return `Its rollout withdraws ${upstreamText(revision, code)}.`;
  const look = await recentLook(ports, governed, revision, signal);
  const why = look === null ? '' : ` ${foreignSentence(whyHalted(look.plan, here))}`;
  const rollout = `${code(governed.rollout.name)} in ${code(repositoryName(governed.control))}`;
  return `The rollout ${rollout} withdraws ${upstreamText(revision, code)}.${why}`;
}

function withdrawnBy(orders: readonly RolloutOrder[], governed: Governed): (name: string) => boolean {
  return (name) => ordersFor(orders, subjectOf(governed, name)).rolledBack !== undefined;
}

/** What becomes of one downstream when a revision is rolled back. */
export interface Withdrawal {
  /** `owner/name:path`. */
  readonly name: string;
  /**
   * `back`: it is proposed to go to `to`. `stays`: it was at no other revision. `own`: its own configuration decides where it is.
   * `close`: its open update is closed.
   */
  readonly what: 'back' | 'stays' | 'own' | 'close';
  /** The revision that it goes to, or could be brought to by command. */
  readonly to?: string;
}

/** Downstreams whose history is read for one plan: each costs a fetch. */
const MAX_READ = 200;

/** What would become of the downstreams of a package if this revision were rolled back. */
export interface WithdrawalPlan {
  readonly governed: Governed;
  readonly revision: string;
  /** By name. Those that may not be known where the document stands are left out. */
  readonly moves: readonly Withdrawal[];
  /** Downstreams at the revision that were not looked at. */
  readonly unread: number;
}

/** Reads what each downstream that may be named here was at before. Nothing is written. */
export async function planWithdrawal(
  ports: Ports,
  { governed, revision }: Pick<WithdrawalPlan, 'governed' | 'revision'>,
  orders: readonly RolloutOrder[],
  signal?: AbortSignal,
): Promise<WithdrawalPlan> {
  const known = followersOf(ports.catalog, governed)
    .filter(({ hidden }) => !hidden)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const holders = known.filter(({ at }) => at === revision);
  const moves: Withdrawal[] = [];
  for (const one of holders.slice(0, MAX_READ)) {
    moves.push(await withdrawalOf(ports, { governed, revision }, { one, orders }, signal));
  }
  const closing = known.filter(
    ({ at, position }) => at !== revision && position?.reason === 'proposed' && position.to === revision,
  );
  return {
    governed,
    revision,
    moves: [...moves, ...closing.map(({ name }): Withdrawal => ({ name, what: 'close' }))],
    unread: Math.max(0, holders.length - MAX_READ),
  };
}

async function withdrawalOf(
  ports: Ports,
  { governed, revision }: Pick<WithdrawalPlan, 'governed' | 'revision'>,
  { one, orders }: { readonly one: RolloutMember; readonly orders: readonly RolloutOrder[] },
  signal: AbortSignal | undefined,
): Promise<Withdrawal> {
  const { repository, path, name } = one;
  const { git } = await ports.open(repository.ref, signal);
  await git.fetch({}, signal);
  const directory = pathInRepository(repository.directory, path);
  const place = {
    git,
    directory,
    head: repository.commit,
    map: repository.upstreamMap,
  };
  const history = await upstreamHistory(ports.catalog, place, governed, signal);
  const available = governed.upstream.revisions.get(governed.directory) ?? [];
  const isWithdrawn = withdrawnBy(orders, governed);
  const to = wayBackFrom(revision, history, { available, isWithdrawn });
  if (to === undefined) {
    const older = available.findLast((one) => isOlder(one, revision) && !isWithdrawn(one));
    return { name, what: 'stays', ...(older !== undefined && { to: older }) };
  }
  const own = repository.ref.id === governed.control.ref.id;
  const obeyed = isControlledBy(repository, governed.control);
  const leads = isLedBack(followedBy(ports, one), { to, own, obeyed });
  return { name, what: leads ? 'back' : 'own', to };
}

function followedBy(
  { catalog }: Pick<Ports, 'catalog'>,
  { repository, path }: RolloutMember,
): UpdatePolicy['follow'] {
  const planned = variantPlan(catalog).at(repository.ref.id, path);
  const channel = channelInIndex(repository, pathInRepository(repository.directory, path));
  return followOf(repository.updates?.follow ?? { kind: 'none' }, channel, planned);
}
