/**
 * Pure: how far the rollout of one revision has come, and which downstreams may be updated to it now. Nothing is
 * remembered: the state follows from what is published and healthy, from what people ordered, and from the time.
 * Moments are milliseconds since 1970.
 */
import { createHash } from 'node:crypto';

import { durationText } from '../../text/duration.ts';
import { assignWaves, type AssignedWave, type Member } from './assign.ts';
import { shareOf, type Rollout, type WaveGate, type WaveSelector } from './rollout.ts';

export interface RolloutDownstream extends Member {
  /**
   * `waiting`: not at the revision yet. `published`: it has published it, or a newer one. `refused`: a person said no, or
   * paused its updates. `out`: no update to this revision comes there.
   */
  readonly standing: 'waiting' | 'published' | 'refused' | 'out';
  /** When it was published. */
  readonly publishedAt?: number;
  /** Of the published commit; absent where the gate asks for none, or nothing is known. */
  readonly health?: Health;
  /** Where it is `out` because its package or upstream cannot be read: not by anybody's wish. */
  readonly isUnresolved?: boolean;
  /** When its branch came to the older revision that it is at; known where the rollout is recorded as done. */
  readonly lockedAt?: number;
}

export interface Health {
  readonly state: 'success' | 'pending' | 'failure';
  /** When it came to that. */
  readonly at: number;
  /** What failed, or is waited for. */
  readonly what: string;
}

/** What people ordered about this revision. */
export interface RolloutOrders {
  readonly stopped?: string;
  readonly rolledBack?: string;
  /** Waves whose gate counts as held since then. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Waves with a manual gate that somebody has approved, since when. */
  readonly approved?: ReadonlyMap<string, number>;
  /** Gates of which all addresses have said that it holds, by `gateKey`, since when. */
  readonly answered?: ReadonlyMap<string, number>;
  /** Waves that open no more updates, by whom. */
  readonly paused?: ReadonlyMap<string, string>;
  /** What the operator's webhook was told of. */
  readonly notified?: ReadonlySet<string>;
  /** Failures before that are forgiven, and timeouts begin there. */
  readonly resumedAt?: number;
  /** All waves were through: nothing that happens later stops it, and whoever joins later gets it at once. */
  readonly done: boolean;
  /** When that was recorded. */
  readonly doneAt?: number;
}

export const NO_ORDERS: RolloutOrders = { skipped: new Map(), done: false };

export interface RolloutInput<One extends RolloutDownstream> {
  readonly rollout: Pick<Rollout, 'waves' | 'mistake'>;
  readonly downstreams: readonly One[];
  readonly selects: (selector: WaveSelector, downstream: One) => boolean;
  /** When the upstream revision was published. */
  readonly since: number;
  readonly orders: RolloutOrders;
  readonly now: number;
  /** Not all of the downstreams could be asked for their health: that something took too long is not said then. */
  readonly partial?: boolean;
}

export interface WavePlan<One extends RolloutDownstream> {
  readonly name: string;
  readonly members: readonly One[];
  /** `pausing`: its gate holds, and `pauseAfter` is not over. `paused`: somebody ordered that it opens no more updates. */
  readonly state: 'waiting' | 'open' | 'paused' | 'pausing' | 'passed' | 'failed';
  /** When it opened, or will as far as is known. */
  readonly opensAt?: number;
  /** When the wave after it opens. */
  readonly passesAt?: number;
  /** Members that count for the gate, and those of them for which all of it holds. */
  readonly counted: number;
  readonly through: number;
  /** What it waits for, or why it failed; a sentence. */
  readonly why: string;
  /** Addresses of its gate that are to be asked now: the rest of it holds. */
  readonly asks?: readonly string[];
  /** Its gate is manual, and all the rest of it holds. */
  readonly awaitsApproval?: true;
  /** Whose health failed it. */
  readonly sick?: One;
}

export interface RolloutPlan<One extends RolloutDownstream> {
  readonly state: 'running' | 'done' | 'stopped' | 'rolled-back';
  /** Why it does not go on; '' while it does. */
  readonly why: string;
  /** The downstream that `why` names. */
  readonly sick?: One;
  /** The part of `why` that names the person who rolled it back. */
  readonly order?: string;
  readonly waves: readonly WavePlan<One>[];
  /** The id of a downstream → its wave. */
  readonly waveOf: ReadonlyMap<string, WavePlan<One>>;
  /** The next moment at which it changes by itself. */
  readonly next?: number;
}

