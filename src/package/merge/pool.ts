import { PorticoError } from '../../error.ts';
import { sameFile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import type { YamlFile } from '../yaml/read.ts';
import type { PackageContext } from './merge-context.ts';
import { identifierOf, readFile, resourcesOf } from './resources.ts';
import type { Resource } from './resources.ts';

export interface Trees {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
}

export interface Pool {
  readonly base: Resource[];
  readonly upstream: Resource[];
  readonly local: Resource[];
  /** Every read local file that may be edited, with all its resources. */
  readonly files: Map<string, { readonly yaml: YamlFile; readonly resources: readonly Resource[] }>;
  readonly upstreamFiles: Map<string, { readonly yaml: YamlFile; readonly resources: readonly Resource[] }>;
}

/** Reads the three versions of a file into the pool; false when one does not parse or none holds a resource. */
export function readInto(pool: Pool, path: string, trees: Trees): boolean {
  const files = [trees.base, trees.upstream, trees.local].map((files) => {
    const file = files.get(path);
    return file === undefined ? undefined : readFile(path, file);
  });
  if (files.some((file) => file instanceof PorticoError)) return false;
  const [base, upstream, local] = files.map((yaml) =>
    yaml === undefined || yaml instanceof PorticoError
      ? undefined
      : { yaml, resources: resourcesOf(path, yaml) },
  );
  if (![base, upstream, local].some((file) => (file?.resources.length ?? 0) > 0)) return false;
  pool.base.push(...(base?.resources ?? []));
  pool.upstream.push(...(upstream?.resources ?? []));
  pool.local.push(...(local?.resources ?? []));
  if (local !== undefined) pool.files.set(path, local);
  if (upstream !== undefined) pool.upstreamFiles.set(path, upstream);
  return true;
}

/**
 * Local may have moved resources to files that upstream never touched, and both may have moved them to files that local did
 * not touch. Reads what may hold such resources into the pool; returns the plain paths that stay plain.
 */
export function followMoves(
  pool: Pool,
  plainPaths: readonly string[],
  trees: Trees,
  context: PackageContext,
): readonly string[] {
  const worked = [...trees.local].filter(
    ([path, file]) =>
      context.isResourceFile(path) && !pool.files.has(path) && !sameFile(file, trees.base.get(path)),
  );
  if (worked.length === 0 && pool.base.length === 0 && pool.local.length === 0) return plainPaths;
  const left = new Set(pool.base.map(moveKey));
  for (const one of pool.upstream) left.delete(moveKey(one));
  const arriving = new Map<string, string[]>();
  for (const path of plainPaths) {
    const [now, before] = [trees.upstream, trees.base].map((files) => resourcesAt(path, files));
    const old = new Set((before ?? []).map(moveKey));
    arriving.set(
      path,
      (now ?? []).map(moveKey).filter((key) => !old.has(key)),
    );
  }
  const names = wantedNames(pool, arriving);
  const found = names.size === 0 ? [] : worked.flatMap(([path, file]) => movedHere(path, file, names, trees));
  const here = new Set(found.map(({ resource }) => moveKey(resource)));
  const rest = plainPaths.filter((path) => {
    const pulled = (arriving.get(path) ?? []).some((key) => left.has(key) || here.has(key));
    return !pulled || !readInto(pool, path, trees);
  });
  for (const { resource, yaml, resources } of found) {
    pool.local.push(resource);
    pool.files.set(resource.file, { yaml, resources });
  }
  return rest;
}

function moveKey(resource: Resource): string {
  return identifierOf(resource.identity);
}

function resourcesAt(path: string, files: PackageFiles): Resource[] {
  const file = files.get(path);
  const yaml = file === undefined ? undefined : readFile(path, file);
  return yaml === undefined || yaml instanceof PorticoError ? [] : resourcesOf(path, yaml);
}

/** Identities that local lacks where upstream has them, by name. */
function wantedNames(pool: Pool, arriving: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
  const own = new Set(pool.local.map((one) => `${one.file}|${moveKey(one)}`));
  const names = new Map<string, Set<string>>();
  const want = (key: string, name: string): void => {
    if (name !== '') names.set(name, (names.get(name) ?? new Set()).add(key));
  };
  for (const one of [...pool.upstream, ...pool.base]) {
    if (!own.has(`${one.file}|${moveKey(one)}`)) want(moveKey(one), one.identity.name);
  }
  for (const keys of arriving.values())
    for (const key of keys) want(key, key.slice(key.lastIndexOf('|') + 1));
  return names;
}

function movedHere(
  path: string,
  file: PackageFile,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  trees: Trees,
): { resource: Resource; yaml: YamlFile; resources: readonly Resource[] }[] {
  const text = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
  // Only plain names are sure to stand in the text as they are.
  const mentioned = [...names].filter(([name]) => !/^[\w.:-]+$/.test(name) || text.includes(name));
  if (mentioned.length === 0) return [];
  const yaml = readFile(path, file);
  if (yaml instanceof PorticoError) return [];
  const resources = resourcesOf(path, yaml);
  const before = new Set(resourcesAt(path, trees.base).map(moveKey));
  const wanted = new Set(mentioned.flatMap(([, keys]) => [...keys]));
  return resources
    .filter((resource) => wanted.has(moveKey(resource)) && !before.has(moveKey(resource)))
    .map((resource) => ({ resource, yaml, resources }));
}
