/**
 * CODEOWNERS, as GitHub reads it ("About code owners"): patterns of gitignore without `!` and `[…]`; of all lines that
 * match a file the last counts, and one without owners takes them away.
 */

import { matchedParts, PER_PART } from '../package/wildcards.ts';

export interface OwnerRule {
  readonly pattern: string;
  /** As written: `@login`, `@org/team` or an e-mail address. */
  readonly owners: readonly string[];
}

/** Where the file may be; the first that is there is in force. */
export const CODE_OWNER_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** Lines with a pattern; beyond, everyone named owns everything. */
const MAX_RULES = 5_000;
/** Characters of a pattern. */
const MAX_PATTERN_LENGTH = 500;

/** Characters of the file; GitHub reads 3 MB. */
const MAX_FILE_LENGTH = 1_000_000;
/** Comparisons for one proposal, of characters and names: more would hold others up. */
const MAX_STEPS = 5_000_000;

export interface CodeOwners {
  readonly rules: readonly OwnerRule[];
  /** False where the file has more than is read: then nobody can tell which line is the last that matches a file. */
  readonly whole: boolean;
}

/** Reads the file; lines that GitHub would pass over are passed over. */
export function parseCodeOwners(text: string): CodeOwners {
  const lines = text.slice(0, MAX_FILE_LENGTH).split('\n');
  let whole = text.length <= MAX_FILE_LENGTH && lines.length <= MAX_RULES;
  const rules = lines.slice(0, MAX_RULES).flatMap((line): OwnerRule[] => {
    const [pattern = '', ...rest] = line.trim().split(/\s+/);
    if (pattern === '' || /^[#!]/.test(pattern) || /[[\]]/.test(pattern)) return [];
    if (pattern.length > MAX_PATTERN_LENGTH) whole = false;
    const comment = rest.findIndex((word) => word.startsWith('#'));
    return [
      { pattern: pattern.slice(0, MAX_PATTERN_LENGTH), owners: comment < 0 ? rest : rest.slice(0, comment) },
    ];
  });
  return { rules, whole };
}

/** Files of the same owners, by one of them. */
export interface OwnedFiles {
  /** A path; past a limit the pattern of a line that names them. */
  readonly path: string;
  readonly owners: readonly string[];
}

/**
 * The owners of changed files, each group once. Where there is more than is compared, nobody can tell what is whose: then
 * everything is owned by everybody who is named.
 */
export function ownersOfAll(file: CodeOwners, paths: readonly string[]): readonly OwnedFiles[] {
  const groups = new Map<string, OwnedFiles>();
  // A line may name thousands, and own every file.
  const keys = new Map<readonly string[], string>();
  const add = (path: string, owners: readonly string[]): void => {
    const key = keys.get(owners) ?? [...owners].sort().join(' ');
    keys.set(owners, key);
    if (owners.length > 0 && !groups.has(key)) groups.set(key, { path, owners });
  };
  const lookup = createLookup(file.rules);
  if (file.whole) {
    for (const path of paths) {
      if (lookup.steps() > MAX_STEPS) break;
      add(path, lookup.lastFor(path)?.owners ?? []);
    }
    if (lookup.steps() <= MAX_STEPS) return [...groups.values()];
  }
  groups.clear();
  for (const { pattern, owners } of file.rules) add(pattern, owners);
  return [...groups.values()];
}

interface Lookup {
  /** The last rule that means a file; undefined where none does, and past the limit of steps. */
  lastFor(path: string): OwnerRule | undefined;
  /** What all answers have cost so far. */
  steps(): number;
}

/** Finds rules of plain names by their names, and tries only those with wildcards that come after the one that was found. */
function createLookup(rules: readonly OwnerRule[]): Lookup {
  const patterns = rules.map(({ pattern }) => readPattern(pattern));
  const [anchored, loose] = [new Map<string, number>(), new Map<string, number>()];
  const wild: number[] = [];
  patterns.forEach((one, at) => {
    if (one === undefined) return;
    if (one.wild) wild.push(at);
    else (one.anchored ? anchored : loose).set(`${one.parts.join('/')}${one.below ? '/' : ''}`, at);
  });
  let steps = 0;
  return {
    steps: () => steps,
    lastFor(path) {
      const parts = path.split('/');
      let last = -1;
      let above = '';
      parts.forEach((part, at) => {
        above = at === 0 ? part : `${above}/${part}`;
        const names = at < parts.length - 1 ? [above, `${above}/`] : [above];
        for (const name of names) last = Math.max(last, anchored.get(name) ?? -1);
        for (const name of names.length > 1 ? [part, `${part}/`] : [part])
          last = Math.max(last, loose.get(name) ?? -1);
      });
      // Each folder above is looked up by its whole name.
      steps += parts.length * (PER_PART + path.length);
      for (const at of wild.toReversed()) {
        if (at < last || steps > MAX_STEPS) break;
        const pattern = patterns[at];
        if (pattern === undefined) continue;
        const count = { steps: 0 };
        const matches = matchesParts(pattern, parts, count);
        steps += 1 + count.steps;
        if (matches) return rules[at];
      }
      return last < 0 ? undefined : rules[last];
    },
  };
}

interface Pattern {
  readonly parts: readonly string[];
  /** Begins at the top of the repository. */
  readonly anchored: boolean;
  /** Means what lies below folders alone. */
  readonly below: boolean;
  /** Means exactly what it names, and nothing below. */
  readonly exact: boolean;
  readonly wild: boolean;
}

/** Undefined for a pattern that means nothing. */
function readPattern(pattern: string): Pattern | undefined {
  const below = pattern.endsWith('/');
  const plain = pattern.replace(/^\/+|(?<!\/)\/+$/g, '');
  if (plain === '') return undefined;
  const anchored = pattern.startsWith('/') || plain.includes('/');
  const parts = plain.split('/');
  // `docs/*` means what lies directly in docs; every other pattern means also what lies below what it names.
  const exact = parts.at(-1) === '*' && parts.length > 1 && anchored;
  return { parts, anchored, below, exact, wild: /[*?]/.test(plain) };
}

/** Whether the parts of a pattern match a path, or, unless it is exact, a folder above it. */
function matchesParts(
  { parts: named, anchored, exact, below }: Pattern,
  parts: readonly string[],
  count: { steps: number },
): boolean {
  const ends = matchedParts(anchored ? named : ['**', ...named], parts, count);
  if (exact) return ends.includes(parts.length);
  return ends.some((at) => at > 0 && (!below || at < parts.length));
}
