/**
 * Pure: what one state of a package changes in another, as a digest. Two packages that differ elsewhere have the same change
 * where the same fields of the same resources go from the same values to the same values, in the same words.
 */
import { createHash } from 'node:crypto';

import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { isMap } from '../plain-values.ts';
import { parsePath, type YamlPath } from '../yaml/path.ts';
import type { ResourceChange } from './diff-types.ts';
import { diffPackages } from './diff.ts';
import { lineHunks } from './line-diff.ts';
import { tupleOf } from './list-keys.ts';
import { readResourceFile, type PlacedResource } from './resource-file.ts';

/** Where the Kptfile at the top says which revision the package is at: that follows from the update itself. */
const LOCKED: readonly string[] = ['upstream.git.ref', 'upstreamLock.git.ref', 'upstreamLock.git.commit'];
const LOCKED_LINE = /^\s*(?:ref|commit): \S+\s*$/;
const TOP = 'Kptfile';
/** A verb more, or a subject, means nothing without the rest of the rule or binding. */
const RBAC = /^(?:rbac\.authorization\.k8s\.io|authorization\.openshift\.io)\//;

/**
 * The digest of a change; the fields of the Kptfile at the top that name the revision are left out. A file that is no
 * resource file counts as a whole, before and after: its lines say nothing of where they stand. Keys of a value count in their
 * order. Resources of RBAC, those that come or go, and lists whose items no field tells apart count as a whole, too: a
 * place among others says nothing of what stands there elsewhere.
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
      values: [field.before, field.after].map(present),
    }));
    const sides = [placed(before, from, resource), placed(after, file, resource)];
    const isWhole = change === 'added' || change === 'removed' || RBAC.test(resource.apiVersion);
    const whole = isWhole
      ? sides.map((found) => found.map(({ text }) => text))
      : listsAround(told).map((path) => sides.map((found) => found.map(({ value }) => at(value, path))));
    return [{ resource: { ...resource }, change, file, from, comments, changes, whole }];
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

/** What is not there is something else than null. */
function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

/** The resources of a file that have this kind and name: usually one. */
function placed(
  files: PackageFiles,
  path: string,
  { kind, name }: ResourceChange['resource'],
): readonly PlacedResource[] {
  const file = files.get(path);
  const read = file === undefined ? undefined : readResourceFile(path, file);
  if (read === undefined || !('resources' in read)) return [];
  // There is one Kptfile, whatever the package is called.
  return read.resources.filter(({ ref }) => ref.kind === kind && (kind === TOP || ref.name === name));
}

/** The outermost lists around these fields in which items are told apart by their place alone. */
function listsAround(fields: ResourceChange['fields']): readonly YamlPath[] {
  const lists = fields.flatMap(({ path }): YamlPath[] => {
    const keys = parsePath(path);
    const first = keys.findIndex((key) => typeof key === 'number');
    return first === -1 ? [] : [keys.slice(0, first)];
  });
  return [...new Map(lists.map((path) => [JSON.stringify(path), path])).values()];
}

function at(value: unknown, path: YamlPath): readonly unknown[] {
  let found = value;
  for (const key of path) {
    if (typeof key === 'string') found = isMap(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    else if (typeof key === 'object' && Array.isArray(found))
      found = found.find((item) => hasKeys(item, key));
    else return [];
  }
  return present(found);
}

function hasKeys(item: unknown, wanted: Readonly<Record<string, string>>): boolean {
  const keys = tupleOf(item, Object.keys(wanted));
  return Object.entries(wanted).every(([key, value]) => keys[key] === value);
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
