import { PorticoError } from '../../error.ts';
import { sameFile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { toValue } from '../yaml/compare.ts';
import type { YamlNode } from '../yaml/node.ts';
import type { YamlFile } from '../yaml/read.ts';
import type { Bookkeeping } from './bookkeeping.ts';
import { mergeKptfile } from './kptfile-merge.ts';
import { matchResources } from './match.ts';
import type { Matched } from './match.ts';
import { mergedMode, mergeOtherFile } from './other-files.ts';
import type { Versions } from './other-files.ts';
import type { Report } from './report.ts';
import { editFile, textOf, withText } from './resource-files.ts';
import type { FileEdit } from './resource-files.ts';
import { mergeResource, withBookkeeping } from './resource-merge.ts';
import type { CustomKeys } from './resource-merge.ts';
import { commentsOf, contentOf, identifierOf, isUntouched, readFile, resourcesOf } from './resources.ts';
import type { Resource } from './resources.ts';

/** What the merge of one package needs beside its files. */
export interface PackageContext {
  readonly report: Report;
  readonly custom: CustomKeys;
  readonly bookkeeping: Bookkeeping;
  /** True for paths that hold resources; false for other files and those hidden by .krmignore. */
  readonly isResourceFile: (path: string) => boolean;
  /** The package's directory with a trailing slash, '' for the root. */
  readonly prefix: string;
}

type Files = PackageFiles;

/** Merges one package without its subpackages, resource by resource. Unchanged files are not read. */
export function mergeOnePackage(
  base: Files,
  upstream: Files,
  local: Files,
  context: PackageContext,
): Map<string, PackageFile> {
  const result = new Map(local);
  const set = (path: string, file: PackageFile | undefined): void => {
    if (file === undefined) result.delete(path);
    else result.set(path, file);
  };
  const pool: string[] = [];
  const plain: string[] = [];
  const agreed: string[] = [];
  for (const path of new Set([...base.keys(), ...upstream.keys()])) {
    const versions = versionsOf(path, base, upstream, local);
    if (sameFile(versions.base, versions.upstream)) continue;
    if (path === `${context.prefix}Kptfile`) {
      set(
        path,
        sameFile(versions.local, versions.base)
          ? keptKptfile(versions)
          : mergeKptfile(path, versions, context.prefix === '', context.report),
      );
    } else if (sameFile(versions.local, versions.upstream)) {
      if (context.isResourceFile(path)) agreed.push(path);
    } else if (!context.isResourceFile(path)) set(path, mergeOtherFile(path, versions, context.report));
    else if (sameFile(versions.local, versions.base)) plain.push(path);
    else pool.push(path);
  }
  mergeResourceFiles({ pool, plain, agreed }, { base, upstream, local }, result, context);
  return result;
}

/** A Kptfile that local did not touch becomes upstream's, unless upstream dropped it. */
function keptKptfile({ upstream, local }: Versions): PackageFile | undefined {
  return upstream ?? local;
}

function versionsOf(path: string, base: Files, upstream: Files, local: Files): Versions {
  return { base: base.get(path), upstream: upstream.get(path), local: local.get(path) };
}

interface Trees {
  readonly base: Files;
  readonly upstream: Files;
  readonly local: Files;
}

interface Pool {
  readonly base: Resource[];
  readonly upstream: Resource[];
  readonly local: Resource[];
  /** Every read local file that may be edited, with all its resources. */
  readonly files: Map<string, { readonly yaml: YamlFile; readonly resources: readonly Resource[] }>;
  readonly upstreamFiles: Map<string, { readonly yaml: YamlFile; readonly resources: readonly Resource[] }>;
}

/** Paths whose content upstream changed: `pool` both sides, `plain` upstream alone, `agreed` both to the same. */
interface Paths {
  readonly pool: readonly string[];
  readonly plain: readonly string[];
  readonly agreed: readonly string[];
}

function mergeResourceFiles(
  paths: Paths,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
  const pool: Pool = { base: [], upstream: [], local: [], files: new Map(), upstreamFiles: new Map() };
  for (const path of paths.pool) {
    if (!readInto(pool, path, trees)) mergeUnreadable(path, trees, result, context);
  }
  // What both sides did alike needs no work, but tells where resources went that stand elsewhere now.
  if (paths.pool.length + paths.plain.length > 0)
    for (const path of paths.agreed) readInto(pool, path, trees);
  const rest = followMoves(pool, paths.plain, trees, context);
  for (const path of rest) takeUpstream(path, trees, result, context);
  applyMatches(matchResources(pool.base, pool.upstream, pool.local), pool, trees, result, context);
}

/** Reads the three versions of a file into the pool; false when one does not parse or none holds a resource. */
function readInto(pool: Pool, path: string, trees: Trees): boolean {
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

function mergeUnreadable(
  path: string,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
  for (const [side, files] of Object.entries(trees) as [keyof Trees, Files][]) {
    const file = files.get(path);
    const read = file === undefined ? undefined : readFile(path, file);
    if (read instanceof PorticoError)
      context.report.note('YAML_UNREADABLE', path, `${side}: ${read.message}`);
  }
  const merged = mergeOtherFile(
    path,
    versionsOf(path, trees.base, trees.upstream, trees.local),
    context.report,
  );
  if (merged === undefined) result.delete(path);
  else result.set(path, merged);
}

/**
 * Local may have moved resources to files that upstream never touched, and both may have moved them to files that local did
 * not touch. Reads what may hold such resources into the pool; returns the plain paths that stay plain.
 */
function followMoves(
  pool: Pool,
  plainPaths: readonly string[],
  trees: Trees,
  context: PackageContext,
): readonly string[] {
  const worked = [...trees.local].filter(
    ([path, file]) =>
      context.isResourceFile(path) && !pool.files.has(path) && !sameFile(file, trees.base.get(path)),
  );
  if (worked.length === 0 && pool.local.length === 0) return plainPaths;
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

function resourcesAt(path: string, files: Files): Resource[] {
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

/** A file that local did not touch becomes upstream's; what is new in it gets kpt's bookkeeping where local has it. */
function takeUpstream(
  path: string,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
  const file = trees.upstream.get(path);
  if (file === undefined) result.delete(path);
  else result.set(path, trees.base.has(path) ? file : context.bookkeeping.mark(path, file));
}

interface Edits {
  readonly changed: Map<Resource, YamlNode | null>;
  readonly added: { after: Resource | undefined; text: string }[];
}

function applyMatches(
  matches: readonly Matched[],
  pool: Pool,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
  const edits = new Map<string, Edits>();
  const editsOf = (path: string): Edits => {
    const known = edits.get(path) ?? { changed: new Map(), added: [] };
    edits.set(path, known);
    return known;
  };
  const homes = new Map<Resource, Resource>();
  for (const { local, upstream } of matches)
    if (local !== undefined && upstream !== undefined) homes.set(upstream, local);
  const arriving: { resource: Resource; root: YamlNode; own?: Resource }[] = [];
  for (const match of matches) {
    const outcome = decide(match, context);
    const { local, upstream, base } = match;
    if (outcome === 'keep' || (outcome === 'remove' && local === undefined)) continue;
    if (outcome === 'remove') {
      if (local !== undefined) editsOf(local.file).changed.set(local, null);
    } else if (local === undefined) {
      if (upstream !== undefined) arriving.push({ resource: upstream, root: outcome });
    } else if (
      upstream !== undefined &&
      base !== undefined &&
      upstream.file !== base.file &&
      local.file === base.file
    ) {
      editsOf(local.file).changed.set(local, null);
      arriving.push({ resource: upstream, root: outcome, own: local });
    } else if (outcome !== local.root) editsOf(local.file).changed.set(local, outcome);
  }
  const renamed = renameWhole(arriving, edits, pool, trees, result);
  place(
    arriving.filter((one) => !renamed.has(one.resource)),
    homes,
    editsOf,
    pool,
    trees,
    result,
    context,
  );
  for (const [path, edit] of edits) writeEdits(path, edit, pool, trees, result);
}

/** The new root of a resource, or what becomes of it. */
function decide({ base, upstream, local }: Matched, context: PackageContext): YamlNode | 'keep' | 'remove' {
  const { report, custom, bookkeeping } = context;
  if (local === undefined) {
    if (upstream === undefined) return 'keep';
    const isNew = base === undefined;
    if (!isNew && sameContent(base, upstream)) return 'keep';
    if (!isNew && report.whole(upstream.file, upstream.ref, shown(base, upstream, undefined)) === 'local')
      return 'keep';
    return bookkeeping.wanted() ? withBookkeeping(upstream.root, upstream) : upstream.root;
  }
  if (upstream !== undefined) return mergeResource(local, base, upstream, local.file, custom, report);
  if (base === undefined) return 'keep';
  if (isUntouched(local, base)) return 'remove';
  return report.whole(local.file, local.ref, shown(base, undefined, local)) === 'local' ? 'keep' : 'remove';
}

function sameContent(a: Resource, b: Resource): boolean {
  return contentOf(a.root) === contentOf(b.root) && commentsOf(a) === commentsOf(b);
}

function shown(
  base: Resource | undefined,
  upstream: Resource | undefined,
  local: Resource | undefined,
): { base: unknown; upstream: unknown; local: unknown } {
  const [o, u, d] = [base, upstream, local].map((one) => (one === undefined ? undefined : toValue(one.root)));
  return { base: o, upstream: u, local: d };
}

type Arrival = { readonly resource: Resource; readonly root: YamlNode; readonly own?: Resource };

/** Where upstream moved a file and local still has it in its old place, the file moves with everything in it. */
function renameWhole(
  arriving: readonly Arrival[],
  edits: Map<string, Edits>,
  pool: Pool,
  trees: Trees,
  result: Map<string, PackageFile>,
): Set<Resource> {
  const done = new Set<Resource>();
  for (const [path, edit] of edits) {
    const file = pool.files.get(path);
    const moving = arriving.filter((one) => one.own?.file === path);
    const target = moving[0]?.resource.file;
    const old = trees.local.get(path);
    if (file === undefined || target === undefined || old === undefined || trees.local.has(target)) continue;
    const own = new Map(moving.map((one) => [one.own, one]));
    if (!file.resources.every((one) => own.get(one)?.resource.file === target)) continue;
    const changed = new Map(file.resources.map((one) => [one, own.get(one)?.root ?? one.root] as const));
    const text = editFile(file.yaml, file.resources, { changed, added: edit.added });
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
function place(
  arriving: readonly Arrival[],
  homes: ReadonlyMap<Resource, Resource>,
  editsOf: (path: string) => Edits,
  pool: Pool,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
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
    } else result.set(path, newFile(path, upstream, arrivals, file, context));
  }
}

/** The file that local moved most of an upstream file's resources to. */
function movedHome(
  resources: readonly Resource[],
  homes: ReadonlyMap<Resource, Resource>,
): string | undefined {
  const counts = new Map<string, number>();
  for (const one of resources) {
    const home = homes.get(one)?.file;
    if (home !== undefined) counts.set(home, (counts.get(home) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function arrivalText({ resource, root, own }: Arrival): string {
  return own === undefined ? textOf(resource, root) : textOf(own, root);
}

function newFile(
  path: string,
  upstream: { yaml: YamlFile; resources: readonly Resource[] },
  arrivals: readonly Arrival[],
  file: PackageFile,
  context: PackageContext,
): PackageFile {
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

function writeEdits(
  path: string,
  edit: FileEdit,
  pool: Pool,
  trees: Trees,
  result: Map<string, PackageFile>,
): void {
  const file = pool.files.get(path);
  const old = trees.local.get(path);
  if (file === undefined || old === undefined) return;
  const text = editFile(file.yaml, file.resources, edit);
  const mode = mergedMode(trees.base.get(path), trees.upstream.get(path), old);
  if (text === undefined) result.delete(path);
  else if (text !== file.yaml.source.text || mode !== old.mode) result.set(path, withText(text, mode));
}
