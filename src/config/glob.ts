/** Globs over package paths, made safe: no braces (they multiply), short, and read by minimatch alone. */
import { minimatch } from 'minimatch';

const LONGEST = 256;

/** Why a glob is refused, or undefined. */
export function globProblem(glob: string): string | undefined {
  if (glob === '') return 'must not be empty';
  if (glob.length > LONGEST) return `must not be longer than ${LONGEST} characters`;
  if (/[{}]/.test(glob)) return 'must not use braces; write one entry for each';
  if (glob.startsWith('/') || glob.startsWith('!') || glob.startsWith('#')) {
    return 'must be a package path, in which * stands for one part and ** for any number';
  }
  return undefined;
}

/** Whether a package path is meant by one of the globs. */
export function matchesGlob(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) =>
    minimatch(path, glob, { nobrace: true, nocomment: true, nonegate: true, dot: true }),
  );
}
