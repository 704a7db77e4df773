/** How far each rollout has come, and what that means for one downstream. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { RolloutStanding } from '../../catalog/last-looks.ts';
import { assignWaves } from '../../package/rollout/assign.ts';
import {
  missedBy,
  planRollout,
  verdictOn,
  type RolloutOrders,
  type RolloutPlan,
} from '../../package/rollout/plan.ts';
import type { WaveGate } from '../../package/rollout/rollout.ts';
import { repositoryDirectory } from '../../revision/package-path.ts';
import type { Downstream as Update } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import { repositorySweepJob, rolloutJob } from '../jobs.ts';
import type { RepositoryRef, Ports } from '../ports.ts';
import { loadRevisionRefs, publishedAt, tagOf } from '../repository/package-revisions.ts';
import { mayFlow, partyOf, type Party } from '../repository/visibility.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import {
  createRolloutMemory,
  followersOf,
  MAX_REMEMBERED,
  withFacts,
  withLockTimes,
  type RolloutMember,
  type RolloutMemory,
} from './facts.ts';
import { jobsOfTurned, jobsOfReleased } from './held-pulls.ts';
import { fetchOrders, ordersFor, readOrders, rolledBackBy, subjectOf } from './orders.ts';
import { createQuestionBudget, restAfter, type QuestionBudget } from './question-budget.ts';
import { newestOf, rolloutsOf, standingName, type Governed } from './scope.ts';
import { selects } from './selectors.ts';

/** The rollout of one revision, as it was when it was looked at last. */
export interface RolloutLook {
  readonly governed: Governed;
  readonly revision: string;
  readonly orders: RolloutOrders;
  readonly plan: RolloutPlan<RolloutMember>;
  /** Something of it was not asked for yet: after so many seconds it may be. Absent where everything was. */
  readonly unasked?: number;
}

interface Kept {
  readonly version: number;
  /** When the look began: what was said later may not be in it. */
  readonly began: number;
  readonly at: number;
  /** The tag with the orders that it was planned from; null where there was none. */
  readonly ordersOid: string | null;
  readonly look: RolloutLook;
}

interface RolloutCache extends RolloutMemory {
  readonly looks: Map<string, Kept>;
  /** Rollouts of which nothing is asked before that moment. */
  readonly rests: Map<string, number>;
}

function createRolloutCache(): RolloutCache {
  return { ...createRolloutMemory(), looks: new Map(), rests: new Map() };
}

/** Looks hold all downstreams of their rollout. */
const MAX_LOOKS = 500;

/** Commits that are asked about where somebody else's work looks at a rollout on its way. */
const MAX_ON_THE_WAY = 10;

/** So long a look serves all the downstreams that ask, in milliseconds: a fan-out asks for each of thousands. */
const SERVES_MS = 5_000;

/** True where a rollout may change with this repository: it holds the document, the upstream, or a downstream. */
export function rolloutConcerns(catalog: Catalog, { id }: Pick<RepositoryRef, 'id'>): boolean {
  return catalog.rollouts(id).size > 0 || concernedBy(catalog, id).length > 0;
}

/** The upstream packages whose rollout may change with this repository. */
export function concernedBy(catalog: Catalog, id: number): readonly Governed[] {
  const { governed } = rolloutsOf(catalog);
  if (governed.length === 0) return [];
  const upstreams = upstreamsOf(catalog, id);
  return governed.filter(
    ({ control, upstream, directory }) =>
      control.ref.id === id || upstream.ref.id === id || upstreams.has(`${upstream.ref.id}:${directory}`),
  );
}

/** What the packages of a repository are made from, or are about to be. */
function upstreamsOf(catalog: Catalog, id: number): ReadonlySet<string> {
  const packages = catalog.get(id)?.packages ?? [];
  const locked = packages.flatMap(({ lock }) => {
    const upstream = lock === null ? undefined : catalog.byUrl(lock.repo);
    return lock === null || upstream === undefined
      ? []
      : [`${upstream.ref.id}:${repositoryDirectory(lock.directory)}`];
  });
  const planned = variantPlan(catalog)
    .planned.filter(({ downstream }) => downstream.repository.ref.id === id)
    .map(({ upstream }) => `${upstream.repository.ref.id}:${upstream.directory}`);
  return new Set([...locked, ...planned]);
}

