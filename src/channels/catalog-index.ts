/**
 * The index of a repository's packages: what is published, what its channels offer, and who follows what. It is derived
 * from tags, channel files and locks, and holds no clock: the same commits, the same bytes.
 */

import type { RepositoryDirectory } from '../revision/package-path.ts';
import type { ChannelProblem } from './channels-node.ts';
import { bestAfter } from './next.ts';
import { numberOf, type OfferedChannel, type PackageOffer } from './offer.ts';
import type { DeprecationDocument, MemberDocument } from './package-channels.ts';
import type { Follow, PlannedUpdate, Position } from './plan.ts';

export interface IndexSource {
  /** `owner/name`; absent where no address tells it. */
  readonly repository?: string;
  readonly branch: string;
  /** Head of the branch, from which channel files and configuration are. */
  readonly commit: string;
}

export interface IndexedRevision {
  readonly name: string;
  readonly commit: string;
  /** Of the package's directory; absent where the commit has no such directory. */
  readonly tree?: string;
  /** When the tag was made, or the commit of a tag that is none of its own. */
  readonly publishedAt: string;
}

export interface IndexedPackage {
  readonly offer: PackageOffer;
  /** From the top of the repository. */
  readonly directory: RepositoryDirectory;
  readonly revisions: readonly IndexedRevision[];
  /** Of its channel file, which it may lack. */
  readonly file?: string;
  readonly problems: readonly ChannelProblem[];
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

/** The index as text: keys in order, indented by two, with a line feed at its end. */
export function indexText(
  source: IndexSource,
  packages: readonly IndexedPackage[],
  subscribers: readonly Subscriber[],
): string {
  const followers = new Map<string, Subscriber[]>();
  for (const one of subscribers) {
    const known = followers.get(one.upstream);
    if (known === undefined) followers.set(one.upstream, [one]);
    else known.push(one);
  }
  const index = {
    schema: 1,
    source,
    packages: Object.fromEntries(
      packages.map((one) => [one.offer.path, packageIndex(one, followers.get(one.offer.path) ?? [])]),
    ),
  };
  return `${JSON.stringify(inOrder(index), null, 2)}\n`;
}

function packageIndex(
  { offer, directory, revisions, file, problems }: IndexedPackage,
  subscribers: readonly Subscriber[],
): object {
  const channels = [...offer.channels].map(
    ([name, channel]) => [name, channelIndex(channel, offer)] as const,
  );
  return {
    directory,
    ...(file !== undefined && { file }),
    ...(offer.defaultChannel !== undefined && { defaultChannel: offer.defaultChannel }),
    revisions: Object.fromEntries(
      revisions.map(({ name, commit, tree, publishedAt }) => [
        name,
        { commit, ...(tree !== undefined && { tree }), publishedAt },
      ]),
    ),
    channels: Object.fromEntries(channels),
    deprecations: sortedByText(offer.deprecations.map(deprecationIndex)),
    problems: problems.map(({ rule, line, message, severity }) => ({ rule, line, message, severity })),
    subscribers: Object.fromEntries(subscribers.map((one) => [one.downstream, subscriberIndex(one)])),
  };
}

/** `next` has where each member leads: all other edges follow from the members. */
function channelIndex(channel: OfferedChannel, offer: PackageOffer): object {
  if (channel.kind === 'tag') return { mode: 'tag', head: channel.revision };
  const { document, graph } = channel;
  const { head, live, withdrawn } = graph;
  const next = live.flatMap((revision) => {
    const to = bestAfter(revision, graph, offer.deprecated);
    return to === undefined ? [] : [[`v${revision}`, `v${to}`] as const];
  });
  const revisionsWith = (has: (member: MemberDocument) => boolean): string[] =>
    rising(document.members.filter(has).map(({ revision }) => revision));
  return {
    mode: document.mode,
    ...(document.auto !== undefined && { auto: document.auto }),
    ...(head !== undefined && { head: `v${head}` }),
    live: rising(live),
    next: Object.fromEntries(next),
    waypoints: revisionsWith((member) => member.waypoint === true && !withdrawn.has(member.revision)),
    withdrawn: Object.fromEntries(
      document.members.flatMap(({ revision, withdrawn: why }) =>
        why === undefined ? [] : [[`v${revision}`, why.reason ?? '']],
      ),
    ),
    ...(document.promotion && { promotion: { from: document.promotion.from } }),
  };
}

function rising(revisions: readonly number[]): string[] {
  return [...new Set(revisions)].sort((a, b) => a - b).map((revision) => `v${revision}`);
}

function deprecationIndex({ schema, name, message, severity, supersededBy }: DeprecationDocument): object {
  return {
    schema,
    ...(name !== undefined && { name }),
    message,
    severity,
    ...(supersededBy !== undefined && { supersededBy: `v${supersededBy}` }),
  };
}

function sortedByText(items: readonly object[]): object[] {
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

function subscriberIndex({ at, commit, follow, planned }: Subscriber): object {
  const { code, message, behind, to, path, nearest, downgrade } = planned;
  return {
    ...(commit !== undefined && { commit }),
    follow: followText(follow),
    at: positionText(at),
    code,
    message,
    behind,
    path,
    ...(to !== undefined && { next: to }),
    ...(nearest !== undefined && { nearest }),
    ...(downgrade && { downgrade }),
  };
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

/** The same data with keys in order; revisions among them by their numbers. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byKey(a, b))
      .map(([name, item]) => [name, inOrder(item)]),
  );
}

function byKey(a: string, b: string): number {
  const [one, other] = [numberOf(a), numberOf(b)];
  if (one !== undefined && other !== undefined) return one - other;
  return a < b ? -1 : a > b ? 1 : 0;
}
