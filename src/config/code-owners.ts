/**
 * CODEOWNERS, as GitHub reads it ("About code owners"): patterns of gitignore without `!`, `\#` and `[…]`; of all lines that
 * match a file the last counts, and one without owners takes them away.
 */

import { readGitignorePattern, type GitignorePattern } from '../package/gitignore-pattern.ts';

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
/** Characters of patterns times characters of paths, for one proposal: more would hold others up. */
const MAX_STEPS = 200_000_000;

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
    // As in gitignore, a space in a path is escaped.
    const [pattern = '', ...rest] = line.match(/(?:\\\s|\S)+/g) ?? [];
    if (/^(?:$|\\?#|!)/.test(pattern) || /[[\]]/.test(pattern)) return [];
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

/** Finds rules without wildcards by their names, and tries only those with wildcards that come after the one that was found. */
function createLookup(rules: readonly OwnerRule[]): Lookup {
  const [anchored, loose] = [new Map<string, number>(), new Map<string, number>()];
  const wild: (OwnerPattern & { readonly at: number })[] = [];
  rules.forEach(({ pattern: text }, at) => {
    const pattern = readPattern(text);
    if (pattern === undefined) return;
    const { literal, isAnchored, isDirectory } = pattern;
    if (literal === undefined) wild.unshift({ ...pattern, at });
    else (isAnchored ? anchored : loose).set(isDirectory ? `${literal}/` : literal, at);
  });
  let steps = 0;

  /** The last rule that matches the path itself, unless one that matches a directory above comes later. */
  const lastFrom = (above: number, path: string, isDirectory: boolean): number => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    let last = above;
    for (const end of isDirectory ? ['', '/'] : [''])
      last = Math.max(last, anchored.get(path + end) ?? -1, loose.get(name + end) ?? -1);
    steps += path.length;
    for (const { at, size, isExact, isDirectory: onlyDirectories, matches } of wild) {
      if (at < last || steps > MAX_STEPS) break;
      if (isDirectory ? isExact : onlyDirectories) continue;
      steps += size * path.length;
      if (matches(path)) return at;
    }
    return last;
  };
  const directories = new Map<string, number>();

  return {
    steps: () => steps,
    lastFor(path) {
      let last = -1;
      for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
        const directory = path.slice(0, slash);
        steps += slash;
        last = directories.get(directory) ?? lastFrom(last, directory, true);
        directories.set(directory, last);
      }
      return rules[lastFrom(last, path, false)];
    },
  };
}

interface OwnerPattern extends GitignorePattern {
  /** Matches exactly what it names, and nothing below. */
  readonly isExact: boolean;
}

/** Undefined for a pattern that matches nothing. */
function readPattern(text: string): OwnerPattern | undefined {
  // git matches nothing by an empty name, and no file directly in `a` by `a/**/`. Such a pattern means the owners of everything below.
  const pattern = readGitignorePattern(text.replaceAll(/\/{2,}/g, '/').replace(/\/\*\*\/$/, '/**'));
  if (pattern === undefined) return undefined;
  // `docs/*` matches what is directly in docs; every other pattern matches also what is below.
  return { ...pattern, isExact: pattern.isAnchored && /(?:^|\/)\*$/.test(text) };
}
