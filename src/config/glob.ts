/** Globs over package paths: short and without braces. */
import { readGlob } from '../package/glob.ts';
import type { Glob } from '../package/glob.ts';

/** Characters of a pattern; matching takes time that grows with it. */
const MAX_LENGTH = 256;

/** Why a glob is refused, or undefined. */
export function globProblem(glob: string): string | undefined {
  if (glob === '') return 'must not be empty';
  if (glob.length > MAX_LENGTH) return `must not be longer than ${MAX_LENGTH} characters`;
  if (/[{}]/.test(glob)) return 'must not use braces; write one entry for each';
  if (/[@!?*+]\(/.test(glob)) return 'must not use alternatives in parentheses; write one entry for each';
  if (glob.startsWith('/') || glob.startsWith('!') || glob.startsWith('#')) {
    return 'must be a package path, in which * matches one part and ** any number of parts';
  }
  return read(glob) === undefined ? 'must close its brackets' : undefined;
}

/** Whether a package path is meant by one of the globs. */
export function matchesGlob(path: string, globs: readonly string[]): boolean {
  // minimatch lets no wildcard match `.`, the path of a package at the top of its repository.
  if (path === '.') return globs.some((glob) => /^(?:\.|\?|\*+)$/.test(glob));
  return globs.some((glob) => read(glob)?.matches(path) === true);
}

/** About how many steps it takes to hold a glob against so many paths of so many letters in all. */
export function globCost(glob: string, paths: number, letters: number): number {
  return isPlain(glob) ? PER_PATH * paths : (PER_PATH * paths + letters) * (glob.length + PER_PATH);
}

const PER_PATH = 10;

/** Most globs name one package, all below a folder, or all. */
function isPlain(glob: string): boolean {
  return !/[*?[{\\]/.test(glob.replace(/(?:^|\/)\*\*$/, ''));
}

/** Takes a third of minimatch's time, for globs that are asked about a whole index. */
function readPlain(glob: string): Pick<Glob, 'matches'> {
  if (!glob.endsWith('**')) return { matches: (path) => path === glob };
  const folder = glob.slice(0, -2);
  return { matches: (path) => path.startsWith(folder) };
}

/** A few globs are asked about many packages. */
const MAX_KEPT = 500;
const kept = new Map<string, Pick<Glob, 'matches'> | undefined>();

function read(glob: string): Pick<Glob, 'matches'> | undefined {
  if (kept.has(glob)) return kept.get(glob);
  if (kept.size >= MAX_KEPT) kept.clear();
  const made = glob.length > MAX_LENGTH ? undefined : isPlain(glob) ? readPlain(glob) : readGlob(glob);
  kept.set(glob, made);
  return made;
}
