/** Directories of a package that its sources fill: each its own, so that nothing is written over by another. */
import { pathProblem } from '../package/limits.ts';
import { SOURCES_FILE, SOURCES_LOCK_FILE } from '../package/sources/source-files.ts';

/** Files that are the package's own; and, of one at the top of its repository, the directory that decides about all of it. */
const TAKEN: readonly string[] = [
  'Kptfile',
  SOURCES_FILE,
  SOURCES_LOCK_FILE,
  '.krmignore',
  '.portico-sync',
  '.github',
];

/** Why a directory cannot be filled, or undefined. */
export function destinationProblem(path: string): string | undefined {
  const problem = pathProblem(path);
  if (problem !== undefined) return `must be a directory in the package, written as a/b: ${problem}`;
  const [first = ''] = path.split('/');
  return TAKEN.some((name) => folded(name) === folded(first)) ? `must not be ${first}` : undefined;
}

/** True where one is the other or lies in it, also on file systems to which `Charts` and `charts` are one. */
export function overlap(a: string, b: string): boolean {
  const [one, other] = [`${folded(a)}/`, `${folded(b)}/`];
  return one.startsWith(other) || other.startsWith(one);
}

/** The places in the list that overlap with one before them. */
export function overlapping(
  paths: readonly string[],
): readonly { readonly at: number; readonly with: number }[] {
  return paths.flatMap((path, at) => {
    const before = paths.findIndex((other, index) => index < at && overlap(other, path));
    return before === -1 ? [] : [{ at, with: before }];
  });
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
