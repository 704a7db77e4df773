/**
 * Globs over paths: `*` and `?` within a name, `**` for any number of names, `[a-z]`, and `\` before a character that means itself.
 * minimatch compiles each pattern once. A path then takes time in proportion to its length times the pattern's at most.
 */
import { Minimatch } from 'minimatch';

/** Paths have 1,024 characters at most, so a longer pattern matches none. */
export const MAX_PATTERN = 1_024;
const MAX_PATH = 4_096;
/** Patterns that braces expand to. */
const MAX_EXPANDED = 1_000;

/** Level 0 keeps `..` as it is written. The platform is fixed, so that `\` escapes on Windows too. */
const OPTIONS = {
  dot: true,
  nocomment: true,
  noext: true,
  nonegate: true,
  optimizationLevel: 0,
  platform: 'linux',
  preserveMultipleSlashes: true,
  braceExpandMax: MAX_EXPANDED,
  maxGlobstarRecursion: MAX_PATTERN,
} as const;

export interface Glob {
  readonly matches: (path: string) => boolean;
  /** Characters of what the braces expand to: a path takes at most so many steps for each of its characters. */
  readonly size: number;
}

/** Compiles a pattern. Undefined if brackets, braces or an escape are incomplete, or if the pattern or what its braces expand to is too long. */
export function readGlob(pattern: string, { braces = false } = {}): Glob | undefined {
  if (pattern.length > MAX_PATTERN || !isComplete(pattern)) return undefined;
  // kpt reads `{a}` as `a`, and minimatch `{1..3}` as three globs.
  if (braces && /(?<!\\)\{[^{},]*\}/.test(pattern)) return undefined;
  const glob = new Minimatch(pattern, { ...OPTIONS, nobrace: !braces });
  if (glob.globSet.length === 0 || glob.globSet.length >= MAX_EXPANDED) return undefined;
  return {
    matches: (path) => path.length <= MAX_PATH && glob.match(path),
    size: glob.globSet.reduce((sum, one) => sum + one.length, 0),
  };
}

/** One way to read each character, so that the test takes a step for each. The first `]` of a class is one of its characters. */
const COMPLETE = /^(?:[^[\\]|\\[^/]|\[(?:[!^]|(?![!^]))(?:\]|(?!\]))(?:\\[^/]|[^\]\\/])*\])*$/s;

/** minimatch takes an open bracket and a last `\` for themselves; in git and in doublestar such a pattern matches nothing. */
function isComplete(pattern: string): boolean {
  return COMPLETE.test(pattern);
}
