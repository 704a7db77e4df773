/** What a downstream gets next of a package, and why. */
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { nextRevision, type Next } from './next.ts';
import { numberOf, type OfferedChannel, type PackageOffer } from './offer.ts';
import type { DeprecationDocument } from './package-channels.ts';

/** What a downstream's configuration says. */
export type Follow =
  | { readonly kind: 'none' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'range'; readonly range: string }
  | { readonly kind: 'pin'; readonly revision: string };

/** Where a downstream is, as its lock says. */
export type Position =
  | { readonly kind: 'revision'; readonly revision: string }
  /** No revision has what it is locked to; `nearest` is the highest that lies below it in history. */
  | { readonly kind: 'drifted'; readonly commit: string; readonly nearest?: string };

export type PlanCode =
  | 'current'
  | 'step'
  | 'withdrawn'
  | 'ahead'
  | 'unreachable'
  | 'drifted'
  | 'no-head'
  | 'no-channel'
  | 'no-revision'
  | 'not-followed';

export interface PlannedUpdate {
  readonly code: PlanCode;
  readonly message: string;
  /** True where the downstream should be elsewhere. */
  readonly behind: boolean;
  /** The revision that the next update brings. */
  readonly to?: string;
  /** All steps up to where it should be; the first is `to`. */
  readonly path: readonly string[];
  /** Where nothing leads on: the closest revision from which the head can be reached. */
  readonly nearest?: string;
  readonly downgrade?: true;
  /** What is deprecated of where it is, where it goes, and what it follows. */
  readonly deprecations: readonly DeprecationDocument[];
}

export interface PlanRequest {
  readonly at: Position;
  readonly follow: Follow;
  readonly policy?: 'CatalogProvided' | 'SelfCertified';
  /** The newest of these revisions, oldest first, that a range takes. */
  readonly newestInRange: (range: string, revisions: readonly string[]) => string | undefined;
}

type Outcome = Omit<PlannedUpdate, 'deprecations'>;

/** Decides what one downstream gets; the same for the same offer, whatever the order of anything in it. */
export function planUpdate(offer: PackageOffer, request: PlanRequest): PlannedUpdate {
  const outcome = outcomeOf(offer, request);
  const { at, follow } = request;
  const deprecations = deprecationsOn(offer, {
    from: at.kind === 'revision' ? at.revision : undefined,
    to: outcome.to,
    channel: follow.kind === 'channel' ? follow.channel : undefined,
  });
  return { ...outcome, deprecations };
}

function outcomeOf(offer: PackageOffer, request: PlanRequest): Outcome {
  const { at, follow } = request;
  if (follow.kind === 'none') return unchanged('not-followed', 'its configuration follows no upstream');
  if (at.kind === 'drifted') {
    const near = at.nearest === undefined ? '' : `; the nearest is ${at.nearest}`;
    const outcome = unchanged(
      'drifted',
      `it is locked to ${at.commit.slice(0, 12)}, which is not a revision${near}`,
    );
    return { ...outcome, behind: true, ...(at.nearest !== undefined && { nearest: at.nearest }) };
  }
  if (follow.kind !== 'channel') return towards(wanted(offer, request), at.revision, follow.kind === 'pin');
  const channel = offer.channels.get(follow.channel);
  if (channel === undefined) {
    const names = [...offer.channels.keys()].join(', ');
    const has = names === '' ? 'it has none' : `it has ${names}`;
    return unchanged('no-channel', `the upstream has no channel ${follow.channel}; ${has}`);
  }
  return inChannel({ offer, request, name: follow.channel, channel, at: at.revision });
}

function wanted(
  { revisions }: PackageOffer,
  { follow, newestInRange }: PlanRequest,
): { readonly to: string | undefined; readonly missing: string } {
  switch (follow.kind) {
    case 'pin': {
      const to = revisions.includes(follow.revision) ? follow.revision : undefined;
      return { to, missing: `the upstream has no revision ${follow.revision}` };
    }
    case 'range':
      return {
        to: newestInRange(follow.range, revisions),
        missing: `the upstream has no revision in ${follow.range}`,
      };
    default: {
      const released = revisions.findLast((name) => parseRevisionName(name)?.prerelease.length === 0);
      return { to: released ?? revisions.at(-1), missing: 'the upstream has no published revision' };
    }
  }
}

/** One step to a revision that is known; only who is told where to be goes down. */
function towards(
  { to, missing }: { readonly to: string | undefined; readonly missing: string },
  at: string,
  mayGoBack: boolean,
): Outcome {
  if (to === undefined) return unchanged('no-revision', missing);
  if (to === at) return unchanged('current', `it is at ${to}`);
  const isBelow = isOlder(to, at);
  if (isBelow && !mayGoBack) return unchanged('ahead', `it is at ${at}, above ${to}, and waits`);
  return moves('step', `step 1 of 1: ${at} → ${to}`, [to], isBelow);
}

