import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../package.ts';
import { groupOf } from '../plain-values.ts';
import { nodeAt } from '../yaml/change.ts';
import { parsePath } from '../yaml/path.ts';
import type { Conflict } from './conflict.ts';
import { contentOf, readFile, resourcesOf } from './resources.ts';
import type { Resource } from './resources.ts';

/**
 * What stands at a conflict's place in a package, as a text that is equal where the data is; null where the resource
 * has nothing there, undefined where the resource is not found. A place in a file that is no resource, or does not
 * parse, is the whole file.
 */
export function contentAt(files: PackageFiles, conflict: Conflict): string | null | undefined {
  const { file: path, resource, path: place } = conflict;
  const file = files.get(path);
  if (file === undefined) return undefined;
  const yaml = resource === null ? undefined : readFile(path, file);
  if (yaml === undefined || yaml instanceof PorticoError) return Buffer.from(file.bytes).toString('latin1');
  const found = find(resourcesOf(path, yaml), conflict);
  if (found === undefined) return undefined;
  const node = nodeAt(found.root, parsePath(place));
  return node === undefined ? null : contentOf(node);
}

/** By its name and namespace; the only one of its name, or of its kind, where those themselves are in conflict or rendered. */
function find(resources: readonly Resource[], { resource, path }: Conflict): Resource | undefined {
  if (resource === null) return resources[0];
  const ofKind = resources.filter(
    ({ ref }) =>
      ref.kind === resource.kind &&
      (path === 'apiVersion' || groupOf(ref.apiVersion) === groupOf(resource.apiVersion)),
  );
  const named = ofKind.filter(({ ref }) => ref.name === resource.name);
  const exact = named.find(({ ref }) => ref.namespace === resource.namespace);
  if (exact !== undefined || path === '') return exact;
  const [only, another] = named.length > 0 ? named : ofKind;
  return another === undefined ? only : undefined;
}
