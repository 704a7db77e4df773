/** Versions as operator catalogs write them: strict semantic versions, read and compared as blang/semver v4 does. */
import { quoted } from './go-text.ts';

export type Identifier = bigint | string;

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly Identifier[];
  /** Says nothing about precedence. */
  readonly build: readonly string[];
}

/** A value, or the sentence that says what is wrong with the text. */
export type Parsed<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly problem: string; readonly value?: undefined };

/** Longer ones are no versions of anything, and each is compared with many. */
const MAX_CHARACTERS = 256;
const NUMBERS = /^\d*$/;
const WORD = /^[0-9A-Za-z-]*$/;
/** The largest number of a part: blang keeps each in an unsigned 64-bit integer. */
const MAX_NUMBER = 2n ** 64n - 1n;

/** Reads a version; problems are told in the words of blang/semver. */
export function parseVersion(text: string): Parsed<Version> {
  if (text === '') return { problem: 'Version string empty' };
  if (text.length > MAX_CHARACTERS) {
    return { problem: `Version string has more than ${MAX_CHARACTERS} characters` };
  }
  const [major = '', minor, ...others] = text.split('.');
  if (minor === undefined || others.length === 0) {
    return { problem: 'No Major.Minor.Patch elements found' };
  }
  const rest = others.join('.');
  const plus = rest.indexOf('+');
  const numbered = plus === -1 ? rest : rest.slice(0, plus);
  const dash = numbered.indexOf('-');
  const patch = dash === -1 ? numbered : numbered.slice(0, dash);
  const numbers: bigint[] = [];
  for (const [name, digits] of [
    ['major', major],
    ['minor', minor],
    ['patch', patch],
  ] as const) {
    const number = readNumber(name, digits);
    if (typeof number === 'string') return { problem: number };
    numbers.push(number);
  }
  const pre = dash === -1 ? { value: [] } : parseIdentifiers(numbered.slice(dash + 1));
  if (pre.value === undefined) return { problem: pre.problem };
  const build = plus === -1 ? [] : rest.slice(plus + 1).split('.');
  for (const word of build) {
    if (word === '') return { problem: 'Build meta data is empty' };
    if (!WORD.test(word)) return { problem: `Invalid character(s) found in build meta data ${quoted(word)}` };
  }
  const [first = 0n, second = 0n, third = 0n] = numbers;
  return { value: { major: first, minor: second, patch: third, pre: pre.value, build } };
}

function readNumber(name: 'major' | 'minor' | 'patch', digits: string): bigint | string {
  if (!NUMBERS.test(digits)) return `Invalid character(s) found in ${name} number ${quoted(digits)}`;
  if (digits.length > 1 && digits.startsWith('0')) {
    const capital = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return `${capital} number must not contain leading zeroes ${quoted(digits)}`;
  }
  return unsigned(digits);
}

/** Go's strconv.ParseUint, with its words. */
function unsigned(digits: string): bigint | string {
  if (digits === '') return 'strconv.ParseUint: parsing "": invalid syntax';
  const number = BigInt(digits);
  return number > MAX_NUMBER ? `strconv.ParseUint: parsing ${quoted(digits)}: value out of range` : number;
}

function parseIdentifiers(text: string): Parsed<Identifier[]> {
  const identifiers: Identifier[] = [];
  for (const part of text.split('.')) {
    const { value, problem } = parseIdentifier(part);
    if (problem !== undefined) return { problem };
    identifiers.push(value);
  }
  return { value: identifiers };
}

function parseIdentifier(text: string): Parsed<Identifier> {
  if (text === '') return { problem: 'Prerelease is empty' };
  if (!NUMBERS.test(text)) {
    if (WORD.test(text)) return { value: text };
    return { problem: `Invalid character(s) found in prerelease ${quoted(text)}` };
  }
  if (text.length > 1 && text.startsWith('0')) {
    return { problem: `Numeric PreRelease version must not contain leading zeroes ${quoted(text)}` };
  }
  const number = unsigned(text);
  return typeof number === 'string' ? { problem: number } : { value: number };
}

/** Negative where `a` is lower. Build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  if (a.major !== b.major) return a.major < b.major ? -1 : 1;
  if (a.minor !== b.minor) return a.minor < b.minor ? -1 : 1;
  if (a.patch !== b.patch) return a.patch < b.patch ? -1 : 1;
  if (a.pre.length === 0 || b.pre.length === 0)
    return Number(a.pre.length === 0) - Number(b.pre.length === 0);
  return compareIdentifiers(a.pre, b.pre);
}

function compareIdentifiers(a: readonly Identifier[], b: readonly Identifier[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === 'bigint' ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 0;
}

/** The version as text, as blang writes it. */
export function formatVersion({ major, minor, patch, pre, build }: Version): string {
  const tail = pre.length === 0 ? '' : `-${pre.join('.')}`;
  return `${major}.${minor}.${patch}${tail}${build.length === 0 ? '' : `+${build.join('.')}`}`;
}

/** What tells two builds of one version apart: dot-separated identifiers, in the order of prereleases; empty for none. */
export type Release = readonly Identifier[];

/** The longest release that a ClusterServiceVersion may carry. */
const MAX_RELEASE = 20;

/** Reads a release; every segment that is wrong is told, as operator-registry does. */
export function parseRelease(text: string): Parsed<Release> {
  if (text === '') return { value: [] };
  const start = `invalid release ${quoted(text)}`;
  if (new TextEncoder().encode(text).length > MAX_RELEASE) {
    return { problem: `${start}: exceeds maximum length of ${MAX_RELEASE} characters` };
  }
  const release: Identifier[] = [];
  const problems: string[] = [];
  for (const [at, segment] of text.split('.').entries()) {
    const { value, problem } = parseIdentifier(segment);
    if (problem === undefined) release.push(value);
    else problems.push(`segment ${at}: ${problem}`);
  }
  return problems.length === 0 ? { value: release } : { problem: `${start}: ${problems.join('\n')}` };
}

export function formatRelease(release: Release): string {
  return release.join('.');
}

/** A release is above none. */
export function compareReleases(a: Release, b: Release): number {
  if (a.length === 0 || b.length === 0) return Number(b.length === 0) - Number(a.length === 0);
  return compareIdentifiers(a, b);
}
