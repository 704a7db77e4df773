/**
 * Version ranges that a person asks for, in the syntax of Masterminds/semver, which operator-controller reads: `~1.2`,
 * `^1`, `1.x`, `>=1.0 <2`, `1.2 - 1.4`, with `||` between. A prerelease lies in a range only where the range names one.
 */
import { quoted } from './go-text.ts';
import { compareVersions, parseVersion, type Parsed, type Version } from './version.ts';

const OPERATOR = '(?:!=|>=|=>|<=|=<|~>|[=><~^])';
const NUMBER = '[0-9xX*]+';
const WORDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const VERSION = `v?(${NUMBER})(?:\\.(${NUMBER}))?(?:\\.(${NUMBER}))?(?:-(${WORDS}))?(?:\\+${WORDS})?`;
const ONE = new RegExp(`^(${OPERATOR})?\\s*${VERSION}$`);
const BETWEEN = /^\s*(\S+)\s+-\s+(\S+)\s*$/;

/** Characters of a range of versions. */
const MAX_CHARACTERS = 2_048;

interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** What was not said: everything, the minor number and below, or the patch. */
  readonly open: 'none' | 'all' | 'minor' | 'patch';
}

export type Matches = (version: Version) => boolean;

/** Reads a range into a question about versions. */
export function parseConstraint(text: string): Parsed<Matches> {
  const invalid = { problem: `improper constraint: ${quoted(text.slice(0, 200))}` };
  if (text.length > MAX_CHARACTERS) return invalid;
  const groups: Constraint[][] = [];
  for (const part of text.split('||')) {
    const group: Constraint[] = [];
    for (const word of wordsOf(part)) {
      const one = constraintOf(word);
      if (one === undefined) return invalid;
      group.push(one);
    }
    if (group.length === 0) return invalid;
    groups.push(group);
  }
  return {
    value: (version) =>
      groups.some((group) => {
        const named = group.some((one) => one.version.pre.length > 0);
        return (named || version.pre.length === 0) && group.every((one) => holds(one, version));
      }),
  };
}

/** An operator may stand apart from its version. */
function wordsOf(part: string): string[] {
  const between = BETWEEN.exec(part);
  if (between !== null) return [`>=${between[1]}`, `<=${between[2]}`];
  return part
    .replaceAll(/([=!<>~^])\s+(?=[0-9vxX*])/g, '$1')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

function constraintOf(word: string): Constraint | undefined {
  const found = ONE.exec(word);
  if (found === null) return undefined;
  const [, operator = '', major = '', minor, patch, pre] = found;
  const open = isOpen(major) ? 'all' : isOpen(minor) ? 'minor' : isOpen(patch) ? 'patch' : 'none';
  const numbers = {
    all: '0.0.0',
    minor: `${major}.0.0`,
    patch: `${major}.${minor}.0`,
    none: `${major}.${minor}.${patch}`,
  }[open];
  const { value: version } = parseVersion(
    pre === undefined || open === 'all' ? numbers : `${numbers}-${pre}`,
  );
  return version === undefined ? undefined : { operator, version, open };
}

function isOpen(number: string | undefined): boolean {
  return number === undefined || /^[xX*]$/.test(number);
}

function holds({ operator, version: wanted, open }: Constraint, version: Version): boolean {
  const order = compareVersions(version, wanted);
  switch (operator) {
    case '':
    case '=':
      return open === 'none' ? order === 0 : isTilde(wanted, open, version);
    case '!=':
      return open === 'none' ? order !== 0 : !isTilde(wanted, open, version);
    case '>':
      return isGreater(wanted, open, version);
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return order <= 0 || (open !== 'none' && !isGreater(wanted, open, version));
    case '^':
      return isCaret(wanted, open, version);
    default:
      return isTilde(wanted, open, version);
  }
}

/** Greater than all that the wanted version may stand for. */
function isGreater(wanted: Version, open: Constraint['open'], version: Version): boolean {
  if (open === 'none') return compareVersions(version, wanted) > 0;
  if (open === 'all') return false;
  if (version.major !== wanted.major) return version.major > wanted.major;
  return open === 'patch' && version.minor > wanted.minor;
}

function isTilde(wanted: Version, open: Constraint['open'], version: Version): boolean {
  if (compareVersions(version, wanted) < 0) return false;
  if (open === 'all') return true;
  const { major, minor, patch } = wanted;
  if (major === 0n && minor === 0n && patch === 0n && open === 'none') return true;
  return version.major === major && (open === 'minor' || version.minor === minor);
}

function isCaret(wanted: Version, open: Constraint['open'], version: Version): boolean {
  if (compareVersions(version, wanted) < 0) return false;
  if (open === 'all') return true;
  if (version.major !== wanted.major) return false;
  if (wanted.major > 0n || open === 'minor') return true;
  if (version.minor !== wanted.minor) return false;
  return wanted.minor > 0n || open === 'patch' || version.patch === wanted.patch;
}

/** The sentence of operator-controller about a range that is none. */
export function constraintProblem(text: string, problem: string): string {
  return `desired version range ${quoted(text)} is invalid: ${problem}`;
}