/** Whether a downstream may be updated to the revision now. */
export type Verdict = 'may-open' | 'wave-waiting' | 'wave-stopped' | 'wave-rolled-back';

export function planRollout<One extends RolloutDownstream>(input: RolloutInput<One>): RolloutPlan<One> {
  const { rollout, downstreams, selects, since, now, partial = false } = input;
  const missed = missedBy(input);
  const isReopened = missed.length > 0;
  const orders = isReopened ? { ...input.orders, done: false } : input.orders;
  const waves: WavePlan<One>[] = [];
  let opensAt: number | undefined = since;
  for (const wave of assignWaves(rollout, downstreams, selects)) {
    const plan: WavePlan<One> = planWave(wave, opensAt, orders, { now, partial, isReopened });
    waves.push(plan);
    opensAt = plan.passesAt;
  }
  const failed = waves.findIndex(({ state }) => state === 'failed');
  const moments = waves.flatMap((wave, at) =>
    momentsOf(wave, isReopened ? undefined : rollout.waves[at]?.gate, orders),
  );
  const next = moments.filter((at) => at > now).toSorted((a, b) => a - b)[0];
  const waveOf = new Map(waves.flatMap((wave) => wave.members.map(({ id }) => [id, wave] as const)));
  const state = stateOf(rollout, waves, failed, orders);
  const why = state.why === '' ? whyNotDone(state.state, missed, downstreams) : state.why;
  const isStuck = state.state === 'done' && why !== '';
  return {
    ...state,
    ...(isStuck && { state: 'running' }),
    why,
    waves,
    waveOf,
    ...(next !== undefined && { next }),
  };
}

/**
 * Downstreams by which a rollout that is recorded as done is not: they were at an older revision when that was recorded, and the
 * gate of their wave asks for more than have published it. Who joined later proves nothing, nor who went back since.
 */
export function missedBy<One extends RolloutDownstream>({
  rollout,
  downstreams,
  selects,
  orders: { done, doneAt = 0, skipped },
}: Pick<RolloutInput<One>, 'rollout' | 'downstreams' | 'selects' | 'orders'>): readonly One[] {
  if (!done) return [];
  return assignWaves(rollout, downstreams, selects).flatMap(({ name, members, gate }) => {
    const missed = members.filter(
      ({ standing, lockedAt = Infinity }) => standing === 'waiting' && lockedAt < doneAt,
    );
    const published = members.filter(({ standing }) => standing === 'published').length;
    const needed = shareOf(gate.published, published + missed.length);
    return skipped.has(name) || published >= needed ? [] : missed;
  });
}

/** '' where a rollout is done, or goes on as usual. */
function whyNotDone(
  state: RolloutPlan<RolloutDownstream>['state'],
  missed: readonly RolloutDownstream[],
  downstreams: readonly RolloutDownstream[],
): string {
  const [first] = missed;
  if (first !== undefined) {
    const others = missed.length === 1 ? ' has' : ` and ${missed.length - 1} more have`;
    return `It was recorded as done, but ${first.name}${others} not published the revision.`;
  }
  if (state !== 'done' || !isNoneResolved(downstreams)) return '';
  return 'None of its downstreams can be updated: the dashboards of their repositories name the reasons.';
}

function isNoneResolved(downstreams: readonly RolloutDownstream[]): boolean {
  return (
    downstreams.some(({ isUnresolved }) => isUnresolved === true) &&
    downstreams.every(({ standing, isUnresolved }) => standing === 'out' && isUnresolved !== false)
  );
}

/** What is recorded of a gate whose addresses have all said that it holds: it is another gate once they are changed. */
export function gateKey(wave: string, urls: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([wave, urls]))
    .digest('hex')
    .slice(0, 32);
}

