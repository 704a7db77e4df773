/** Which revision a downstream package is brought to. Whatever has to be looked at is asked for, so that the rule stands alone. */

import type { Position } from '../../channels/plan.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { channelTarget, firstInChannel, otherWay, type UpdateWay } from '../downstream/channel-target.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { followOf } from '../downstream/follow-of.ts';
import { updateTarget, withheld, type Target, type Withheld } from '../downstream/update-target.ts';
import type { Upstream } from '../downstream/upstream.ts';
import { channelRevision, taggedRevisions } from '../repository/package-revisions.ts';
import { isLedBack, isOlder, type WayBack } from '../rollout/led-back.ts';

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

/** What is decided of a downstream package. */
export type DecidedOn = Pick<Downstream, 'path' | 'exists' | 'planned' | 'channel' | 'channels'> & {
  readonly config: Pick<Downstream['config'], 'updates'>;
  readonly upstream: Pick<Upstream, 'refs' | 'directory' | 'current' | 'newest'>;
};

/** What is asked only where the answer decides: most of them cost a look at git, the index or the forge. */
export interface RevisionQuestions {
  /** Who paused its updates; null where nobody did. */
  pausedBy(): Promise<string | null>;
  /** Where a rollout leads back to, of a revision that it withdraws. */
  rolledBackTo(): Promise<WayBack | undefined>;
  /** Where it stands on the channels of its upstream. */
  position(): Promise<Position>;
  /** Whether the package of a variant is at this revision as its document and the inventory want it. */
  isInStep(revision: string): Promise<boolean>;
  /** Why the rollout of its upstream does not let it have this revision yet; null where it may. */
  heldByWave(revision: string): Promise<Withheld | null>;
}

/**
 * Which revision a package should be at, or why it is left where it is. `to` is a revision that somebody asked for, `recorded` the
 * one that its open pull request brings.
 */
export async function decideRevision(
  down: DecidedOn,
  { to, recorded }: { readonly to?: string | undefined; readonly recorded?: string | undefined },
  ask: RevisionQuestions,
): Promise<Decided | Withheld> {
  const { upstream } = down;
  const paused = to === undefined ? await ask.pausedBy() : null;
  if (paused !== null) return pausedUpdates(down, paused);
  const ordered = to === undefined ? await ask.rolledBackTo() : undefined;
  const back = ordered !== undefined && isLedBack(policyOf(down).follow, ordered) ? ordered : undefined;
  if (back !== undefined) {
    const fix = await fixBehind(down, ask);
    if (fix !== null) return fix;
    if (back.to === undefined) return staysWithdrawn(down);
  }
  // A revision that was asked for by command stays the target of its pull request until that is closed.
  const before = isByCommandAlone(down) ? recorded : undefined;
  const asked = to ?? back?.to ?? before;
  const chosen = await targetOf(down, asked, ask);
  const revision = await revisionToBring(down, chosen, ask);
  if (typeof revision !== 'string' && ordered !== back && revision.reason === 'up-to-date')
    return notLedBack(down, ordered?.to);
  if (typeof revision !== 'string')
    return upstream.newest === undefined ? revision : { ...revision, newest: upstream.newest };
  const held = asked === undefined ? await ask.heldByWave(revision) : null;
  if (held !== null) return { ...held, to: revision };
  const known = chosen.kind === 'target' && chosen.way !== undefined ? chosen.way : wayOf(down, revision);
  const from = upstream.current;
  // An older one comes by command only where the rollout withdraws what it is at.
  const isBackByCommand = asked !== undefined && from !== undefined && isOlder(revision, from);
  const way = back !== undefined || isBackByCommand ? awayFrom(from, back, known) : known;
  return {
    kind: 'decided',
    to: revision,
    asked: to !== undefined || back?.own === true,
    ...(way && { way }),
  };
}