function inChannel({
  offer,
  request: { policy },
  name,
  channel,
  at,
}: {
  readonly offer: PackageOffer;
  readonly request: PlanRequest;
  readonly name: string;
  readonly channel: OfferedChannel;
  readonly at: string;
}): Outcome {
  if (channel.kind === 'tag') return towards({ to: channel.revision, missing: '' }, at, true);
  const number = numberOf(at);
  if (number === undefined) {
    return {
      ...unchanged('unreachable', `channels name revisions by number, and it is at ${at}`),
      behind: true,
    };
  }
  const { graph, document } = channel;
  const { deprecated } = offer;
  const next = nextRevision(graph, { at: number, deprecated, ...(policy && { policy }) });
  const reason = document.members.find(({ revision }) => revision === number)?.withdrawn?.reason;
  return outcomeOfNext(next, { name, at, reason });
}

function outcomeOfNext(
  next: Next,
  { name, at, reason }: { readonly name: string; readonly at: string; readonly reason: string | undefined },
): Outcome {
  switch (next.kind) {
    case 'current':
      return unchanged('current', `it is at ${at}, the head of ${name}`);
    case 'ahead':
      return unchanged('ahead', `it is at ${at}, above v${next.head}, the head of ${name}, and waits`);
    case 'no-head':
      return unchanged('no-head', `the channel ${name} offers nothing, or has no plain head`);
    case 'back': {
      const why = reason === undefined ? 'withdrawn' : `withdrawn: ${reason}`;
      const way = next.downgrade ? 'back' : 'on';
      return moves('withdrawn', `${way} to v${next.to} (${at} ${why})`, [`v${next.to}`], next.downgrade);
    }
    case 'step': {
      const path = next.path.map((revision) => `v${revision}`);
      return moves('step', `step 1 of ${path.length}: ${[at, ...path].join(' → ')}`, path, false);
    }
    case 'unreachable': {
      const near = next.nearest === undefined ? undefined : `v${next.nearest}`;
      const help = near === undefined ? 'nothing leads there' : `the nearest that does is ${near}`;
      const outcome = unchanged(
        'unreachable',
        `nothing leads from ${at} to v${next.head}, the head of ${name}; ${help}`,
      );
      return { ...outcome, behind: true, ...(near !== undefined && { nearest: near }) };
    }
  }
}

function unchanged(code: PlanCode, message: string): Outcome {
  return { code, message, behind: false, path: [] };
}

function moves(code: PlanCode, message: string, path: readonly string[], downgrade: boolean): Outcome {
  const [to] = path;
  return {
    code,
    message,
    behind: true,
    path,
    ...(to !== undefined && { to }),
    ...(downgrade && { downgrade }),
  };
}

function isOlder(a: string, b: string): boolean {
  const [one, other] = [parseRevisionName(a), parseRevisionName(b)];
  return one !== undefined && other !== undefined && compareRevisions(one, other) < 0;
}

/** What is deprecated of a step: the package, the channel that is followed, and the revisions at both ends. */
export function deprecationsOn(
  { deprecations }: Pick<PackageOffer, 'deprecations'>,
  {
    from,
    to,
    channel,
  }: {
    readonly from: string | undefined;
    readonly to: string | undefined;
    readonly channel: string | undefined;
  },
): DeprecationDocument[] {
  return deprecations.filter(({ schema, name }) => {
    if (schema === 'package') return true;
    if (schema === 'channel') return name !== undefined && name === channel;
    return name !== undefined && (name === from || name === to);
  });
}

/** A package that is made from one of these, and what it gets next. */
export interface Subscriber {
  /** `owner/name:path`, or the folder. */
  readonly downstream: string;
  /** Head of its branch; absent for a folder that is no repository. */
  readonly commit?: string;
  /** Path of the package that it is made from. */
  readonly upstream: string;
  readonly at: Position;
  readonly follow: Follow;
  readonly planned: PlannedUpdate;
}

/** As a configuration has it. */
export function followText(follow: Follow): string {
  switch (follow.kind) {
    case 'channel':
      return `channel/${follow.channel}`;
    case 'range':
      return follow.range;
    case 'pin':
      return follow.revision;
    default:
      return follow.kind;
  }
}

/** The revision, or the commit that is none. */
export function positionText(at: Position): string {
  return at.kind === 'revision' ? at.revision : at.commit;
}
