/** Which bundle of a channel may be upgraded to which, one by one. */
import { byText } from './go-text.ts';
import { MAX_EDGES } from './limits.ts';
import type { ModelBundle, ModelChannel, ModelEntry, ModelPackage } from './model.ts';
import { itemsInRange } from './range-search.ts';
import { parseRange } from './range.ts';
import { compareReleases, compareVersions, type Version } from './version.ts';

export interface UpgradeEdge {
  readonly from: string;
  readonly to: string;
  readonly by: 'replaces' | 'skips' | 'skipRange';
}

/** Members of a channel that have a bundle, by version and release, then by name. */
function byVersion(entries: Iterable<ModelEntry>): ModelMember[] {
  return [...entries]
    .flatMap((entry) => (entry.bundle === undefined ? [] : [{ ...entry, bundle: entry.bundle }]))
    .sort(compareMembers);
}

interface ModelMember extends ModelEntry {
  readonly bundle: ModelBundle;
}

function versionOf({ bundle }: ModelMember): Version {
  return bundle.version;
}

function compareMembers(a: ModelMember, b: ModelMember): number {
  return compareBundles(a.bundle, b.bundle) || byText(a.name, b.name);
}

function compareBundles(a: ModelBundle, b: ModelBundle): number {
  return compareVersions(a.version, b.version) || compareReleases(a.release, b.release);
}

export interface Edges {
  readonly edges: readonly UpgradeEdge[];
  /** How many more there are, at least. */
  readonly leftOut: number;
}

/** Every edge of a channel, in the order of the versions; no more than `most`. No entry leads to itself. */
export function upgradeEdges(channel: ModelChannel, { bundles }: ModelPackage, most = MAX_EDGES): Edges {
  const members = byVersion(channel.entries.values());
  const rank = new Map(members.map(({ name }, at) => [name, at]));
  const edges: UpgradeEdge[] = [];
  let leftOut = 0;
  for (const { name: to, replaces, skips, skipRange } of members) {
    const found: UpgradeEdge[] = [];
    const add = (from: string, by: UpgradeEdge['by']): void => {
      if (edges.length + found.length >= most) leftOut += 1;
      else if (from !== '' && from !== to) found.push({ from, to, by });
    };
    add(replaces, 'replaces');
    for (const skip of new Set(skips)) add(skip, 'skips');
    const range = skipRange === '' ? undefined : parseRange(skipRange).value;
    for (const { name } of range === undefined ? [] : itemsInRange(members, versionOf, range)) {
      add(name, 'skipRange');
      if (leftOut > 0) break;
    }
    for (const edge of found.sort((a, b) => {
      const [one, other] = [rank.get(a.from), rank.get(b.from)];
      if (one !== undefined && other !== undefined) return one - other;
      return compareNames(a.from, b.from, bundles);
    }))
      edges.push(edge);
  }
  return { edges, leftOut };
}

/** By version where both are bundles of the package; names that are none come first. */
function compareNames(a: string, b: string, bundles: ReadonlyMap<string, ModelBundle>): number {
  const [one, other] = [bundles.get(a), bundles.get(b)];
  if (one !== undefined && other !== undefined) return compareBundles(one, other) || byText(a, b);
  return Number(one !== undefined) - Number(other !== undefined) || byText(a, b);
}
