/** Pure: the dashboard's tables of channels: what each offers, and which of those that follow it are elsewhere, and why. */
import type { Catalog, CatalogChannels, CatalogRepository } from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import { offerOf, type PackageOffer } from '../../channels/offer.ts';
import type { ChannelDocument, DeprecationDocument } from '../../channels/package-channels.ts';
import { planUpdate } from '../../channels/plan.ts';
import { newestInRange } from '../../config/follow.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import { visibleFollowers } from '../downstream/downstream-progress.ts';
import { nextOf, rolledBackOf } from '../rollout/rolled-back.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { section } from './section.ts';

/** A package that follows a channel, and may be named where the channel is. */
export interface ChannelFollower {
  /** `owner/name:path` */
  readonly name: string;
  readonly channel: string;
  /** The revision or ref that it is locked to. */
  readonly at: string | undefined;
  readonly policy?: 'SelfCertified';
  readonly onWithdrawn?: 'ignore';
  /** Revisions that the rollout of the package rolled back. */
  readonly rolledBack: readonly string[];
  /** What came of the last look at it. */
  readonly standing: Standing | undefined;
}

/** Those that follow channels of a repository, by the directory of the package that they are made from. */
export function channelFollowers(
  catalog: Catalog,
  repository: CatalogRepository,
): ReadonlyMap<string, readonly ChannelFollower[]> {
  return new Map(
    [...(repository.channelFiles ?? [])].map(([directory]) => {
      const { visible } = visibleFollowers(catalog, repository, directory);
      const rolledBack = rolledBackOf(catalog, repository.ref.id, directory);
      const followers = visible.flatMap((one): ChannelFollower[] => {
        const { follow } = one;
        const { policy, onWithdrawn } = one.repository.updates ?? {};
        if (follow?.kind !== 'channel') return [];
        const standing = catalog.standings(one.repository.ref.id).get(one.path);
        const { name, at } = one;
        return [
          {
            name,
            at,
            channel: follow.channel,
            standing,
            rolledBack,
            ...(policy && { policy }),
            ...(onWithdrawn && { onWithdrawn }),
          },
        ];
      });
      return [directory, followers] as const;
    }),
  );
}

interface ChannelsInput {
  readonly repository: CatalogRepository;
  readonly channelFollowers: ReadonlyMap<string, readonly ChannelFollower[]>;
}

