import { PorticoError } from '../../error.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { groupOf } from '../plain-values.ts';
import { nodeAt } from '../yaml/change.ts';
import { canon, fromValue, toValue } from '../yaml/compare.ts';
import type { YamlValue } from '../yaml/edit.ts';
import type { YamlNode } from '../yaml/node.ts';
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
  if (yaml === undefined || yaml instanceof PorticoError) return partOfFile(file, conflict);
  const found = find(resourcesOf(path, yaml), conflict);
  if (found === undefined) return undefined;
  const node = nodeAt(found.root, parsePath(place));
  if (node === undefined) return null;
  return partOf(node, conflict) ?? contentOf(node);
}

/**
 * Of a conflict about a part: what was taken, as long as it stands anywhere in the text or list; an edit beside it does not
 * settle it. Undefined where that cannot be said, such as of a part that was taken away.
 */
function partOf(node: YamlNode, conflict: Conflict): string | undefined {
  const taken = conflict.part === true ? conflict[conflict.taken] : undefined;
  if (typeof taken === 'string' && taken !== '') {
    const text = toValue(node);
    return typeof text === 'string' ? linesIn(text, taken) : undefined;
  }
  if (!Array.isArray(taken) || taken.length === 0 || node.kind !== 'list') return undefined;
  const wanted = (taken as readonly YamlValue[]).map((value) => canon(fromValue(value)));
  const there = node.items.map(({ value }) => canon(value));
  const isThere = there.some((_, at) => wanted.every((text, step) => there[at + step] === text));
  return isThere ? `part ${wanted.join()}` : undefined;
}

/** Of a conflict about lines of a file the same; else, and for a field of JSON, the whole file. */
function partOfFile({ bytes }: PackageFile, { part, path, taken, ...values }: Conflict): string {
  const lines = part === true && path === '' ? values[taken] : undefined;
  const known =
    typeof lines === 'string' && lines !== '' ? linesIn(Buffer.from(bytes).toString(), lines) : undefined;
  return known ?? Buffer.from(bytes).toString('latin1');
}

function linesIn(text: string, lines: string): string | undefined {
  return `\n${text}`.includes(`\n${lines}`) ? `part ${JSON.stringify(lines)}` : undefined;
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