/** How many seconds a rollout rests still after a look that took long; 0 where it does not. */
export function restOf({ memories, now }: Pick<Ports, 'memories' | 'now'>, governed: Governed): number {
  const until = memories.of(createRolloutCache).rests.get(keyOf(governed, '')) ?? 0;
  return Math.max(0, until - now().getTime()) / 1_000;
}

/** Looks how far a rollout has come with a revision; null where the upstream has no such revision. */
export async function lookAt({
  ports,
  governed,
  revision,
  asking,
  signal,
}: {
  readonly ports: Ports;
  readonly governed: Governed;
  readonly revision: string;
  readonly asking: QuestionBudget;
  readonly signal?: AbortSignal | undefined;
}): Promise<RolloutLook | null> {
  const started = performance.now();
  const began = ports.now().getTime();
  const { catalog } = ports;
  const shelf = ports.memories.of(createRolloutCache);
  const since = await governedSince({ ports, governed, revision, shelf, signal });
  if (since === null) return null;
  const control = await ports.open(governed.control.ref, signal);
  await control.git.fetch({}, signal);
  const { orders: all, oid: ordersOid } = await readOrders(ports, control, governed.rollout.name, signal);
  const orders = ordersFor(all, subjectOf(governed, revision));
  const gates = new Map<string, WaveGate>();
  for (const { members, gate } of assignWaves(governed.rollout, followersOf(catalog, governed), selects)) {
    for (const { id } of members) gates.set(id, gate);
  }
  const { rollout } = governed;
  const facts = (gateOf: (id: string) => WaveGate | undefined): Promise<RolloutMember[]> =>
    withFacts({ ports, governed, revision, gateOf, memory: shelf, asking, signal });
  let downstreams = await facts((id) => (orders.done ? undefined : gates.get(id)));
  if (orders.done) {
    // What an earlier version, or a look at a part of the fleet, has recorded may be wrong.
    downstreams = await withLockTimes(ports, downstreams, shelf, signal);
    const isReopened = missedBy({ rollout, downstreams, selects, orders }).length > 0;
    if (isReopened)
      downstreams = await withLockTimes(ports, await facts((id) => gates.get(id)), shelf, signal);
  }
  const now = ports.now().getTime();
  const unasked = asking.left();
  const partial = unasked !== undefined;
  const plan = planRollout({ rollout, downstreams, selects, since, orders, now, partial });
  const look = { governed, revision, orders, plan, ...(partial && { unasked }) };
  const rest = restAfter(performance.now() - started);
  if (rest > 0) keepNewest(shelf.rests, keyOf(governed, ''), now + rest, MAX_REMEMBERED);
  keepNewest(
    shelf.looks,
    keyOf(governed, revision),
    { version: catalog.version(), began, at: now, ordersOid, look },
    MAX_LOOKS,
  );
  if (!partial && catalog.isWhole() && revision === newestOf(governed))
    await tellStanding(ports, look, rolledBackBy(all, governed));
  return look;
}

/** Other processes know how far it is, and the checks of open updates that are held now, or no more, are made again. */
async function tellStanding(
  ports: Pick<Ports, 'catalog' | 'enqueue'>,
  { governed, revision, plan, orders }: RolloutLook,
  rolledBack: readonly string[],
): Promise<void> {
  const { upstream, directory } = governed;
  const control = governed.control.ref.id;
  const before = standingOf(ports.catalog, governed);
  const cause = orders.rolledBack ?? orders.stopped ?? plan.sick?.id ?? '';
  const waves = plan.waves.map(({ state }) => state);
  const now = { revision, state: plan.state, waves, cause, ...(rolledBack.length > 0 && { rolledBack }) };
  ports.catalog.tellRollout(control, standingName(governed), now);
  if (before === undefined) return;
  // Checks of open proposals say what followers of a channel get next.
  const isSame = (before.rolledBack ?? []).join(' ') === rolledBack.join(' ');
  const told =
    isSame || upstream.channelFiles?.has(directory) !== true ? [] : [repositorySweepJob(upstream.ref)];
  await ports.enqueue([...jobsOfTurned(plan, before, now), ...told]);
}

