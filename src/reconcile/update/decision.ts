import { newestInRange } from '../../config/follow.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { channelTarget, otherWay, type UpdateWay } from '../downstream/channel-target.ts';
import type { Downstream, VariantTarget } from '../downstream/downstream.ts';
import { lockedPosition } from '../downstream/locked-position.ts';
import { updateTarget, withheld, type Target, type Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { channelRevision, taggedRevisions } from '../repository/package-revisions.ts';
import { pauseOf } from '../repository/pause.ts';
import { heldByWave, rolledBackTo, type WayBack } from '../rollout/rollouts.ts';
import type { UpdatedPackage } from '../seal/update-record.ts';
import type { InStep } from './variant-in-step.ts';

/** The revision that a package should be brought to. */
export interface Decided {
  readonly kind: 'decided';
  readonly to: string;
  /**
   * Somebody asked for it here, or a rollout of this repository goes back: schedule, limits and what was declined do not
   * hold it. What another repository ordered passes none of them.
   */
  readonly asked: boolean;
  /** How its channel leads there, and what is deprecated; absent where there is nothing to say of that. */
  readonly way?: UpdateWay;
}

/** Which revision a package should be at, or why it is left where it is. `said` is what its open pull request brings. */
export async function decideRevision({
  ports,
  candidate: { down, target },
  said,
  inStep,
  signal,
}: {
  readonly ports: Ports;
  readonly candidate: { readonly down: Downstream; readonly target: VariantTarget };
  readonly said: UpdatedPackage | undefined;
  readonly inStep: InStep;
  readonly signal?: AbortSignal | undefined;
}): Promise<Decided | Withheld> {
  const { upstream, access, config, planned } = down;
  const paused = target.to === undefined ? await pauseOf(ports, access, down.directory, signal) : null;
  if (typeof paused?.by === 'string') {
    return withheld(
      'paused',
      `Updates are paused by ${paused.by}. Resume them with /portico resume ${down.path}.`,
    );
  }
  const ordered = target.to === undefined ? await rolledBackTo(ports, down, signal) : undefined;
  const back = ordered !== undefined && isLedBack(down, ordered) ? ordered : undefined;
  // A revision that was asked for by command stays the target of its pull request until that is closed.
  const before = config.updates.follow.kind === 'none' && planned === undefined ? said?.to : undefined;
  const asked = target.to ?? back?.to ?? before;
  const chosen = await targetOf(down, asked, signal);
  const revision = await revisionToBring({ ports, down, chosen, inStep, signal });
  if (typeof revision !== 'string' && ordered !== back && revision.reason === 'up-to-date')
    return notLedBack(down);
  if (typeof revision !== 'string')
    return upstream.newest === undefined ? revision : { ...revision, newest: upstream.newest };
  const held = asked === undefined ? await heldByWave(ports, down, revision, signal) : null;
  if (held !== null) return { ...held, to: revision };
  const way = chosen.kind === 'target' && chosen.way !== undefined ? chosen.way : wayOf(down, revision);
  return {
    kind: 'decided',
    to: revision,
    asked: target.to !== undefined || back?.own === true,
    ...(way && { way }),
  };
}

type WayTarget = (Target & { readonly way?: undefined }) | ReturnType<typeof channelTarget>;

/** A channel with a file leads step by step; everything else names the revision to be at. */
async function targetOf(
  down: Downstream,
  asked: string | undefined,
  signal: AbortSignal | undefined,
): Promise<WayTarget> {
  const { upstream, channels } = down;
  const policy = policyOf(down);
  const available = taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name);
  const tagged = (name: string): string | undefined =>
    channelRevision(upstream.refs, upstream.directory, name);
  const { follow } = policy;
  if (asked !== undefined || follow.kind !== 'channel' || channels === null) {
    const { current, newest } = upstream;
    return updateTarget({ policy, asked, current, newest, available, channel: tagged });
  }
  const { file, document } = channels;
  if (document === undefined) {
    const message = `The channels of the upstream are stopped, because ${file} there is invalid. They resume when it is fixed.`;
    return withheld('channel-stopped', message);
  }
  const at = await lockedPosition(upstream, signal);
  const { channel } = follow;
  return channelTarget(document, {
    path: upstream.directory,
    channel,
    policy,
    available,
    at,
    tagged: tagged(channel),
  });
}

/** Of a revision that no channel leads to, what is deprecated of it; undefined where nothing is. */
function wayOf(down: Downstream, to: string): UpdateWay | undefined {
  const { document } = down.channels ?? {};
  if (document === undefined) return undefined;
  const { follow } = policyOf(down);
  const channel = follow.kind === 'channel' ? follow.channel : undefined;
  const way = otherWay(document, { from: down.upstream.current, to, channel });
  return way.deprecations.length === 0 ? undefined : way;
}

/**
 * What was ordered elsewhere is obeyed where the base configuration says so; and only who follows whatever is newest is
 * led back: a pin and a channel say where to be.
 */
function isLedBack(down: Downstream, back: WayBack): boolean {
  if (back.own) return true;
  const { follow } = policyOf(down);
  const isIn = follow.kind === 'range' && newestInRange(follow.range, [back.to]) !== undefined;
  return back.obeyed && (follow.kind === 'latest' || isIn);
}

function notLedBack({ upstream: { current = '' } }: Downstream): Withheld {
  const message = `The rollout of its upstream withdraws ${current}. It proposes nothing here, because updates.follow decides the revision or spec.controlledBy does not name the repository of the rollout. To go back, use \`/portico rollback\`.`;
  return { ...withheld('wave-rolled-back', message), to: current };
}

/** A variant's document says what is followed; everything else is the downstream repository's business. */
function policyOf({ config: { updates }, planned }: Downstream): UpdatePolicy {
  if (planned === undefined) return updates;
  const { revision } = planned;
  return { ...updates, follow: revision === undefined ? { kind: 'latest' } : { kind: 'pin', revision } };
}

/** A variant at its revision still has to change when its document or the inventory did. */
async function revisionToBring({
  ports,
  down,
  chosen,
  inStep,
  signal,
}: {
  readonly ports: Ports;
  readonly down: Downstream;
  readonly chosen: Target;
  readonly inStep: InStep;
  readonly signal: AbortSignal | undefined;
}): Promise<string | Withheld> {
  if (chosen.kind === 'target') return chosen.revision;
  const { current } = down.upstream;
  if (chosen.reason !== 'up-to-date' || down.planned === undefined || current === undefined) return chosen;
  return (await inStep(ports, down, current, signal)) ? chosen : current;
}
