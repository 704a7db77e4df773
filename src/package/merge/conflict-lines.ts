import { PorticoError } from '../../error.ts';
import { compareText } from '../../text/compare-text.ts';
import type { PackageFiles, ResourceRef } from '../package.ts';
import { locateIn } from '../yaml/edit.ts';
import { parsePath } from '../yaml/path.ts';
import type { YamlFile } from '../yaml/read.ts';
import type { Conflict } from './conflict.ts';
import { readFile, resourcesOf } from './resources.ts';

/** The conflicts, sorted by file and place, with the line in the merged file at which each stands. */
export function withLines(conflicts: readonly Conflict[], files: PackageFiles): Conflict[] {
  const places = new Map<string, Places | undefined>();
  return conflicts
    .map((conflict) => {
      const { file } = conflict;
      if (!places.has(file)) places.set(file, placesOf(file, files));
      const line = lineInText(conflict, files) ?? lineOf(conflict, places.get(file));
      return line === undefined ? conflict : { ...conflict, line };
    })
    .sort(
      (a, b) =>
        compareText(a.file, b.file) ||
        (a.line ?? 0) - (b.line ?? 0) ||
        // Parts of one text or list keep their order in it.
        compareText(a.path, b.path),
    );
}

/** A merged file with its documents by apiVersion, kind, namespace and name, without apiVersion, and by kind alone. */
interface Places {
  readonly yaml: YamlFile;
  readonly documents: ReadonlyMap<string, number>;
}

function placesOf(path: string, files: PackageFiles): Places | undefined {
  const merged = files.get(path);
  const yaml = merged === undefined ? undefined : readFile(path, merged);
  if (yaml === undefined || yaml instanceof PorticoError) return undefined;
  const documents = new Map<string, number>();
  for (const [at, { ref }] of resourcesOf(path, yaml).entries()) {
    for (const key of [keyOf(ref), keyOf({ ...ref, apiVersion: '' }), ref.kind])
      if (!documents.has(key)) documents.set(key, at);
  }
  return { yaml, documents };
}

function keyOf({ apiVersion, kind, namespace, name }: ResourceRef): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/** Of a conflict about lines of a file: the first line that was taken. */
function lineInText(
  { file, path, part, taken, ...values }: Conflict,
  files: PackageFiles,
): number | undefined {
  const [lines, merged] = [values[taken], files.get(file)];
  if (part !== true || path !== '' || typeof lines !== 'string' || lines === '' || merged === undefined)
    return undefined;
  const text = `\n${Buffer.from(merged.bytes).toString()}`;
  const at = text.indexOf(`\n${lines}`);
  return at === -1 ? undefined : text.slice(0, at + 1).split('\n').length - 1;
}

function lineOf({ resource, path }: Conflict, places: Places | undefined): number | undefined {
  if (places === undefined) return undefined;
  const { yaml, documents } = places;
  const at =
    resource === null
      ? 0
      : (documents.get(keyOf(resource)) ??
        documents.get(keyOf({ ...resource, apiVersion: '' })) ??
        documents.get(resource.kind));
  return at === undefined ? undefined : locateIn(yaml, at, parsePath(path), { nearest: true })?.line;
}
