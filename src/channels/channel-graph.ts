/**
 * What a channel offers to whom: its head, and the revisions that may follow each. Everything follows from the set of
 * members alone; their order in the file says nothing.
 */
import { headsOf, type GraphEntry } from '../fbc/channel-graph.ts';
import { RangeIndex } from '../fbc/range-search.ts';
import { parseRange, type VersionRange } from '../fbc/range.ts';
import { parseVersion, type Version } from '../fbc/version.ts';
import type { Channel, GraphMember, SequenceMember } from './channel.ts';

export interface ChannelGraph {
  /** The revision to be at; undefined for a channel that offers nothing, or does not say which. */
  readonly head: number | undefined;
  /** Members that are not withdrawn, rising. */
  readonly live: readonly number[];
  readonly withdrawn: ReadonlySet<number>;
  /** Live members that may directly follow a revision, rising; the revision need not be a member. */
  readonly after: (revision: number) => readonly number[];
  /** The one of these that is taken: the highest, and one that is deprecated only where no other may follow. */
  readonly best: (revision: number, deprecated: ReadonlySet<number>) => number | undefined;
}

export function graphOf(channel: Channel): ChannelGraph {
  const withdrawn = new Set(
    channel.members.filter((member) => member.withdrawn === true).map(({ revision }) => revision),
  );
  return channel.mode === 'sequence'
    ? sequenceGraph(channel.members, withdrawn)
    : memberGraph(channel.members, withdrawn);
}

/** The greatest waypoint below an end of a jump bounds where the jump may begin. */
function sequenceGraph(members: readonly SequenceMember[], withdrawn: ReadonlySet<number>): ChannelGraph {
  const alive = members.filter(({ revision }) => !withdrawn.has(revision));
  const live = [...new Set(alive.map(({ revision }) => revision))].sort((a, b) => a - b);
  const waypoints = alive
    .filter((member) => member.waypoint === true)
    .map(({ revision }) => revision)
    .sort((a, b) => a - b);
  // A jump may end at the next waypoint at most: whatever lies behind it begins there.
  const wallOf = (revision: number): number => waypoints[firstAbove(waypoints, revision)] ?? Infinity;
  const lasting = new WeakMap<ReadonlySet<number>, readonly number[]>();
  const highest = (rising: readonly number[], revision: number): number | undefined => {
    const found = rising[firstAbove(rising, wallOf(revision)) - 1];
    return found !== undefined && found > revision ? found : undefined;
  };
  return {
    head: live.at(-1),
    live,
    withdrawn,
    after: (revision) => live.slice(firstAbove(live, revision), firstAbove(live, wallOf(revision))),
    best: (revision, deprecated) => {
      const good = lasting.get(deprecated) ?? live.filter((one) => !deprecated.has(one));
      lasting.set(deprecated, good);
      return highest(good, revision) ?? highest(live, revision);
    },
  };
}

/** The place of the first number above another, of rising numbers. */
function firstAbove(rising: readonly number[], number: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

function memberGraph(members: readonly GraphMember[], withdrawn: ReadonlySet<number>): ChannelGraph {
  // Rising, so that what lists hold is rising too.
  const alive = members
    .filter(({ revision }) => !withdrawn.has(revision))
    .sort((a, b) => a.revision - b.revision);
  const live = [...new Set(alive.map(({ revision }) => revision))];
  const versions = new Map(members.map((member) => [member.revision, versionOf(member)]));
  const byBelow = new Map<number, number[]>();
  const ranged: [number, VersionRange][] = [];
  for (const { revision, replaces, skips = [], skipRange } of alive) {
    for (const below of new Set([...(replaces === undefined ? [] : [replaces]), ...skips])) {
      const followers = byBelow.get(below) ?? [];
      byBelow.set(below, followers);
      followers.push(revision);
    }
    const range = skipRange === undefined ? undefined : parseRange(skipRange).value;
    if (range !== undefined) ranged.push([revision, range]);
  }
  const known = [...versions.values()].filter((version) => version !== undefined);
  const index = new RangeIndex(known, ranged);
  /** Lists that together have all that may follow; few of them, each of which may be long. */
  const listsFor = (revision: number): readonly (readonly number[])[] => {
    const above = byBelow.get(revision) ?? [];
    const version = versions.get(revision);
    if (version !== undefined) return [above, ...index.covering(version)];
    // Not a member: asked for once, so every range may be asked.
    const own = versionOf({ revision });
    return [above, ranged.filter(([, range]) => own !== undefined && range.matches(own)).map(([one]) => one)];
  };
  const lasting = new WeakMap<ReadonlySet<number>, WeakMap<readonly number[], readonly number[]>>();
  return {
    head: graphHead(alive),
    live,
    withdrawn,
    after: (revision) => {
      const found = new Set(listsFor(revision).flat());
      return [...found].filter((one) => one !== revision).sort((a, b) => a - b);
    },
    best: (revision, deprecated) => {
      const good = lasting.get(deprecated) ?? new WeakMap<readonly number[], readonly number[]>();
      lasting.set(deprecated, good);
      const lists = listsFor(revision);
      const healthy = lists.map((list) => {
        const left = good.get(list) ?? list.filter((one) => !deprecated.has(one));
        good.set(list, left);
        return left;
      });
      return highestBeside(healthy, revision) ?? highestBeside(lists, revision);
    },
  };
}

/** The highest number in rising lists that is another than this one. */
function highestBeside(lists: readonly (readonly number[])[], other: number): number | undefined {
  const tops = lists.flatMap((list) => list.findLast((one) => one !== other) ?? []);
  return tops.length === 0 ? undefined : Math.max(...tops);
}

/** The one live member that no other live one replaces or skips. */
function graphHead(alive: readonly GraphMember[]): number | undefined {
  const heads = headsOf(alive.map(entryOf));
  return heads.length === 1 ? Number(heads[0]) : undefined;
}

/** A member as the graph of a catalog has it, named by its number. */
export function entryOf({
  revision,
  replaces,
  skips = [],
}: Pick<GraphMember, 'revision' | 'replaces' | 'skips'>): GraphEntry {
  return {
    name: String(revision),
    replaces: replaces === undefined ? '' : String(replaces),
    skips: skips.map(String),
  };
}

function versionOf({ revision, version }: GraphMember): Version | undefined {
  return parseVersion(version ?? `${revision}.0.0`).value;
}
