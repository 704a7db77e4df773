/**
 * The tag of a channel that has a file is derived: it leads to the head that follows from the file on the registered branch. Where
 * it was put last stands in a ref beside it, so that a tag that somebody moved by hand is told apart from a head that moved.
 */

import { graphOf } from '../../channels/channel-graph.ts';
import { channelNameProblem } from '../../channels/channel-name.ts';
import { channelGraphInput } from '../../channels/check-channels.ts';
import {
  pathInRepository,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../../revision/package-path.ts';
import { CHANNEL_LEDGER, channelLedgerRef, channelTag } from '../../revision/ref-name.ts';
import { CHANNELS_CHECK } from '../check-names.ts';
import { channelStandingCheck, type ChannelStanding } from '../check/channel-standing.ts';
import type { GitRef, RefUpdate } from '../git-port.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import {
  publishedNumbers,
  type ChannelPlace,
  type PackageChannelState,
} from '../repository/channel-files.ts';
import { tagOf, taggedRevisions } from '../repository/package-revisions.ts';
import { wasOvertaken } from '../repository/refused-push.ts';

/** One tag that is to lead elsewhere. */
export interface ChannelTagMove {
  /** Without `refs/tags/`. */
  readonly tag: string;
  readonly updates: readonly RefUpdate[];
  /** The revision that it is to lead to; absent where the channel is gone. */
  readonly to?: string;
  /** Somebody moved or removed the tag: the commit that it leads to now, null for none. */
  readonly byHand?: string | null;
}

interface Known {
  readonly place: ChannelPlace;
  readonly channels: ReadonlyMap<string, PackageChannelState>;
  /** Refs below `refs/portico/channels/`. */
  readonly ledger: ReadonlyMap<string, GitRef>;
}

/** Pure: what is to be moved so that tags say what the files say. Packages whose channels are stopped are left as they are. */
function channelTagMoves(known: Known): readonly ChannelTagMove[] {
  const { place, channels } = known;
  const moves: ChannelTagMove[] = [];
  const kept = new Set<string>();
  for (const [path, { document }] of channels) {
    const directory = pathInRepository(place.registered, path);
    if (document === undefined) {
      for (const ref of known.ledger.keys()) if (isOf(ref, directory)) kept.add(ref);
      continue;
    }
    const published = new Set(publishedNumbers(place, path));
    for (const channel of document.channels) {
      const { head } = graphOf(channelGraphInput(channel, published));
      const ledger = channelLedgerRef(directory, channel.name);
      kept.add(ledger);
      const to = head === undefined ? undefined : `v${head}`;
      const commit = to === undefined ? undefined : tagOf(place.refs, directory, to)?.commit;
      if (to === undefined || commit === undefined) continue;
      const move = moveTo(known, { tag: channelTag(directory, channel.name), ledger, to, commit });
      if (move !== undefined) moves.push(move);
    }
  }
  const files = new Set([...channels.keys()].map((path) => pathInRepository(place.registered, path)));
  return [
    ...moves,
    ...[...known.ledger.keys()].filter((ref) => !kept.has(ref)).map((ref) => leave(known, ref, files)),
  ];
}

function moveTo(
  { place, ledger: all }: Known,
  {
    tag,
    ledger,
    to,
    commit,
  }: { readonly tag: string; readonly ledger: string; readonly to: string; readonly commit: string },
): ChannelTagMove | undefined {
  const standing = place.refs.tags.get(`refs/tags/${tag}`);
  const last = all.get(ledger);
  const isRight = standing?.commit === commit;
  if (isRight && last?.oid === commit) return undefined;
  const record = { ref: ledger, to: commit, expect: last?.oid ?? null };
  if (isRight) return { tag, to, updates: [record] };
  const put = { ref: `refs/tags/${tag}`, to: commit, expect: standing?.oid ?? null };
  const isOurs = standing === undefined ? last === undefined : standing.commit === last?.commit;
  const updates = last?.oid === commit ? [put] : [put, record];
  return { tag, to, updates, ...(!isOurs && { byHand: standing?.commit ?? null }) };
}

/**
 * A channel that its file has no more goes with its tag; where the file went too, the tag is whoever's it was before. Whoever may
 * push writes the ledger as well, so only what can be a channel's tag goes: a light one with a channel's name, at a revision.
 */
function leave({ place, ledger }: Known, ref: string, files: ReadonlySet<string>): ChannelTagMove {
  const last = ledger.get(ref);
  const tag = ref.slice(CHANNEL_LEDGER.length);
  const standing = place.refs.tags.get(`refs/tags/${tag}`);
  const forget = { ref, to: null, expect: last?.oid ?? null };
  if (standing === undefined || standing.oid !== last?.oid || !files.has(directoryOf(tag))) {
    return { tag, updates: [forget] };
  }
  const isChannel = channelNameProblem(tag.slice(tag.lastIndexOf('/') + 1)) === undefined;
  const isAtRevision = taggedRevisions(place.refs, directoryOf(tag)).some(
    ({ name }) => tagOf(place.refs, directoryOf(tag), name)?.commit === standing.commit,
  );
  if (!isChannel || !isAtRevision) return { tag, updates: [forget] };
  return { tag, updates: [{ ref: `refs/tags/${tag}`, to: null, expect: standing.oid }, forget] };
}

function isOf(ledgerRef: string, directory: RepositoryDirectory): boolean {
  return directoryOf(ledgerRef.slice(CHANNEL_LEDGER.length)) === directory;
}

function directoryOf(tag: string): RepositoryDirectory {
  return repositoryDirectory(tag.slice(0, Math.max(0, tag.lastIndexOf('/'))));
}

/**
 * Moves the tags, each by itself and only from where it was seen, and says on the head of the registered branch what is wrong with
 * channel files, what was put right and what the forge refused. Run again, it does nothing.
 */
export async function deriveChannelTags(
  ports: Pick<Ports, 'log'>,
  { git, forge, ref }: RepositoryAccess,
  { place, channels }: Pick<Known, 'place' | 'channels'>,
  signal?: AbortSignal,
): Promise<void> {
  const ledger = await git.refs(CHANNEL_LEDGER, signal);
  if (channels.size === 0 && ledger.size === 0) return;
  const repository = `${ref.owner}/${ref.name}`;
  const standing: ChannelStanding = {
    mistakes: mistakesIn(channels),
    corrected: new Map(),
    refused: new Map(),
  };
  for (const { tag, to = '', updates, byHand } of channelTagMoves({ place, channels, ledger })) {
    const answer = await git.push(updates, signal);
    const rejected = answer.ok ? undefined : answer.rejected[0];
    if (rejected === undefined) {
      ports.log.info({ repository, tag, to, was: byHand }, 'the tag of a channel was moved');
      if (byHand !== undefined) standing.corrected.set(tag, { to, was: byHand });
    } else if (!wasOvertaken(rejected)) {
      ports.log.warn(
        { repository, tag, to, err: rejected.message },
        'the forge refused the tag of a channel',
      );
      standing.refused.set(tag, rejected);
    }
  }
  const tells = standing.mistakes.size + standing.corrected.size + standing.refused.size > 0;
  const before = (await forge.listChecks(place.head, signal)).find(({ name }) => name === CHANNELS_CHECK);
  if (tells || before?.conclusion === 'failure') {
    await forge.putCheck(channelStandingCheck(place.head, standing), signal);
  }
}

function mistakesIn(channels: ReadonlyMap<string, PackageChannelState>): Map<string, PackageChannelState> {
  return new Map(
    [...channels].filter(([, { problems }]) => problems.some(({ severity }) => severity === 'error')),
  );
}
