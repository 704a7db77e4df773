/**
 * Operator indexes from before catalogs were files: bundles say themselves which channels they are in, and tools worked the
 * graph out as they added one after the other, so that another order gave another graph. Here the graph follows from the set.
 */
import { byText, quoted } from './go-text.ts';
import {
  compareReleases,
  compareVersions,
  formatVersion,
  parseRelease,
  parseVersion,
  type Parsed,
  type Version,
} from './version.ts';

export interface OldBundle {
  readonly image?: string;
  readonly name: string;
  readonly package: string;
  /** '' for bundles from before there were versions; they come before all others. */
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly channels: readonly string[];
  /** '' where the bundle names none. */
  readonly defaultChannel?: string;
}

export interface OldEntry {
  readonly replaces: string;
  readonly skips: readonly string[];
}

export interface OldChannel {
  readonly head: string;
  readonly entries: ReadonlyMap<string, OldEntry>;
}

export interface OldPackage {
  readonly defaultChannel: string;
  readonly channels: ReadonlyMap<string, OldChannel>;
}

export type AddMode = 'replaces' | 'semver' | 'semver-skippatch';

interface Ranked {
  readonly bundle: OldBundle;
  readonly version: Version;
}

/**
 * The package that these bundles make, by the rule of `opm registry add`. Bundles of `deprecated` are the end of each channel
 * that reaches them, and are nobody's head.
 */
export function packageOfBundles(
  bundles: readonly OldBundle[],
  mode: AddMode,
  deprecated: ReadonlySet<string> = new Set(),
): Parsed<OldPackage> {
  const ranked: Ranked[] = [];
  for (const bundle of bundles) {
    const { value: version, problem } = parseVersion(bundle.version === '' ? '0.0.0-z' : bundle.version);
    if (version === undefined) return { problem: `bundle ${quoted(bundle.name)}: ${problem}` };
    ranked.push({ bundle, version });
  }
  ranked.sort((a, b) => compareRanked(a, b) || byText(a.bundle.name, b.bundle.name));
  const channels = new Map<string, OldChannel>();
  const names = [...new Set(bundles.flatMap((bundle) => bundle.channels))].sort(byText);
  for (const name of names) {
    const members = ranked.filter(({ bundle }) => bundle.channels.includes(name));
    const [head, second] = members.toReversed();
    if (head === undefined) continue;
    const twice =
      mode === 'replaces' ? second !== undefined && compareRanked(head, second) === 0 : hasTwins(members);
    if (twice) return { problem: `more than one bundle with maximum version ${formatVersion(head.version)}` };
    if (deprecated.has(head.bundle.name)) continue;
    const entries = mode === 'replaces' ? walked(head.bundle, bundles, deprecated) : linked(members, mode);
    channels.set(name, { head: head.bundle.name, entries });
  }
  const named = ranked.findLast(({ bundle }) => (bundle.defaultChannel ?? '') !== '')?.bundle.defaultChannel;
  const defaultChannel = named ?? (channels.size === 1 ? ([...channels.keys()][0] ?? '') : '');
  if (channels.has(defaultChannel)) return { value: { defaultChannel, channels } };
  return {
    problem: `unable to determine default channel among channel heads: ${[...channels.keys()].join(', ')}`,
  };
}

/** Build metadata says here which of two builds is newer. */
function compareRanked(a: Ranked, b: Ranked): number {
  const release = ({ version }: Ranked): readonly (bigint | string)[] =>
    parseRelease(version.build.join('.')).value ?? [];
  return compareVersions(a.version, b.version) || compareReleases(release(a), release(b));
}

function hasTwins(members: readonly Ranked[]): boolean {
  return members.some((member, at) => at > 0 && compareRanked(member, members[at - 1] ?? member) === 0);
}

/** What the head replaces, and so on; what one of them skips belongs to the channel too, but leads nowhere. */
function walked(
  head: OldBundle,
  bundles: readonly OldBundle[],
  deprecated: ReadonlySet<string>,
): Map<string, OldEntry> {
  const byName = new Map(bundles.map((bundle) => [bundle.name, bundle]));
  const entries = new Map<string, OldEntry>();
  let here: OldBundle | undefined = head;
  while (here !== undefined && !(entries.get(here.name)?.replaces ?? '')) {
    const isEnd = deprecated.has(here.name);
    const entry: OldEntry = isEnd
      ? { replaces: '', skips: [] }
      : { replaces: here.replaces ?? '', skips: here.skips ?? [] };
    entries.set(here.name, entry);
    for (const skip of entry.skips) if (!entries.has(skip)) entries.set(skip, { replaces: '', skips: [] });
    here = isEnd ? undefined : byName.get(entry.replaces);
  }
  return entries;
}

/** Each replaces the one before; with skip-patch only the highest patch of each minor version does, and skips the others. */
function linked(members: readonly Ranked[], mode: AddMode): Map<string, OldEntry> {
  const entries = new Map<string, OldEntry>();
  let replaces = '';
  let skips: string[] = [];
  for (const [at, { bundle, version }] of members.entries()) {
    const next = members[at + 1]?.version;
    const isPassed =
      mode === 'semver-skippatch' && next?.major === version.major && next.minor === version.minor;
    entries.set(bundle.name, isPassed ? { replaces: '', skips: [] } : { replaces, skips });
    if (isPassed) skips.push(bundle.name);
    else [replaces, skips] = [bundle.name, []];
  }
  return entries;
}

/** Bundles by the package that has them or names them; one name belongs to one package. */
export function packagesOfBundles(
  bundles: readonly OldBundle[],
): Parsed<ReadonlyMap<string, readonly OldBundle[]>> {
  const packages = new Map<string, OldBundle[]>();
  const owners = new Map<string, Set<string>>();
  for (const bundle of bundles) {
    const own = packages.get(bundle.package) ?? [];
    packages.set(bundle.package, own);
    own.push(bundle);
    for (const name of [bundle.name, bundle.replaces ?? '', ...(bundle.skips ?? [])]) {
      if (name !== '') owners.set(name, (owners.get(name) ?? new Set()).add(bundle.package));
    }
  }
  for (const [name, found] of [...owners].sort(([a], [b]) => byText(a, b))) {
    if (found.size < 2) continue;
    const all = [...found].sort(byText).join(' ');
    return { problem: `bundle ${name} must belong to exactly one package, found on: [${all}]` };
  }
  return { value: packages };
}
