/** Globs over package paths: short, without braces, and matched in linear time. */
import { readGlob } from '../package/glob.ts';
import type { Glob } from '../package/glob.ts';

const LONGEST = 256;

/** Why a glob is refused, or undefined. */
export function globProblem(glob: string): string | undefined {
  if (glob === '') return 'must not be empty';
  if (glob.length > LONGEST) return `must not be longer than ${LONGEST} characters`;
  if (/[{}]/.test(glob)) return 'must not use braces; write one entry for each';
  if (/[@!?*+]\(/.test(glob)) return 'must not use alternatives in parentheses; write one entry for each';
  if (glob.startsWith('/') || glob.startsWith('!') || glob.startsWith('#')) {
    return 'must be a package path, in which * stands for one part and ** for any number';
  }
  return read(glob) === undefined ? 'must close its brackets' : undefined;
}

/** Whether a package path is meant by one of the globs. */
export function matchesGlob(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => read(glob)?.matches(path) === true);
}

/** A few globs are asked about many packages. */
const MOST_KEPT = 500;
const kept = new Map<string, Glob | undefined>();

function read(glob: string): Glob | undefined {
  if (kept.has(glob)) return kept.get(glob);
  if (kept.size >= MOST_KEPT) kept.clear();
  const made = glob.length > LONGEST ? undefined : readGlob(glob);
  kept.set(glob, made);
  return made;
}