/** How far the newest revision of an upstream package is, as any process found it last; undefined where none has looked yet. */
export function standingOf(catalog: Catalog, governed: Governed): RolloutStanding | undefined {
  const known = catalog.rollouts(governed.control.ref.id).get(standingName(governed));
  return known?.revision === newestOf(governed) ? known : undefined;
}

/** Forgets rollouts that this repository governs no longer; what they held is checked again. */
export async function forgetEnded(
  { catalog, enqueue }: Pick<Ports, 'catalog' | 'enqueue'>,
  control: number,
): Promise<void> {
  const own = rolloutsOf(catalog).governed.filter((one) => one.control.ref.id === control);
  const names = new Set(own.map(standingName));
  for (const name of [...catalog.rollouts(control).keys()].filter((one) => !names.has(one))) {
    catalog.tellRollout(control, name, undefined);
    const [, upstream = '', directory = ''] = /^\S+ (\d+):(.*)$/s.exec(name) ?? [];
    await enqueue(jobsOfReleased(catalog, Number(upstream), repositoryDirectory(directory)));
  }
}

async function governedSince({
  ports,
  governed: { upstream, directory },
  revision,
  shelf: { since },
  signal,
}: {
  readonly ports: Ports;
  readonly governed: Governed;
  readonly revision: string;
  readonly shelf: RolloutCache;
  readonly signal: AbortSignal | undefined;
}): Promise<number | null> {
  const key = `${upstream.ref.id}:${directory}@${revision}`;
  const known = since.get(key);
  if (known !== undefined) return known;
  const { git } = await ports.open(upstream.ref, signal);
  await git.fetch({}, signal);
  const tag = tagOf(await loadRevisionRefs(git, signal), directory, revision);
  if (tag === undefined) return null;
  const at = await publishedAt(git, tag, signal);
  keepNewest(since, key, at, MAX_REMEMBERED);
  return at;
}

/** The last look at each rollout whose document stands in this repository. */
export function knownLooks(
  { catalog, memories }: Pick<Ports, 'catalog' | 'memories'>,
  control: number,
): readonly RolloutLook[] {
  const { governed } = rolloutsOf(catalog);
  const looks = [...memories.of(createRolloutCache).looks.values()].map(({ look }) => look);
  return governed
    .filter((one) => one.control.ref.id === control)
    .flatMap((one) => looks.filter((look) => isSame(look.governed, one)).slice(-1));
}

/**
 * The same, where the newest revision was not looked at yet, or by another process, looked at now. For pages that show
 * how far they are.
 */
export async function newestLooks(
  ports: Ports,
  control: number,
  signal?: AbortSignal,
): Promise<readonly RolloutLook[]> {
  const own = rolloutsOf(ports.catalog).governed.filter((one) => one.control.ref.id === control);
  const looks = await Promise.all(
    own.map(async (governed) => {
      const newest = newestOf(governed);
      return newest === undefined ? null : recentLook(ports, governed, newest, signal);
    }),
  );
  return looks.filter((look) => look !== null);
}

function isSame(a: Governed, b: Governed): boolean {
  return keyOf(a, '') === keyOf(b, '');
}

function keyOf({ control, rollout, upstream, directory }: Governed, revision: string): string {
  return `${control.ref.id}/${rollout.name} ${upstream.ref.id}:${directory}@${revision}`;
}