/** True where nothing brings a revision but a command: no wave holds what somebody asked for. */
export function isByCommandAlone({ config, planned }: Pick<DecidedOn, 'config' | 'planned'>): boolean {
  return config.updates.follow.kind === 'none' && planned === undefined;
}

/** Why nothing comes of a package whose updates somebody paused. */
export function pausedUpdates({ path }: Pick<DecidedOn, 'path'>, by: string): Withheld {
  return withheld('paused', `Updates are paused by ${by}. Resume them with /portico resume ${path}.`);
}

type WayTarget = (Target & { readonly way?: undefined }) | ReturnType<typeof channelTarget>;

/** A channel with a file leads step by step; everything else names the revision to be at. */
async function targetOf(
  down: DecidedOn,
  asked: string | undefined,
  ask: RevisionQuestions,
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
  const { channel } = follow;
  if (!down.exists) {
    const place = { path: upstream.directory, channel, available, tagged: tagged(channel) };
    return firstInChannel(document, place);
  }
  const at = await ask.position();
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
function wayOf(down: DecidedOn, to: string): UpdateWay | undefined {
  const { document } = down.channels ?? {};
  if (document === undefined) return undefined;
  const { follow } = policyOf(down);
  const channel = follow.kind === 'channel' ? follow.channel : undefined;
  const way = otherWay(document, { from: down.upstream.current, to, channel });
  return way.deprecations.length === 0 ? undefined : way;
}

/**
 * A later revision that its rollout lets out already is brought in place of the way back: it was made to mend what the withdrawn one
 * broke, and whoever cannot go back without conflicts needs it most.
 */
async function fixBehind(down: DecidedOn, ask: RevisionQuestions): Promise<Decided | null> {
  const { current } = down.upstream;
  const chosen = await targetOf(down, undefined, ask);
  if (chosen.kind !== 'target' || current === undefined || !isOlder(current, chosen.revision)) return null;
  if ((await ask.heldByWave(chosen.revision)) !== null) return null;
  const way = chosen.way ?? wayOf(down, chosen.revision);
  return { kind: 'decided', to: chosen.revision, asked: false, ...(way && { way }) };
}

/** The way of an update that leaves a revision because its rollout withdraws it. */
function awayFrom(
  withdrawn: string | undefined,
  back: WayBack | undefined,
  way: UpdateWay | undefined,
): UpdateWay {
  const because = back?.because;
  const cause = because !== undefined && { because };
  return { deprecations: [], ...way, ...(withdrawn !== undefined && { withdrawn }), ...cause };
}

function staysWithdrawn({ path, upstream: { current = '' } }: DecidedOn): Withheld {
  const message = `The rollout of its upstream withdraws ${current}, and this package was at no other revision before. It stays until a later revision is published, or someone comments \`/portico update ${path}@<revision>\` with an older one.`;
  return { ...withheld('wave-rolled-back', message), to: current };
}

function notLedBack({ path, upstream: { current = '' } }: DecidedOn, before: string | undefined): Withheld {
  const wanted = before ?? '<revision>';
  const message = `The rollout of its upstream withdraws ${current}. It proposes nothing here, because updates.follow decides the revision or spec.controlledBy does not name the repository of the rollout. To go back, comment \`/portico update ${path}@${wanted}\`.`;
  return { ...withheld('wave-rolled-back', message), to: current };
}

function policyOf({ config: { updates }, channel, planned }: DecidedOn): UpdatePolicy {
  return { ...updates, follow: followOf(updates.follow, channel, planned) };
}

/** A variant at its revision still has to change when its document or the inventory did. */
async function revisionToBring(
  { upstream: { current }, planned }: DecidedOn,
  chosen: Target,
  ask: RevisionQuestions,
): Promise<string | Withheld> {
  if (chosen.kind === 'target') return chosen.revision;
  if (chosen.reason !== 'up-to-date' || planned === undefined || current === undefined) return chosen;
  return (await ask.isInStep(current)) ? chosen : current;
}
