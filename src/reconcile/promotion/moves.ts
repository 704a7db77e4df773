/** Which channels lead elsewhere after a proposal, and what that means for whoever follows them. */
import { graphOf, type ChannelGraph } from '../../channels/channel-graph.ts';
import { channelMermaid } from '../../channels/channel-mermaid.ts';
import { channelGraphInput } from '../../channels/check-channels.ts';
import type { JudgedChannels } from '../../channels/judge-file.ts';
import { offerOf, type PackageOffer } from '../../channels/offer.ts';
import type { ChannelDocument } from '../../channels/package-channels.ts';
import { planUpdate } from '../../channels/plan.ts';
import { newestInRange } from '../../config/follow.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { ChannelMove } from '../check/graph-check.ts';
import { visibleFollowers } from '../downstream/downstream-progress.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { publishedNumbers, type ChannelPlace } from '../repository/channel-files.ts';
import { sidesAt } from '../repository/package-files.ts';
import { channelRevision, tagOf, taggedRevisions } from '../repository/package-revisions.ts';
import { nextOf, rolledBackOf } from '../rollout/rolled-back.ts';
import { catchUserError } from '../text/why-refused.ts';

interface Proposed {
  readonly place: ChannelPlace;
  readonly path: string;
  readonly judged: JudgedChannels;
}

/** Characters of a diff between two heads. */
const MAX_DIFF = 20_000;
/** Revisions that a drawing is about. */
const MAX_ABOUT = 20;

/** The channels of one file whose members, head or edges differ from the base. */
export async function channelMoves(
  ports: Pick<Ports, 'catalog' | 'content'>,
  access: RepositoryAccess,
  { place, path, judged }: Proposed,
  signal?: AbortSignal,
): Promise<ChannelMove[]> {
  const { channels, before } = judged;
  const published = new Set(publishedNumbers(place, path));
  const directory = pathInRepository(place.registered, path);
  const names = taggedRevisions(place.refs, directory).map(({ name }) => name);
  const offer = offerOf(path, names, channels);
  const moves: ChannelMove[] = [];
  for (const channel of channels?.channels ?? []) {
    const old = before?.channels.find(({ name }) => name === channel.name);
    if (old !== undefined && haveSameContent(old, channel)) continue;
    const graph = graphOf(channelGraphInput(channel, published));
    const was = old === undefined ? undefined : graphOf(channelGraphInput(old, published));
    const from =
      was === undefined ? channelRevision(place.refs, directory, channel.name) : revisionOf(was.head);
    const to = revisionOf(graph.head);
    const about = aboutOf(was, graph);
    const versions = new Map(
      channel.members.flatMap(({ revision, version }) =>
        version === undefined ? [] : [[revision, version] as const],
      ),
    );
    const version = versions.get(graph.head ?? 0);
    const change = await changeBetween(ports, place, { directory, from, to }, signal);
    moves.push({
      package: path,
      channel: channel.name,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(version !== undefined && { version }),
      mermaid: channelMermaid(graph, { about, deprecated: offer.deprecated, versions }),
      ...followersOf(ports, access, { offer, directory, channel: channel.name }),
      ...(change && { change }),
    });
  }
  return moves;
}

function revisionOf(head: number | undefined): string | undefined {
  return head === undefined ? undefined : `v${head}`;
}

/** Lines, notes and gates lead nobody elsewhere. */
function haveSameContent(a: ChannelDocument, b: ChannelDocument): boolean {
  return leadingPart(a) === leadingPart(b);
}

function leadingPart({ mode, auto, members }: ChannelDocument): string {
  const rows = members.map(({ revision, waypoint, withdrawn, replaces, skips, skipRange, version }) => [
    revision,
    waypoint,
    withdrawn !== undefined,
    replaces,
    skips,
    skipRange,
    version,
  ]);
  return JSON.stringify([mode, auto, rows]);
}

/** Heads, and what is offered by the one and not by the other. */
function aboutOf(was: ChannelGraph | undefined, now: ChannelGraph): ReadonlySet<number> {
  const [before, after] = [new Set(was?.live), new Set(now.live)];
  const gone = [...before].filter((one) => !after.has(one));
  const come = [...after].filter((one) => !before.has(one));
  const changed = [...gone, ...come].sort((a, b) => b - a);
  return new Set([now.head, was?.head, ...changed].filter((one) => one !== undefined).slice(0, MAX_ABOUT));
}

async function changeBetween(
  { content }: Pick<Ports, 'content'>,
  { git, refs }: ChannelPlace,
  step: {
    readonly directory: RepositoryDirectory;
    readonly from: string | undefined;
    readonly to: string | undefined;
  },
  signal: AbortSignal | undefined,
): Promise<ChannelMove['change']> {
  const { directory, from, to } = step;
  const [old, now] = [from, to].map((name) =>
    name === undefined ? undefined : tagOf(refs, directory, name),
  );
  if (old === undefined || now === undefined || from === to) return undefined;
  return catchUserError(
    async () => {
      const commits = { before: old.commit, after: now.commit };
      const sides = await sidesAt(git, directory, commits, signal);
      return content.headChange({ ...sides, limit: MAX_DIFF }, signal);
    },
    (unreadable) => ({ unreadable }),
  );
}

function followersOf(
  { catalog }: Pick<Ports, 'catalog'>,
  { ref }: RepositoryAccess,
  at: { readonly offer: PackageOffer; readonly directory: RepositoryDirectory; readonly channel: string },
): Pick<ChannelMove, 'followers' | 'hidden'> {
  const upstream = catalog.get(ref.id);
  if (upstream === undefined) return { followers: [], hidden: 0 };
  const { visible, hidden } = visibleFollowers(catalog, upstream, at.directory);
  const rolledBack = rolledBackOf(catalog, ref.id, at.directory);
  const followers = visible.flatMap((one) => {
    const { follow } = one;
    const { policy } = one.repository.updates ?? {};
    if (follow?.kind !== 'channel' || follow.channel !== at.channel || one.at === undefined) return [];
    const position = { kind: 'revision', revision: one.at } as const;
    const planned = planUpdate(at.offer, { at: position, follow, newestInRange, ...(policy && { policy }) });
    const { onWithdrawn } = one.repository.updates ?? {};
    return [
      { name: one.name, at: one.at, next: nextOf(planned, { at: one.at, rolledBack, onWithdrawn }).message },
    ];
  });
  return { followers, hidden };
}
