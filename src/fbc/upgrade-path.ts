/** The way from one bundle to another over several upgrades. */
import type { ChannelBlob, ChannelEntry } from './catalog.ts';
import { byText } from './go-text.ts';
import { firstWhere } from './range-search.ts';
import { isAbove, isBelow, parseRange } from './range.ts';
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
    level = found.sort(byText);
  }
  return before;
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
  readonly #versions: readonly Version[];
  /** A tree over the ranks of the versions; each node holds the entries whose range covers all below it. */
  readonly #covering: string[][];

  constructor(entries: readonly ChannelEntry[], versions: readonly Version[]) {
    this.#versions = versions.toSorted(compareVersions);
    this.#covering = Array.from({ length: 2 * this.#versions.length }, () => []);
    for (const { name, replaces, skips, skipRange } of entries) {
      for (const below of new Set([replaces, ...skips])) {
        const followers = this.#byName.get(below) ?? [];
        this.#byName.set(below, followers);
        if (below !== '') followers.push(name);
      }
      const { value } = skipRange === '' ? {} : parseRange(skipRange);
      for (const { low, high } of value?.spans ?? []) {
        const start = this.#rank((version) => isAbove(version, low));
        this.#cover(
          name,
          start,
          this.#rank((version) => !isBelow(version, high)),
        );
      }
    }
  }

  *take(name: string, version: Version | undefined): Generator<string> {
    yield* this.#byName.get(name) ?? [];
    if (version === undefined) return;
    const rank = this.#rank((other) => compareVersions(other, version) >= 0);
    for (let node = rank + this.#versions.length; node > 0; node >>= 1) {
      yield* this.#covering[node]?.splice(0) ?? [];
    }
  }

  #rank(holds: (version: Version) => boolean): number {
    return firstWhere(this.#versions, holds);
  }

  #cover(name: string, start: number, end: number): void {
    const size = this.#versions.length;
    for (let [low, high] = [start + size, end + size]; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) this.#covering[low++]?.push(name);
      if (high % 2 === 1) this.#covering[--high]?.push(name);
    }
  }
}
