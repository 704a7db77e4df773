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
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, 1000)
    .map(readRule);
  if (rules.length === 0) return () => false;
  return (path) => {
    const parts = path.split('/');
    const prefixes = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    let hidden = false;
    for (const rule of rules) {
      const hit = prefixes.some(
        (prefix, at) => (!rule.directory || at < parts.length - 1) && rule.matches(prefix),
      );
      if (hit) hidden = !rule.negated;
    }
    return hidden;
  };
}

interface Rule {
  readonly negated: boolean;
  readonly directory: boolean;
  readonly matches: (path: string) => boolean;
}

function readRule(line: string): Rule {
  const negated = line.startsWith('!');
  const body = (negated ? line.slice(1) : line).replace(/^\\(?=[#!])/, '');
  const directory = body.endsWith('/');
  const pattern = body.replace(/\/+$/, '');
  const anchored = pattern.includes('/');
  const parts = pattern.replace(/^\//, '').split('/');
  return { negated, directory, matches: (path) => matchesPath(parts, path.split('/'), anchored) };
}

function matchesPath(pattern: readonly string[], path: readonly string[], anchored: boolean): boolean {
  const start = anchored ? pattern : ['**', ...pattern];
  return matchParts(start, path);
}

/** Matches part by part; `**` stands for any number of parts. Each pair of positions is tried once. */
function matchParts(pattern: readonly string[], path: readonly string[]): boolean {
  let reach = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reach) {
      const name = path[at];
      if (part === '**') for (let to = at; to <= path.length; to += 1) next.add(to);
      else if (name !== undefined && matchName(part, name)) next.add(at + 1);
    }
    reach = next;
  }
  return reach.has(path.length);
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
