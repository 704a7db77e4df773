import { PorticoError } from '../../error.ts';
import type { PackageFile, PackageFiles, ResourceRef } from '../package.ts';
import { adapt, changeAt, nodeAt } from '../yaml/change.ts';
import { fromValue } from '../yaml/compare.ts';
import { editYaml, insertDocument, removeDocument, replaceRoot } from '../yaml/edit.ts';
import type { YamlValue } from '../yaml/edit.ts';
import { parsePath } from '../yaml/path.ts';
import { readYamlFile } from '../yaml/read.ts';
import type { Conflict, Side } from './conflict.ts';
import { withText } from './resource-files.ts';
import { contentOf, readFile, resourcesOf } from './resources.ts';
import type { Resource } from './resources.ts';

/**
 * Settles a conflict in a package as it stands now: the place takes the value of one side, in place, and nothing else
 * changes. Throws `CONFLICT_PLACE` when the resource is not there any more and `CONFLICT_VALUE` when the conflict
 * holds only a digest of the file.
 */
export function settleConflict(files: PackageFiles, conflict: Conflict, side: Side): PackageFiles {
  const value = conflict[side] as YamlValue | undefined;
  const { file: path, resource } = conflict;
  const file = files.get(path);
  const settled =
    resource === null && conflict.path === ''
      ? wholeFile(conflict, side, file)
      : inResource(conflict, value, file);
  const result = new Map(files);
  if (settled === undefined) result.delete(path);
  else result.set(path, settled);
  return result;
}

/**
 * What stands at a conflict's place in a package, as a text that is equal where the data is; null where nothing does.
 * A place in a file that is no resource, or does not parse, is the whole file.
 */
export function contentAt(files: PackageFiles, conflict: Conflict): string | null {
  const { file: path, resource, path: place } = conflict;
  const file = files.get(path);
  if (file === undefined) return null;
  const yaml = resource === null ? undefined : readFile(path, file);
  if (yaml === undefined || yaml instanceof PorticoError) return Buffer.from(file.bytes).toString('latin1');
  const found = resourcesOf(path, yaml).find((one) => isMeant(one, conflict));
  const node = found === undefined ? undefined : nodeAt(found.root, parsePath(place));
  return node === undefined ? null : contentOf(node);
}

function wholeFile(conflict: Conflict, side: Side, file: PackageFile | undefined): PackageFile | undefined {
  const { file: path, [side]: value } = conflict;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    throw new PorticoError(
      'CONFLICT_VALUE',
      `${path} is too large or no text, so the conflict does not hold it`,
      {
        hint: `Take the file from ${side} by hand and commit it.`,
      },
    );
  }
  return withText(value, file?.mode ?? '100644');
}

function inResource(
  conflict: Conflict,
  value: YamlValue | undefined,
  file: PackageFile | undefined,
): PackageFile | undefined {
  const { file: path, path: place } = conflict;
  if (file === undefined) {
    if (place !== '' || value === undefined) throw placeGone(conflict);
    return withText(editYaml('', [{ op: 'insert-document', value }]), '100644');
  }
  const yaml = readFile(path, file);
  if (yaml instanceof PorticoError) throw placeGone(conflict, yaml);
  const resources = resourcesOf(path, yaml);
  const found = resources.find((one) => isMeant(one, conflict));
  if (place === '') {
    if (value === undefined) {
      if (found === undefined) return file;
      return resources.length === 1 ? undefined : withText(removeDocument(yaml, found.document), file.mode);
    }
    if (found === undefined)
      return withText(insertDocument(readYamlFile(yaml.source.text), fromValue(value)), file.mode);
    return withText(replaceRoot(yaml, found.document, adapt(found.root, fromValue(value))), file.mode);
  }
  if (found === undefined) throw placeGone(conflict);
  const root = changeAt(found.root, parsePath(place), (old) => {
    if (value === undefined) return undefined;
    return old === undefined ? fromValue(value) : adapt(old, fromValue(value));
  });
  return root === found.root ? file : withText(replaceRoot(yaml, found.document, root), file.mode);
}

/** A resource whose name itself is in conflict has one of the two names. */
function isMeant({ ref }: Resource, { resource, path, upstream, local }: Conflict): boolean {
  if (resource === null) return true;
  if (ref.kind !== resource.kind) return false;
  if (path !== 'apiVersion' && groupOf(ref) !== groupOf(resource)) return false;
  const names = path === 'metadata.name' ? [resource.name, upstream, local] : [resource.name];
  const spaces =
    path === 'metadata.namespace' ? [resource.namespace, upstream ?? '', local ?? ''] : [resource.namespace];
  return names.includes(ref.name) && spaces.includes(ref.namespace);
}

function groupOf({ apiVersion }: ResourceRef): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function placeGone({ file, resource, path }: Conflict, cause?: unknown): PorticoError {
  const what = resource === null ? file : `${resource.kind} ${resource.name} in ${file}`;
  return new PorticoError(
    'CONFLICT_PLACE',
    `${what} has no place for ${path === '' ? 'the resource' : path} any more`,
    {
      cause,
      hint: 'It was changed since; settle the conflict by a commit that edits the file.',
    },
  );
}
