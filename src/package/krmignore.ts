import { PorticoError } from '../error.ts';
import { readGitignorePattern, type GitignorePattern } from './gitignore-pattern.ts';
import { MAX_PATTERN } from './glob.ts';

/** Says of a path relative to the package whether its `.krmignore` hides it from reading. */
export type IgnoreMatcher = (path: string) => boolean;

/**
 * Reads a `.krmignore` as git reads a gitignore: the last pattern that matches a path decides, and nothing below a hidden directory
 * comes back. The caller decides which files to ask about.
 */
export function readKrmignore(text: string): IgnoreMatcher {
  const rules = text
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.length <= MAX_PATTERN)
    .slice(0, MAX_RULES)
    .flatMap(readRule);
  if (rules.length === 0) return () => false;
  const size = rules.reduce((sum, rule) => sum + rule.size, 0);
  let steps = 0;
  const decide = (path: string, isDirectory: boolean): boolean => {
    // Counted as the worst case: a file of patterns held against very many long names takes minutes.
    steps += size * path.length;
    if (steps > MAX_STEPS) throw tooCostly();
    const last = rules.findLast((rule) => (isDirectory || !rule.isDirectory) && rule.matches(path));
    return last?.isNegated === false;
  };
  const directories = new Map<string, boolean>();
  const hidesDirectory = (path: string): boolean => {
    const isHidden = directories.get(path) ?? decide(path, true);
    directories.set(path, isHidden);
    return isHidden;
  };
  return (path) => {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      if (hidesDirectory(path.slice(0, slash))) return true;
    return decide(path, false);
  };
}

const MAX_RULES = 1_000;

/** Characters of patterns times characters of paths: at worst about three seconds of a processor. */
const MAX_STEPS = 500_000_000;

function tooCostly(): PorticoError {
  return new PorticoError(
    'KRMIGNORE_LIMIT',
    '.krmignore has too many or too long patterns for this number of files',
    { blame: 'user', hint: 'Use fewer and shorter patterns.' },
  );
}

interface Rule extends GitignorePattern {
  readonly isNegated: boolean;
}

function readRule(line: string): Rule[] {
  const text = withoutLastSpaces(line.endsWith('\r') ? line.slice(0, -1) : line);
  const isNegated = text.startsWith('!');
  const pattern = readGitignorePattern(isNegated ? text.slice(1) : text);
  return pattern === undefined ? [] : [{ ...pattern, isNegated }];
}

/** A space at the end counts only if it is escaped. */
function withoutLastSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}
