/** The way from one bundle to another over several upgrades. */
import type { ChannelBlob, ChannelEntry } from './catalog.ts';
import { byText } from './go-text.ts';
import { RangeIndex } from './range-search.ts';
import { parseRange, type VersionRange } from './range.ts';
import type { Candidate, Installed } from './successors.ts';
import { compareVersions, type Version } from './version.ts';

/**
 * Every bundle that can be reached from what is installed, with the one that comes before it on a shortest way. Costs
 * little more than the entries themselves: an entry is looked at once, however many versions its range holds.
 */
export function reachableFrom(
  installed: Installed,
  candidates: readonly Candidate[],
  channels: readonly ChannelBlob[],
): ReadonlyMap<string, string> {
  const entries = channels.flatMap((channel) => channel.entries).toSorted((a, b) => byText(a.name, b.name));
  const versions = new Map(candidates.map(({ name, version }) => [name, version]));
  versions.set(installed.name, installed.version);
  const next = new Followers(entries, [...versions.values()]);
  const before = new Map<string, string>();
  let level = [installed.name];
  const seen = new Set(level);
  while (level.length > 0) {
    const found: string[] = [];
    for (const name of level) {
      for (const to of next.take(name, versions.get(name))) {
        if (seen.has(to)) continue;
        seen.add(to);
        before.set(to, name);
        found.push(to);
      }
    }
    // The higher version first: of two ways that are equally short it is the one that is taken.
    level = found.sort((a, b) => byFallingVersion(versions.get(a), versions.get(b)) || byText(a, b));
  }
  return before;
}

function byFallingVersion(a: Version | undefined, b: Version | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareVersions(b, a);
}

/** The names on the way, from the first to the last. */
export function pathTo(name: string, before: ReadonlyMap<string, string>): string[] {
  const path = [name];
  for (let here = before.get(name); here !== undefined; here = before.get(here)) path.push(here);
  return path.reverse();
}

/** Entries by what they follow. Those behind a version are handed out once, because one visit is enough. */
class Followers {
  readonly #byName = new Map<string, string[]>();
  readonly #byRange: RangeIndex<string>;

  constructor(entries: readonly ChannelEntry[], versions: readonly Version[]) {
    const ranges: [string, VersionRange][] = [];
    for (const { name, replaces, skips, skipRange } of entries) {
      for (const below of new Set([replaces, ...skips])) {
        const followers = this.#byName.get(below) ?? [];
        this.#byName.set(below, followers);
        if (below !== '') followers.push(name);
      }
      const range = skipRange === '' ? undefined : parseRange(skipRange).value;
      if (range !== undefined) ranges.push([name, range]);
    }
    this.#byRange = new RangeIndex(versions, ranges);
  }

  *take(name: string, version: Version | undefined): Generator<string> {
    yield* this.#byName.get(name) ?? [];
    if (version === undefined) return;
    for (const names of this.#byRange.covering(version)) yield* names.splice(0);
  }
}
