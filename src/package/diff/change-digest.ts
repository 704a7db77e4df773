/**
 * Pure: what one state of a package changes in another, as a digest. Two packages that differ elsewhere have the same change
 * where the same fields of the same resources go from the same values to the same values, in the same words.
 */
import { createHash } from 'node:crypto';

import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { diffPackages } from './diff.ts';
import { lineHunks } from './line-diff.ts';

/** Where the Kptfile at the top says which revision the package is at: that follows from the update itself. */
const LOCKED: readonly string[] = ['upstream.git.ref', 'upstreamLock.git.ref', 'upstreamLock.git.commit'];
const LOCKED_LINE = /^\s*(?:ref|commit): \S+\s*$/;
const TOP = 'Kptfile';

/**
 * The digest of a change; the fields of the Kptfile at the top that name the revision are left out. A file that is no
 * resource file counts as a whole, before and after: its lines say nothing of where they stand. Keys of a value count in their
 * order.
 *
 * @returns 64 hexadecimal digits
 */
export function changeDigest(before: PackageFiles, after: PackageFiles): string {
  const diff = diffPackages(before, after);
  const touched = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !sameFile(before.get(path), after.get(path)))
    .toSorted();
  const resources = diff.resources.flatMap(({ resource, change, file, from = file, fields, comments }) => {
    const told = file === TOP ? fields.filter(({ path }) => !LOCKED.includes(path)) : fields;
    if (told.length === 0 && fields.length > 0 && !comments) return [];
    const changes = told.map((field) => ({
      path: field.path,
      change: field.change,
      // What is not there is something else than null.
      values: [field.before, field.after].map((value) => (value === undefined ? [] : [value])),
    }));
    return [{ resource: { ...resource }, change, file, from, comments, changes }];
  });
  const whole = new Set(diff.files.flatMap(({ file, from = file }) => [file, from]));
  const files = touched.flatMap((path): ChangedFile[] => {
    const sides = [before.get(path), after.get(path)];
    if (whole.has(path)) return [{ path, sides: sides.map(wholeFile) }];
    const lines = changedLines(sides[0], sides[1]).filter(
      ([, line]) => path !== TOP || !LOCKED_LINE.test(line),
    );
    return lines.length === 0 ? [] : [{ path, lines }];
  });
  const words = JSON.stringify({ resources, files }, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(`portico change 1\n${words}`).digest('hex');
}

/** A file as a whole, or its lines that differ. */
type ChangedFile = { readonly path: string } & (
  | { readonly sides: readonly string[] }
  | { readonly lines: readonly (readonly [string, string])[] }
);

/** Mode and digest of the bytes; '' for a file that is not there. */
function wholeFile(file: PackageFile | undefined): string {
  return file === undefined ? '' : `${file.mode} ${createHash('sha256').update(file.bytes).digest('hex')}`;
}

/** In the order of the file, each with its sign. */
function changedLines(
  before: PackageFile | undefined,
  after: PackageFile | undefined,
): (readonly [string, string])[] {
  return lineHunks(linesOf(before), linesOf(after)).flatMap((hunk) => [
    ...hunk.before.lines.map((line) => ['-', line] as const),
    ...hunk.after.lines.map((line) => ['+', line] as const),
  ]);
}

function linesOf(file: PackageFile | undefined): string[] {
  return file === undefined ? [] : (new TextDecoder().decode(file.bytes).match(/[^\n]*\n|[^\n]+$/g) ?? []);
}
