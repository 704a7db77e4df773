import { PorticoError } from '../error.ts';
import { matchedParts } from './wildcards.ts';

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

/** True when the rule matches the path or a directory above it. */
function hits({ parts, directory }: Rule, path: readonly string[]): boolean {
  return matchedParts(parts, path).some((used) => used > 0 && (used < path.length || !directory));
}
