/**
 * Version ranges as `skipRange` has them: the grammar of blang/semver v4, not npm's. Parts are joined by spaces (and) and
 * by a `||` with spaces around it (or); a prerelease lies in a range by precedence alone.
 *
 * What blang reads as something else than it says is refused here: `! 1.2.3` means equality there, `1.x.x` means
 * `1.0.x`, `!=1.2.x` and `1.2.3 - 2.0.0` never hold, and an empty part crashes.
 */
import { quoted } from './go-text.ts';
import { compareVersions, parseVersion, type Parsed, type Version } from './version.ts';

export interface VersionRange {
  readonly matches: (version: Version) => boolean;
  /** The same as spans, for those who hold many versions in order. They may overlap. */
  readonly spans: readonly Span[];
}

/** Every version between the bounds. No bound means no end. */
export interface Span {
  readonly low?: Bound;
  readonly high?: Bound;
}

interface Bound {
  readonly version: Version;
  readonly inclusive: boolean;
}

interface Comparator {
  readonly operator: Operator;
  readonly version: Version;
}

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=';

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': '=',
  '=': '=',
  '==': '=',
  '!': '!=',
  '!=': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
};

/** Ranges of real catalogs have tens of characters. */
const MAX_CHARACTERS = 2_048;

/** Reads a range. Where blang fails too the problem is told in its words. */
export function parseRange(text: string): Parsed<VersionRange> {
  if (text.length > MAX_CHARACTERS) {
    return { problem: `Range has more than ${MAX_CHARACTERS} characters` };
  }
  const { parts, lost } = partsOf(text);
  const groups = groupsOf(parts);
  if (groups.value === undefined) return groups;
  for (const part of groups.value.flat()) {
    if (!/\p{Nd}/u.test(part)) return { problem: `Could not get version from string: ${quoted(part)}` };
  }
  const spans: Span[] = [];
  for (const group of groups.value) {
    if (group.length === 0) return { problem: `Range ${quoted(text)} has nothing between two '||'` };
    const comparators: Comparator[] = [];
    for (const part of group) {
      const read = comparatorsOf(part);
      if (read.value === undefined) return { problem: read.problem };
      comparators.push(...read.value);
    }
    spans.push(...spansOf(comparators));
  }
  // Told last: what blang tells itself comes first.
  if (lost !== undefined) {
    return {
      problem: `Range ${quoted(text)} has a ${quoted(lost)} that stands alone and would be passed by`,
    };
  }
  return {
    value: {
      spans,
      matches: (version) => spans.some(({ low, high }) => isAbove(version, low) && isBelow(version, high)),
    },
  };
}

/** Splits at spaces, but not behind `>`, `<` and `=`. Parts of one character get lost, as they do in blang. */
function partsOf(text: string): { readonly parts: readonly string[]; readonly lost: string | undefined } {
  const parts: string[] = [];
  let lost: string | undefined;
  let start = 0;
  let last = '';
  const take = (end: number): void => {
    const part = text.slice(start, end).replaceAll(' ', '');
    if (end - start > 1) parts.push(part);
    else if (part !== '') lost ??= part;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character !== ' ') last = character;
    else if (!'><='.includes(last) || last === '') {
      take(at);
      start = at + 1;
    }
  }
  if (start < text.length) take(text.length);
  return { parts, lost };
}

function groupsOf(parts: readonly string[]): Parsed<readonly (readonly string[])[]> {
  const groups: string[][] = [[]];
  for (const [at, part] of parts.entries()) {
    if (part !== '||') groups.at(-1)?.push(part);
    else if (at === 0) return { problem: "First element in range is '||'" };
    else groups.push([]);
  }
  return groups.at(-1)?.length === 0 ? { problem: "Last element in range is '||'" } : { value: groups };
}

