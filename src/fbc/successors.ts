/** Which bundles an installation may move to, as operator-controller decides. */
import type { BundleBlob, ChannelBlob, ChannelEntry } from './catalog.ts';
import { byText } from './go-text.ts';
import { parseProperties, PropertyMistake } from './properties.ts';
import { parseRange, type VersionRange } from './range.ts';
import {
  compareReleases,
  compareVersions,
  formatVersion,
  parseRelease,
  parseVersion,
  type Release,
  type Version,
} from './version.ts';

/** A bundle with the version that resolution goes by. Bundles without a readable version are no candidates. */
export interface Candidate {
  readonly blob: BundleBlob;
  readonly name: string;
  readonly version: Version;
  readonly release: Release;
}

/** What is installed: a bundle of the catalog, or one that it no longer has. */
export interface Installed {
  readonly name: string;
  readonly version: Version;
  readonly release: Release;
}

export function candidatesOf(bundles: readonly BundleBlob[]): Candidate[] {
  return bundles.flatMap((blob) => {
    const version = versionReleaseOf(blob);
    return version === undefined ? [] : [{ blob, name: blob.name, ...version }];
  });
}

function versionReleaseOf({ properties }: BundleBlob): { version: Version; release: Release } | undefined {
  try {
    const { packages } = parseProperties(properties);
    const [first] = packages;
    return first === undefined || packages.length > 1 ? undefined : withRelease(first.version, first.release);
  } catch (error) {
    if (error instanceof PropertyMistake) return undefined;
    throw error;
  }
}

/** Bundles from before there were releases have them as build metadata. */
function withRelease(version: string, release = ''): { version: Version; release: Release } | undefined {
  const { value } = parseVersion(version);
  if (value === undefined) return undefined;
  if (release !== '') {
    const own = parseRelease(release).value;
    return own === undefined ? undefined : { version: value, release: own };
  }
  const legacy = parseRelease(value.build.join('.')).value;
  return legacy === undefined || value.build.length === 0
    ? { version: value, release: [] }
    : { version: { ...value, build: [] }, release: legacy };
}

/**
 * What `name` stands for: a bundle of the catalog, or one that was there once and whose version is told, or is the end of
 * its name as in `redis.v1.2.0`. Undefined where no version is known.
 */
export function installedOf(
  name: string,
  candidates: readonly Candidate[],
  version?: string,
): Installed | undefined {
  if (version !== undefined) {
    const released = withRelease(version);
    return released && { name, ...released };
  }
  const known = candidates.find((candidate) => candidate.name === name);
  if (known !== undefined) return known;
  const last = /[.-]v(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]*)?)$/.exec(name)?.[1];
  const guessed = last === undefined ? undefined : withRelease(last);
  return guessed && { name, ...guessed };
}

/** The version as it is written, with a release that once was build metadata back in its place. */
export function installedVersion({ version, release }: Installed): string {
  const build = version.build.length === 0 && release.length > 0 ? release.map(String) : version.build;
  return formatVersion({ ...version, build });
}

/** True for entries that say that they come after what is installed. */
function isSuccessor(entry: ChannelEntry, installed: Installed, ranges: Ranges): boolean {
  if (entry.replaces === installed.name || entry.skips.includes(installed.name)) return true;
  return ranges.of(entry.skipRange)?.matches(installed.version) === true;
}

/** Ranges by their text: many entries have the same. */
class Ranges {
  readonly #known = new Map<string, VersionRange | undefined>();

  of(text: string): VersionRange | undefined {
    if (text === '') return undefined;
    if (!this.#known.has(text)) this.#known.set(text, parseRange(text).value);
    return this.#known.get(text);
  }
}

/** Candidates that may follow what is installed in these channels, and what is installed itself; the highest first. */
export function successorsOf(
  installed: Installed,
  candidates: readonly Candidate[],
  channels: readonly ChannelBlob[],
): Candidate[] {
  const ranges = new Ranges();
  const names = new Set<string>();
  for (const { entries } of channels) {
    for (const entry of entries) if (isSuccessor(entry, installed, ranges)) names.add(entry.name);
  }
  return candidates
    .filter((candidate) => names.has(candidate.name) || isSameVersion(candidate, installed))
    .toSorted(byFalling);
}

function isSameVersion(a: Omit<Installed, 'name'>, b: Omit<Installed, 'name'>): boolean {
  return compareVersions(a.version, b.version) === 0 && compareReleases(a.release, b.release) === 0;
}

/** The highest version first, and the highest release of it. */
export function byFalling(a: Candidate, b: Candidate): number {
  return (
    compareVersions(b.version, a.version) || compareReleases(b.release, a.release) || byText(a.name, b.name)
  );
}