/** '' where no package has a channel file. */
export function channelsPart({ repository, channelFollowers: all }: ChannelsInput): string {
  const files = [...(repository.channelFiles ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (files.length === 0) return '';
  const offered: string[][] = [];
  const elsewhere: string[][] = [];
  for (const [directory, file] of files) {
    const path = packagePathOf(repository.directory, directory) ?? directory;
    const offer = offerOf(path, repository.revisions.get(directory) ?? [], file.document);
    const followers = all.get(directory) ?? [];
    const states = followers.map((one) => ({ ...one, ...stateOf(offer, file, one) }));
    offered.push(...rowsOf(offer, file, states));
    elsewhere.push(
      ...states
        .filter(({ state }) => state !== 'current')
        .map(({ name, channel, at = '', state, why }) => [
          code(name),
          code(`${path}/${channel}`),
          at === '' ? '' : code(at),
          code(state),
          foreignSentence(why),
        ]),
    );
  }
  const tables = [
    section('Channels', ['package', 'channel', 'head', 'offers', 'followers at the head', ''], offered),
    ...(elsewhere.length === 0
      ? []
      : [section('Followers elsewhere', ['package', 'follows', 'at', 'state', 'why'], elsewhere)]),
  ];
  return tables.join('\n\n');
}

function rowsOf(
  { path, channels, defaultChannel, deprecations }: PackageOffer,
  { file, document, mistakes }: CatalogChannels,
  followers: readonly { readonly channel: string; readonly state: string }[],
): string[][] {
  if (document === undefined) {
    const what = `stopped: ${code(file)} is invalid, so no update follows its channels`;
    return [[code(path), '', '', '', '', what]];
  }
  return [...channels].flatMap(([name, channel]) => {
    if (channel.kind === 'tag') return [];
    const { live, head } = channel.graph;
    const its = followers.filter((one) => one.channel === name);
    const current = its.filter(({ state }) => state === 'current').length;
    const notes = [
      ...(name === defaultChannel ? ['the default'] : []),
      ...(mistakes > 0 ? [`${code(file)} has errors: the last valid version is in force`] : []),
      ...notesOf(channel.document, deprecations),
    ];
    return [
      [
        code(path),
        code(name),
        head === undefined ? 'none' : code(`v${head}`),
        `${live.length}`,
        its.length === 0 ? '' : `${current} of ${its.length}`,
        notes.join('; '),
      ],
    ];
  });
}

/** Revisions of each kind that are named; the rest is counted. */
const MAX_NAMED = 5;

function notesOf(
  { name, members, promotion }: ChannelDocument,
  deprecations: readonly DeprecationDocument[],
): string[] {
  const numbers = new Set(members.map(({ revision }) => `v${revision}`));
  const deprecated = deprecations.flatMap((one) =>
    one.schema === 'revision' && numbers.has(one.name ?? '') ? [one.name ?? ''] : [],
  );
  const isDeprecated = deprecations.some(
    (one) => one.schema === 'package' || (one.schema === 'channel' && one.name === name),
  );
  const those = (isOne: (member: ChannelDocument['members'][number]) => boolean): string[] =>
    members.filter(isOne).map(({ revision }) => `v${revision}`);
  return [
    ...(isDeprecated ? ['deprecated'] : []),
    ...(promotion?.from === undefined ? [] : [`promoted from ${code(promotion.from)}`]),
    ...listed(
      'waypoint',
      those(({ waypoint, withdrawn }) => waypoint === true && withdrawn === undefined),
    ),
    ...listed(
      'withdrawn',
      those(({ withdrawn }) => withdrawn !== undefined),
    ),
    ...listed('deprecated', deprecated),
  ];
}

function listed(what: string, revisions: readonly string[]): string[] {
  const more = revisions.length - MAX_NAMED;
  const shown = revisions.slice(-MAX_NAMED).map(code).join(', ');
  return revisions.length === 0 ? [] : [`${what} ${shown}${more > 0 ? ` and ${more} more` : ''}`];
}

/** Of these the last look at the package knows no more than the channel does. */
const OF_THE_CHANNEL: readonly string[] = ['up-to-date', 'merged', 'not-followed'];

/** Where a follower stands: `current`, the channel's own reason, or what its repository says keeps it. */
function stateOf(
  offer: PackageOffer,
  { document }: Pick<CatalogChannels, 'document'>,
  { at, channel, policy, standing, rolledBack, onWithdrawn }: ChannelFollower,
): { readonly state: string; readonly why: string } {
  if (document === undefined) return { state: 'channel-stopped', why: 'the channels are stopped' };
  if (at === undefined || parseRevisionName(at) === undefined) {
    const why = 'it is locked to a commit that is not a revision';
    return { state: standing?.reason ?? 'drifted', why };
  }
  const follow = { kind: 'channel', channel } as const;
  const position = { kind: 'revision', revision: at } as const;
  const planned = planUpdate(offer, { at: position, follow, newestInRange, ...(policy && { policy }) });
  const deprecated = planned.deprecations.filter(({ schema, name }) => schema === 'revision' && name === at);
  const why = [
    nextOf(planned, { at, rolledBack, onWithdrawn }).message,
    ...deprecated.map(({ message }) => `${at} is deprecated: ${message}`),
  ].join('; ');
  if (planned.code === 'current') {
    return { state: deprecated.length > 0 ? 'deprecated' : 'current', why };
  }
  const own = standing !== undefined && !OF_THE_CHANNEL.includes(standing.reason);
  return { state: own ? standing.reason : planned.code, why };
}
