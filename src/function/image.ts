/** Function images: their names, aliases and versions. */

export interface ImageName {
  /** Registry and path, '' for a short name. */
  readonly prefix: string;
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Takes an image reference apart. */
export function parseImage(image: string): ImageName {
  const [reference = '', digest] = image.split('@');
  const slash = reference.lastIndexOf('/');
  const last = reference.slice(slash + 1);
  const colon = last.indexOf(':');
  return {
    prefix: slash === -1 ? '' : reference.slice(0, slash),
    name: colon === -1 ? last : last.slice(0, colon),
    tag: colon === -1 ? undefined : last.slice(colon + 1),
    digest,
  };
}

/** Places where the catalog's functions have been published over the years: the same name is the same function. */
const CATALOG = new Set([
  '',
  'gcr.io/kpt-fn',
  'gcr.io/kpt-fn-contrib',
  'ghcr.io/kptdev/krm-functions-catalog',
  'ghcr.io/kptdev/krm-functions-catalog/archived',
  'ghcr.io/kptdev/krm-functions-catalog/contrib',
  'ghcr.io/kptdev/krm-functions-catalog/krm-fn-contrib',
  'ghcr.io/kptdev/krm-functions-catalog/wasm',
]);

/** True for images of the kpt functions catalog. */
export function isCatalog(image: ImageName): boolean {
  return CATALOG.has(image.prefix);
}

/** A minor version that is built in, such as 0.4, with its newest known patch. */
export interface KnownVersion {
  /** The first patch that behaves so; 0 when absent. */
  readonly since?: number;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** What upstream builds from its branch; only the tag `unstable` means it. */
  readonly unstable?: true;
}

/** Constraints are short; longer ones are not worth the time to read them. */
const MAX_TAG_LENGTH = 200;

/**
 * The known version that a tag means: `v0.4`, `v0.4.1`, a semantic version constraint (`~0.4`, `0.4.1 - 0.4.3`), or
 * the newest for `latest`, `unstable` and no tag. Undefined where none fits.
 */
export function pickVersion<Version extends KnownVersion>(
  tag: string | undefined,
  known: readonly Version[],
): Version | undefined {
  const released = known.filter((version) => version.unstable !== true);
  const newest = released.toSorted(compare).at(-1);
  if (tag === 'unstable') return known.find((version) => version.unstable === true) ?? newest;
  if (tag === undefined || tag === '' || tag === 'latest') return newest;
  const exact = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(tag);
  if (exact !== null) {
    const [major, minor] = [Number(exact[1]), Number(exact[2])];
    const patch = exact[3] === undefined ? Infinity : Number(exact[3]);
    return released.findLast(
      (version) => version.major === major && version.minor === minor && patch >= (version.since ?? 0),
    );
  }
  const allowed = tag.length > MAX_TAG_LENGTH ? undefined : readConstraint(tag);
  if (allowed === undefined) return undefined;
  return released
    .toSorted(compare)
    .reverse()
    .find((version) => patches(version).some((patch) => allowed({ ...version, patch })));
}

function patches(version: KnownVersion): number[] {
  const since = version.since ?? 0;
  return Array.from({ length: version.patch - since + 1 }, (_, at) => since + at);
}

function compare(a: KnownVersion, b: KnownVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

type Allows = (version: KnownVersion) => boolean;

/** Constraints as kpt takes them (Masterminds/semver): `||`, blanks and commas, `~ ^ = != < <= > >=`, ranges, `x`. */
function readConstraint(text: string): Allows | undefined {
  const alternatives = text.split('||').map(readAll);
  if (alternatives.includes(undefined)) return undefined;
  return (version) => alternatives.some((allows) => allows?.(version) === true);
}

/** `1 - 2` as `>=1 <=2`, and `>= 1` as `>=1`. */
function rangesWritten(words: readonly string[]): string[] {
  const written: string[] = [];
  let operator = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = operator + (words[at] ?? '');
    const until = words[at + 1] === '-' ? words[at + 2] : undefined;
    operator = '';
    if (until !== undefined) {
      written.push(`>=${word}`, `<=${until}`);
      at += 2;
    } else if (/[~^<>=!]$/.test(word)) operator = word;
    else written.push(word);
  }
  return operator === '' ? written : [...written, operator];
}

/** Longer ones are no constraints. */
const MAX_CONSTRAINT_LENGTH = 256;

function readAll(text: string): Allows | undefined {
  if (text.length > MAX_CONSTRAINT_LENGTH) return undefined;
  const parts = rangesWritten(text.split(/\s+/).filter((word) => word !== ''))
    .join(' ')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  const all = parts.map(readOne);
  if (all.length === 0 || all.includes(undefined)) return undefined;
  return (version) => all.every((allows) => allows?.(version) === true);
}

function readOne(text: string): Allows | undefined {
  const found = /^(~>?|\^|>=|<=|!=|=|>|<)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/.exec(text);
  if (found === null) return undefined;
  const [operator = '', ...given] = [found[1], found[2], found[3], found[4]];
  const numbers = given.map((part) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part)));
  const [major, minor, patch] = numbers;
  if (major === undefined) return () => true;
  const from: KnownVersion = { major, minor: minor ?? 0, patch: patch ?? 0 };
  const next = nextOf(operator, major, minor, patch);
  switch (operator) {
    case '>=':
      return (version) => compare(version, from) >= 0;
    case '<':
      return (version) => compare(version, from) < 0;
    case '>':
      return (version) => compare(version, nextOf('', major, minor, patch)) >= 0;
    case '<=':
      return (version) => compare(version, nextOf('', major, minor, patch)) < 0;
    case '!=':
      return (version) => compare(version, from) < 0 || compare(version, next) >= 0;
    default:
      return (version) => compare(version, from) >= 0 && compare(version, next) < 0;
  }
}

/** The first version past what a constraint names. */
function nextOf(operator: string, major: number, minor?: number, patch?: number): KnownVersion {
  if (operator === '^' && (major > 0 || minor === undefined)) return { major: major + 1, minor: 0, patch: 0 };
  if (operator === '^' && (minor ?? 0) === 0 && patch !== undefined)
    return { major, minor: 0, patch: patch + 1 };
  if (minor === undefined) return { major: major + 1, minor: 0, patch: 0 };
  if (operator === '^' || operator.startsWith('~') || patch === undefined)
    return { major, minor: minor + 1, patch: 0 };
  return { major, minor, patch: patch + 1 };
}
