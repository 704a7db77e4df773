import type { PackageFile } from '../package.ts';
import type { YamlNode } from '../yaml/node.ts';
import type { YamlFile } from '../yaml/read.ts';
import type { Surroundings } from './comments.ts';
import type { PackageContext } from './merge-context.ts';
import { mergedMode } from './other-files.ts';
import type { Pool, Trees } from './pool.ts';
import { editFile, textOf, withText } from './resource-files.ts';
import type { FileEdit } from './resource-files.ts';
import type { Resource } from './resources.ts';

/** The edits of one local file as they gather. */
export interface Edits {
  readonly surroundings: Map<Resource, Surroundings>;
  readonly changed: Map<Resource, YamlNode | null>;
  readonly added: { after: Resource | undefined; text: string }[];
}

export interface Arrival {
  readonly resource: Resource;
  readonly root: YamlNode;
  /** What local has of it, elsewhere. */
  readonly own?: Resource;
  /** New comments above and below that. */
  readonly around?: Surroundings;
}

/** Where upstream moved a file and local still has it in its old place, the file moves with everything in it. */
export function renameWhole({
  arriving,
  edits,
  pool,
  trees,
  result,
}: {
  readonly arriving: readonly Arrival[];
  readonly edits: Map<string, Edits>;
  readonly pool: Pool;
  readonly trees: Trees;
  readonly result: Map<string, PackageFile>;
}): Set<Resource> {
  const done = new Set<Resource>();
  for (const [path, edit] of edits) {
    const file = pool.files.get(path);
    const moving = arriving.filter((one) => one.own?.file === path);
    const target = moving[0]?.resource.file;
    const old = trees.local.get(path);
    if (file === undefined || target === undefined || old === undefined || trees.local.has(target)) continue;
    const own = new Map(moving.map((one) => [one.own, one]));
    if (!file.resources.every((one) => own.get(one)?.resource.file === target)) continue;
    // Something else comes to where the file stood.
    if (arriving.some((one) => one.resource.file === path)) continue;
    const changed = new Map(file.resources.map((one) => [one, own.get(one)?.root ?? one.root] as const));
    const text = editFile(file.yaml, file.resources, { ...edit, changed });
    if (text === undefined || arriving.some((one) => one.resource.file === target && one.own?.file !== path))
      continue;
    result.delete(path);
    result.set(target, withText(text, old.mode));
    edits.delete(path);
    for (const one of moving) done.add(one.resource);
  }
  return done;
}

/** Puts arriving resources where upstream has them: behind the neighbour that precedes them, or in a new file. */
export function place({
  arriving,
  homes,
  editsOf,
  pool,
  trees,
  result,
  context,
}: {
  readonly arriving: readonly Arrival[];
  readonly homes: ReadonlyMap<Resource, Resource>;
  readonly editsOf: (path: string) => Edits;
  readonly pool: Pool;
  readonly trees: Trees;
  readonly result: Map<string, PackageFile>;
  readonly context: PackageContext;
}): void {
  const byFile = Map.groupBy(arriving, (one) => one.resource.file);
  for (const [path, arrivals] of byFile) {
    const upstream = pool.upstreamFiles.get(path);
    const file = trees.upstream.get(path);
    if (upstream === undefined || file === undefined) continue;
    const home = trees.local.has(path) ? path : movedHome(upstream.resources, homes);
    if (home !== undefined && pool.files.has(home)) {
      for (const arrival of arrivals) {
        const before = upstream.resources.slice(0, upstream.resources.indexOf(arrival.resource)).reverse();
        const after = before.map((one) => homes.get(one)).find((one) => one?.file === home);
        editsOf(home).added.push({ after, text: arrivalText(arrival) });
      }
    } else result.set(path, newFile({ path, upstream, arrivals, file, context }));
  }
}

/**
 * The file that local moved all of an upstream file's resources to, where that is sure to be a renamed file: one
 * resource alone may as well have left its file.
 */
function movedHome(
  resources: readonly Resource[],
  homes: ReadonlyMap<Resource, Resource>,
): string | undefined {
  const found = resources.flatMap((one) => homes.get(one)?.file ?? []);
  return found.length > 1 && new Set(found).size === 1 ? found[0] : undefined;
}

function arrivalText({ resource, root, own, around }: Arrival): string {
  return own === undefined ? textOf(resource, root) : textOf(own, root, around);
}

function newFile({
  path,
  upstream,
  arrivals,
  file,
  context,
}: {
  readonly path: string;
  readonly upstream: { yaml: YamlFile; resources: readonly Resource[] };
  readonly arrivals: readonly Arrival[];
  readonly file: PackageFile;
  readonly context: PackageContext;
}): PackageFile {
  const fresh = new Map(
    arrivals.filter((one) => one.own === undefined).map((one) => [one.resource, one.root]),
  );
  const changed = new Map<Resource, YamlNode | null>(
    upstream.resources.map((one) => [one, fresh.get(one) ?? null]),
  );
  const moved = arrivals
    .filter((one) => one.own !== undefined)
    .map((one) => ({ after: undefined, text: arrivalText(one) }));
  const text = editFile(upstream.yaml, upstream.resources, { changed, added: moved });
  if (text === undefined) context.report.note('NOTHING_LEFT', path, 'Nothing of the file was left to add.');
  return text === upstream.yaml.source.text ? file : withText(text ?? '', file.mode);
}

export function writeEdits({
  path,
  edit,
  pool,
  trees,
  result,
}: {
  readonly path: string;
  readonly edit: FileEdit;
  readonly pool: Pool;
  readonly trees: Trees;
  readonly result: Map<string, PackageFile>;
}): void {
  const file = pool.files.get(path);
  const old = trees.local.get(path);
  if (file === undefined || old === undefined) return;
  const text = editFile(file.yaml, file.resources, edit);
  const mode = mergedMode(trees.base.get(path), trees.upstream.get(path), old);
  if (text === undefined) result.delete(path);
  else if (text !== file.yaml.source.text || mode !== old.mode) result.set(path, withText(text, mode));
}