function comparatorsOf(part: string): Parsed<readonly Comparator[]> {
  const at = part.search(/\p{Nd}/u);
  const typed = part.slice(0, at).trim();
  const text = part.slice(at);
  const operator = Object.hasOwn(OPERATORS, typed) ? OPERATORS[typed] : undefined;
  if (operator === undefined) {
    const what = `Could not parse comparator ${quoted(typed)} in ${quoted(typed + text)}`;
    return { problem: `Could not parse Range ${quoted(part)}: ${what}` };
  }
  if (part.includes('x')) {
    const wild = wildcard(operator, part, text);
    if (wild !== undefined) return wild;
  }
  const { value: version, problem } = parseVersion(text);
  if (version !== undefined) return { value: [{ operator, version }] };
  const what = `Could not parse version ${quoted(text)} in ${quoted(typed + text)}: ${problem}`;
  return { problem: `Could not parse Range ${quoted(part)}: ${what}` };
}

/** `1.x` and `1.2.x`. Undefined for a version in which an x is only a letter and blang takes it for nothing more. */
function wildcard(operator: Operator, part: string, text: string): Parsed<readonly Comparator[]> | undefined {
  const found = /^(0|[1-9]\d{0,17})\.(?:(0|[1-9]\d{0,17})\.)?x$/.exec(text);
  if (found === null) {
    if (parseVersion(text).value !== undefined && (operator === '>=' || operator === '<')) return undefined;
    return {
      problem: `Could not parse Range ${quoted(part)}: an x stands only for the last of two or three numbers`,
    };
  }
  if (operator === '!=') {
    return {
      problem: `Could not parse Range ${quoted(part)}: nothing is unequal to a wildcard; write two ranges with || between`,
    };
  }
  const [major, minor] = [BigInt(found[1] ?? 0), BigInt(found[2] ?? 0)];
  const least = plain(major, minor);
  const next = found[2] === undefined ? plain(major + 1n, 0n) : plain(major, minor + 1n);
  switch (operator) {
    case '>':
      return { value: [{ operator: '>=', version: next }] };
    case '<=':
      return { value: [{ operator: '<', version: next }] };
    case '=':
      return {
        value: [
          { operator: '>=', version: least },
          { operator: '<', version: next },
        ],
      };
    default:
      return { value: [{ operator, version: least }] };
  }
}

function plain(major: bigint, minor: bigint): Version {
  return { major, minor, patch: 0n, pre: [], build: [] };
}

/** What all comparators let through; a version that is left out divides a span. */
function spansOf(comparators: readonly Comparator[]): Span[] {
  let low: Bound | undefined;
  let high: Bound | undefined;
  const except: Version[] = [];
  for (const { operator, version } of comparators) {
    if (operator === '!=') except.push(version);
    if (operator === '=' || operator === '>' || operator === '>=') {
      low = stricter(low, { version, inclusive: operator !== '>' }, 1);
    }
    if (operator === '=' || operator === '<' || operator === '<=') {
      high = stricter(high, { version, inclusive: operator !== '<' }, -1);
    }
  }
  const spans: Span[] = [];
  for (const version of except.sort(compareVersions)) {
    const edge = { version, inclusive: false };
    spans.push({ ...(low && { low }), high: high === undefined ? edge : stricter(high, edge, -1) });
    low = stricter(low, edge, 1);
  }
  return [...spans, { ...(low && { low }), ...(high && { high }) }];
}

/** The bound that lets less through; `side` is 1 for lower bounds and -1 for upper ones. */
function stricter(one: Bound | undefined, other: Bound, side: 1 | -1): Bound {
  if (one === undefined) return other;
  const order = compareVersions(one.version, other.version) * side;
  if (order === 0) return one.inclusive ? other : one;
  return order > 0 ? one : other;
}

/** True when the version lies on the right side of a lower bound. */
export function isAbove(version: Version, low: Bound | undefined): boolean {
  if (low === undefined) return true;
  const order = compareVersions(version, low.version);
  return order > 0 || (order === 0 && low.inclusive);
}

/** True when the version lies on the right side of an upper bound. */
export function isBelow(version: Version, high: Bound | undefined): boolean {
  if (high === undefined) return true;
  const order = compareVersions(version, high.version);
  return order < 0 || (order === 0 && high.inclusive);
}
