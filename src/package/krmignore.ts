import { PorticoError } from '../error.ts';

/** Says of a path relative to the package whether its `.krmignore` hides it from reading. */
export type IgnoreMatcher = (path: string) => boolean;

/**
 * Reads a `.krmignore`: the subset of gitignore that kpt knows (comments, `!`, `/` anchors, trailing `/`, `*`, `?`, `**`).
 * The last pattern that matches the path or a directory above it decides. The caller decides which files to ask about.
 */
export function readKrmignore(text: string): IgnoreMatcher {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && line.length <= MAX_PATTERN)
    .slice(0, 1000)
    .map(readRule);
  if (rules.length === 0) return () => false;
  const size = rules.reduce(
    (sum, { parts }) => sum + parts.reduce((all, part) => all + part.length + 1, 0),
    0,
  );
  let steps = 0;
  return (path) => {
    // Counted as the worst case: a file of patterns held against very many long names takes minutes.
    steps += size * path.length;
    if (steps > MAX_STEPS) throw tooCostly();
    const parts = path.split('/');
    let hidden = false;
    for (const rule of rules) if (hits(rule, parts)) hidden = !rule.negated;
    return hidden;
  };
}

/** Characters of patterns times characters of paths: at worst about two seconds of a processor. */
const MAX_STEPS = 500_000_000;

function tooCostly(): PorticoError {
  return new PorticoError(
    'KRMIGNORE_LIMIT',
    '.krmignore has too many or too long patterns for this number of files',
    { blame: 'user', hint: 'Use fewer and shorter patterns.' },
  );
}

/** Paths are shorter, so a longer pattern hides nothing. */
const MAX_PATTERN = 1_024;

interface Rule {
  readonly negated: boolean;
  readonly directory: boolean;
  readonly parts: readonly string[];
}

function readRule(line: string): Rule {
  const negated = line.startsWith('!');
  const body = (negated ? line.slice(1) : line).replace(/^\\(?=[#!])/, '');
  const pattern = body.replace(/(?<!\/)\/+$/, '');
  const own = pattern.replace(/^\//, '').split('/');
  const parts = (pattern.includes('/') ? own : ['**', ...own]).filter(
    (part, at, all) => part !== '**' || all[at - 1] !== '**',
  );
  return { negated, directory: body.endsWith('/'), parts };
}

/**
 * True when the rule matches the path or a directory above it. Goes through the pattern once, with the numbers of path
 * parts that it may have used up so far; `**` stands for any number of parts.
 */
function hits({ parts, directory }: Rule, path: readonly string[]): boolean {
  let reach = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    const least = Math.min(...reach);
    if (part === '**') for (let to = least; to <= path.length; to += 1) next.add(to);
    else for (const at of reach) if (matchName(part, path[at] ?? '') && at < path.length) next.add(at + 1);
    if (next.size === 0) return false;
    reach = next;
  }
  return [...reach].some((used) => used > 0 && (used < path.length || !directory));
}

/** Matches `*` and `?` in one name, in time proportional to the product of the lengths. */
function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  let here = 0;
  while (here < name.length) {
    if (at < pattern.length && pattern[at] !== '*' && (pattern[at] === '?' || pattern[at] === name[here])) {
      at += 1;
      here += 1;
    } else if (pattern[at] === '*') {
      star = at;
      mark = here;
      at += 1;
    } else if (star >= 0) {
      mark += 1;
      here = mark;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