function planWave<One extends RolloutDownstream>(
  { name, members, gate, pauseAfter }: AssignedWave<One>,
  opensAt: number | undefined,
  orders: RolloutOrders,
  {
    now,
    partial,
    isReopened,
  }: { readonly now: number; readonly partial: boolean; readonly isReopened: boolean },
): WavePlan<One> {
  const counting = members.filter(({ standing }) => standing === 'waiting' || standing === 'published');
  const ends = counting.flatMap((one) => throughAt(one, gate) ?? []).toSorted((a, b) => a - b);
  const base = { name, members, counted: counting.length, through: ends.length };
  if (opensAt === undefined) return { ...base, state: 'waiting', why: 'Earlier waves are not complete.' };
  const none = members.length === 0 ? 'It has no downstreams.' : '';
  if (orders.done && orders.paused?.has(name) !== true) {
    // Its gates are asked no more.
    const through = counting.filter(({ standing }) => standing === 'published').length;
    return { ...base, through, state: 'passed', opensAt, passesAt: opensAt, why: none };
  }
  if (opensAt > now) return { ...base, state: 'waiting', opensAt, why: 'It opens after the pause.' };
  const skippedAt = orders.skipped.get(name);
  const held = holdsSince({ members, counted: counting.length, ends, gate, opensAt });
  const approvedAt = gate.manual === true ? orders.approved?.get(name) : opensAt;
  const answeredAt = gate.urls === undefined ? opensAt : orders.answered?.get(gateKey(name, gate.urls));
  const isWhole = held !== undefined && approvedAt !== undefined && answeredAt !== undefined;
  const heldAt = isWhole ? Math.max(held, approvedAt, answeredAt) : undefined;
  // Neither an approval nor the end of a pause is something that may come too late.
  const isLate = held === undefined || answeredAt === undefined;
  const isTimed = !partial && isLate && orders.paused?.has(name) !== true;
  // A rollout that was done once does not fail by old reports of health, nor by time that has passed since.
  const broken = isReopened
    ? undefined
    : failureOf({
        counting,
        gate,
        opensAt,
        heldAt: isLate ? undefined : held,
        orders,
        now: isTimed ? now : 0,
      });
  if (skippedAt !== undefined) {
    const passesAt = Math.max(opensAt, skippedAt);
    return { ...base, state: 'passed', opensAt, passesAt, why: 'Its gate was skipped.' };
  }
  if (broken !== undefined) return { ...base, state: 'failed', opensAt, ...broken };
  const pausedBy = orders.paused?.get(name);
  if (pausedBy !== undefined) return { ...base, state: 'paused', opensAt, why: `${pausedBy} paused it.` };
  if (heldAt === undefined) {
    if (held === undefined) return { ...base, state: 'open', opensAt, why: waitsFor(counting, ends, gate) };
    if (answeredAt !== undefined)
      return { ...base, state: 'open', opensAt, why: 'It waits for an approval.', awaitsApproval: true };
    const asks = gate.urls ?? [];
    return { ...base, state: 'open', opensAt, why: 'It waits for the addresses of its gate.', asks };
  }
  // Where nothing was updated, nothing has to prove itself.
  const passesAt = heldAt + (counting.length === 0 ? 0 : pauseAfter * 1_000);
  const state = passesAt > now ? 'pausing' : 'passed';
  return { ...base, state, opensAt, passesAt, why: state === 'passed' ? none : 'Its pause is not over.' };
}

/** When all that the gate asks of one member came to hold; undefined while it does not. */
function throughAt(one: RolloutDownstream, gate: WaveGate): number | undefined {
  if (one.standing !== 'published') return undefined;
  const publishedAt = one.publishedAt ?? 0;
  if (gate.statuses.length + gate.deployments.length === 0) return publishedAt;
  return one.health?.state === 'success' ? Math.max(publishedAt, one.health.at) : undefined;
}

function holdsSince({
  members,
  counted,
  ends,
  gate,
  opensAt,
}: {
  readonly members: readonly RolloutDownstream[];
  readonly counted: number;
  readonly ends: readonly number[];
  readonly gate: WaveGate;
  readonly opensAt: number;
}): number | undefined {
  // A wave that everybody refused proves nothing.
  const refused = members.some(({ standing }) => standing === 'refused');
  const least = refused ? 1 : 0;
  const needed = Math.max(shareOf(gate.published, counted), least);
  if (needed === 0) return opensAt;
  const last = ends[needed - 1];
  return last === undefined ? undefined : Math.max(opensAt, last);
}

