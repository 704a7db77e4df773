/** Channels from versions: one for each major or minor number, and the edges within and between them. */
import type { ChannelBlob, Place } from './catalog.ts';
import { byText } from './go-text.ts';
import { compareVersions, type Version } from './version.ts';

export type Archetype = 'candidate' | 'fast' | 'stable';
export type StreamKind = 'major' | 'minor';

export interface Member {
  readonly name: string;
  readonly version: Version;
}

const ARCHETYPES: readonly Archetype[] = ['candidate', 'fast', 'stable'];

interface Entry {
  readonly member: Member;
  readonly channel: string;
  replaces: string;
  skips: readonly string[];
}

/**
 * The channels, by name, and the one that is the default: of the most stable archetype, then of the highest version at
 * which a channel begins, then of the preferred kind. Members come in the order of their versions.
 */
export function channelsOf({
  of,
  members,
  kinds,
  preferred,
  place,
}: {
  readonly of: string;
  readonly members: Readonly<Record<Archetype, readonly Member[]>>;
  readonly kinds: readonly StreamKind[];
  readonly preferred: StreamKind;
  readonly place: Place;
}): { readonly channels: ChannelBlob[]; readonly defaultChannel: string } {
  const channels = new Map<string, Entry[]>();
  let best: { archetype: Archetype; kind: StreamKind; version: Version; name: string } | undefined;
  for (const archetype of ARCHETYPES) {
    for (const kind of kinds) {
      const entries = members[archetype].map((member): Entry => {
        const channel = channelName(archetype, kind, member.version);
        return { member, channel, replaces: '', skips: [] };
      });
      link(entries);
      for (const entry of entries) {
        const known = channels.get(entry.channel);
        channels.set(entry.channel, known ?? [entry]);
        known?.push(entry);
        const { version } = entry.member;
        if (known !== undefined) continue;
        const order = best === undefined ? 1 : compareVersions(version, best.version);
        const better =
          best === undefined ||
          best.archetype !== archetype ||
          order > 0 ||
          (order === 0 && kind === preferred);
        if (better) best = { archetype, kind, version, name: entry.channel };
      }
    }
  }
  const blobs = [...channels]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, entries]): ChannelBlob => ({
      place,
      package: of,
      name,
      entries: entries.map(({ member, replaces, skips }) => ({
        name: member.name,
        replaces,
        skips,
        skipRange: '',
      })),
      properties: [],
      extra: {},
    }));
  return { channels: blobs, defaultChannel: best?.name ?? '' };
}

function channelName(archetype: Archetype, kind: StreamKind, { major, minor }: Version): string {
  return kind === 'major' ? `${archetype}-v${major}` : `${archetype}-v${major}.${minor}`;
}

/**
 * Within one major number the highest version of each minor one gets edges: it replaces the highest of the minor number before, and
 * skips all other lower versions. Minor channels so reach into the one before; nothing leads over to another major number.
 */
function link(entries: readonly Entry[]): void {
  let below: string[] = [];
  let replaces = '';
  for (const [at, entry] of entries.entries()) {
    const { version, name } = entry.member;
    const next = entries[at + 1]?.member.version;
    const isLastOfMajor = next?.major !== version.major;
    if (isLastOfMajor || next?.minor !== version.minor) {
      entry.replaces = replaces;
      const passed = replaces;
      entry.skips = below.filter((other) => other !== passed).sort(byText);
      replaces = name;
    }
    below.push(name);
    if (!isLastOfMajor) continue;
    below = [];
    replaces = '';
  }
}