/** Why an update that nobody asked for has to wait for its wave; null where it may come. */
export async function heldByWave(
  ports: Ports,
  down: Update,
  revision: string,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  // A wave is of those that are known, and so is the rollout: right after a start not all are.
  needWholeIndex(ports);
  const governed = rolloutsOf(ports.catalog).of(down.upstream.access.ref.id, down.upstream.directory);
  if (governed === undefined) return null;
  const look = await recentLook(ports, governed, revision, signal);
  if (look === null) return null;
  const { plan, unasked } = look;
  if (unasked !== undefined) {
    const seconds = Math.max(1, unasked, restOf(ports, governed));
    await ports.enqueue(rolloutJob(governed.control.ref, seconds));
  }
  const found = verdictOn(plan, `${down.facts.id}:${down.path}`);
  const verdict = found === 'may-open' && unasked !== undefined ? 'wave-waiting' : found;
  if (verdict === 'may-open') return null;
  // What may not be known in this repository, a document or another downstream, is not told of here.
  const here = partyOf(down);
  if (!mayFlow(governed.control, here)) return withheld(verdict, 'Its wave is not open.');
  const name = governed.rollout.name;
  if (verdict !== 'wave-waiting')
    return withheld(verdict, `The rollout ${name} is halted. ${foreignSentence(whyHalted(plan, here))}`);
  const wave = plan.waveOf.get(`${down.facts.id}:${down.path}`);
  const at = wave === undefined ? -1 : plan.waves.indexOf(wave);
  const when = wave?.opensAt === undefined ? '' : ` It opens at ${new Date(wave.opensAt).toISOString()}.`;
  if (wave?.state === 'paused')
    return withheld(verdict, `${wave.why} It is wave ${wave.name} of the rollout ${name}.`);
  const which = wave === undefined ? 'its wave' : `wave ${wave.name}, ${at + 1} of ${plan.waves.length}`;
  return withheld(verdict, `${revision} waits for ${which}, of the rollout ${name}.${when}`);
}

/** Why a rollout opens no more updates, as a repository may read it that need not know every downstream. */
export function whyHalted(
  { why, sick, order }: Pick<RolloutLook['plan'], 'why' | 'sick' | 'order'>,
  here: Party,
): string {
  if (sick === undefined || mayFlow(sick.repository, here)) return why;
  return `${order === undefined ? '' : `${order} `}A package is not healthy.`;
}

/**
 * The same right before something is written that cannot be taken back. What was ordered since the last look counts: the orders
 * are fetched whatever this job has fetched before.
 */
export async function heldByOrders(
  ports: Ports,
  down: Update,
  revision: string,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const governed = rolloutsOf(ports.catalog).of(down.upstream.access.ref.id, down.upstream.directory);
  if (governed === undefined) return null;
  await forgetOutdated(ports, governed, revision, signal);
  return heldByWave(ports, down, revision, signal);
}

/** Forgets a look that was planned from other orders than those that are there now. */
async function forgetOutdated(
  ports: Ports,
  governed: Governed,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const control = await ports.open(governed.control.ref, signal);
  const { oid } = await fetchOrders(ports, control, governed.rollout.name, signal);
  const { looks } = ports.memories.of(createRolloutCache);
  const key = keyOf(governed, revision);
  if (looks.get(key)?.ordersOid !== oid) looks.delete(key);
}

/** How far the rollout of a revision is, by the orders of this moment. */
export async function lookNow(
  ports: Ports,
  governed: Governed,
  revision: string,
  signal?: AbortSignal,
): Promise<RolloutLook | null> {
  await forgetOutdated(ports, governed, revision, signal);
  return recentLook(ports, governed, revision, signal);
}

/** The last look at the rollout of a revision where that is recent, else a new one. */
export async function recentLook(
  ports: Ports,
  governed: Governed,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<RolloutLook | null> {
  const known = ports.memories.of(createRolloutCache).looks.get(keyOf(governed, revision));
  const now = ports.now().getTime();
  const isRecent =
    known !== undefined &&
    known.version === ports.catalog.version() &&
    now - known.at < SERVES_MS &&
    // Another process may have found that the wave is open, and asked for this because of it.
    known.began >= (ports.askedAt() ?? 0) &&
    now < (known.look.plan.next ?? Infinity) &&
    now >= known.at;
  if (isRecent) return known.look;
  const rests = restOf(ports, governed) > 0;
  const asking = createQuestionBudget(
    { about: 0, since: rests ? 0 : now, isThorough: false },
    { most: rests ? 0 : MAX_ON_THE_WAY },
  );
  return lookAt({ ports, governed, revision, asking, signal });
}

/** True where orders about the rollout of an upstream stand in a ref that Portico has not written. */
export async function hasForeignOrders(
  ports: Ports,
  { upstream }: Update,
  signal?: AbortSignal,
): Promise<boolean> {
  const governed = rolloutsOf(ports.catalog).of(upstream.access.ref.id, upstream.directory);
  if (governed === undefined) return false;
  const control = await ports.open(governed.control.ref, signal);
  await control.git.fetch({}, signal);
  return (await readOrders(ports, control, governed.rollout.name, signal)).unsealed;
}
