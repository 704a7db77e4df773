import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../package.ts';
import { locateIn } from '../yaml/edit.ts';
import { parsePath } from '../yaml/path.ts';
import type { Conflict } from './conflict.ts';
import { identifierOf, readFile, resourcesOf } from './resources.ts';

/** The conflicts, sorted by file and place, with the line in the merged file at which each stands. */
export function withLines(conflicts: readonly Conflict[], files: PackageFiles): Conflict[] {
  return conflicts
    .map((conflict) => {
      const line = lineOf(conflict, files);
      return line === undefined ? conflict : { ...conflict, line };
    })
    .sort(
      (a, b) =>
        compare(a.file, b.file) ||
        (a.line ?? 0) - (b.line ?? 0) ||
        compare(a.path, b.path) ||
        compare(a.id, b.id),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lineOf({ file, resource, path }: Conflict, files: PackageFiles): number | undefined {
  const merged = files.get(file);
  const yaml = merged === undefined ? undefined : readFile(file, merged);
  if (yaml === undefined || yaml instanceof PorticoError) return undefined;
  const resources = resourcesOf(file, yaml);
  const at = resources.findIndex(
    ({ ref }) =>
      resource !== null &&
      ref.kind === resource.kind &&
      ref.name === resource.name &&
      ref.namespace === resource.namespace,
  );
  const likely =
    at === -1
      ? resources.findIndex(
          (one) => resource !== null && identifierOf(one.identity).includes(`|${resource.kind}|`),
        )
      : at;
  return locateIn(yaml, Math.max(0, likely), parsePath(path), { nearest: true })?.line;
}