function failureOf<One extends RolloutDownstream>({
  counting,
  gate,
  opensAt,
  heldAt,
  orders: { resumedAt = 0 },
  now,
}: {
  readonly counting: readonly One[];
  readonly gate: WaveGate;
  readonly opensAt: number;
  readonly heldAt: number | undefined;
  readonly orders: RolloutOrders;
  readonly now: number;
}): { readonly why: string; readonly sick?: One } | undefined {
  const failing = counting.filter(
    ({ standing, health }) =>
      standing === 'published' && health?.state === 'failure' && health.at > resumedAt,
  );
  const [sick] = failing;
  const budget = gate.stopAt === undefined ? 1 : Math.max(1, shareOf(gate.stopAt, counting.length));
  if (sick !== undefined && failing.length >= budget) {
    const others = failing.length === 1 ? '' : ` ${failing.length} of ${counting.length} are not.`;
    return { why: `${sick.name} is not healthy: ${sick.health?.what ?? ''} failed.${others}`, sick };
  }
  if (gate.timeout === undefined || heldAt !== undefined) return undefined;
  return now >= Math.max(opensAt, resumedAt) + gate.timeout * 1_000
    ? { why: `It was not through in time (${durationText(gate.timeout)}).` }
    : undefined;
}

function waitsFor(counting: readonly RolloutDownstream[], ends: readonly number[], gate: WaveGate): string {
  const published = counting.filter(({ standing }) => standing === 'published').length;
  const needed = Math.max(1, shareOf(gate.published, counting.length));
  if (published < needed) return `${published} of ${needed} have published it.`;
  return `${ends.length} of ${needed} are healthy.`;
}

function momentsOf<One extends RolloutDownstream>(
  { state, opensAt, passesAt }: WavePlan<One>,
  gate: WaveGate | undefined,
  { resumedAt = 0 }: RolloutOrders,
): number[] {
  const timeout = gate?.timeout;
  const deadline =
    state === 'open' && opensAt !== undefined && timeout !== undefined
      ? [Math.max(opensAt, resumedAt) + timeout * 1_000]
      : [];
  return [...(passesAt === undefined ? [] : [passesAt]), ...deadline];
}

function stateOf<One extends RolloutDownstream>(
  { waves: written, mistake }: Pick<Rollout, 'waves' | 'mistake'>,
  waves: readonly WavePlan<One>[],
  failed: number,
  orders: RolloutOrders,
): Pick<RolloutPlan<One>, 'state' | 'why' | 'sick' | 'order'> {
  if (orders.rolledBack !== undefined) {
    const cause = waves[failed];
    const order = `${orders.rolledBack} rolled it back.`;
    const because = cause === undefined ? '' : ` Wave ${cause.name} failed: ${cause.why}`;
    const { sick } = cause ?? {};
    return {
      state: 'rolled-back',
      why: `${order}${because}`,
      order,
      ...(sick && { sick }),
    };
  }
  if (mistake !== undefined) return { state: 'stopped', why: mistake };
  if (orders.stopped !== undefined) return { state: 'stopped', why: `${orders.stopped} stopped it.` };
  const broken = waves[failed];
  if (broken !== undefined) {
    const gate = (written[failed] ?? written.at(-1))?.gate;
    const why = `Wave ${broken.name} failed: ${broken.why}`;
    const { sick } = broken;
    const state = gate?.onFailure === 'rollback' ? 'rolled-back' : 'stopped';
    return { state, why, ...(sick && { sick }) };
  }
  const done = waves.every(({ state }) => state === 'passed');
  return { state: done ? 'done' : 'running', why: '' };
}

/** The verdict on one downstream by its id; one that no wave knows waits. */
export function verdictOn<One extends RolloutDownstream>(plan: RolloutPlan<One>, id: string): Verdict {
  return verdictIn(plan.state, plan.waveOf.get(id)?.state);
}

/** The verdict on all downstreams of a wave; undefined: no wave knows them. */
export function verdictIn(rollout: string, wave: string | undefined): Verdict {
  if (rollout === 'rolled-back') return 'wave-rolled-back';
  if (rollout === 'stopped') return 'wave-stopped';
  return wave === undefined || wave === 'waiting' || wave === 'paused' ? 'wave-waiting' : 'may-open';
}
