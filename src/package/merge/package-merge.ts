import { PorticoError } from '../../error.ts';
import { sameFile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { toValue } from '../yaml/compare.ts';
import type { YamlNode } from '../yaml/node.ts';
import { commentNote, mergedSurroundings } from './comments.ts';
import type { TellComment } from './comments.ts';
import { mergeKptfile } from './kptfile-merge.ts';
import { alikePairs, matchResources } from './match.ts';
import type { Matched } from './match.ts';
import type { PackageContext } from './merge-context.ts';
import { mergedMode, mergeOtherFile } from './other-files.ts';
import type { Versions } from './other-files.ts';
import { place, renameWhole, writeEdits } from './placement.ts';
import type { Arrival, Edits } from './placement.ts';
import { followMoves, readInto } from './pool.ts';
import type { Pool, Trees } from './pool.ts';
import { mergeResource, withBookkeeping } from './resource-merge.ts';
import { contentOf, isUntouched, readFile } from './resources.ts';
import type { Resource } from './resources.ts';

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
        sameFile(versions.local, versions.base) && versions.upstream !== undefined
          ? versions.upstream
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

function versionsOf(path: string, base: Files, upstream: Files, local: Files): Versions {
  return { base: base.get(path), upstream: upstream.get(path), local: local.get(path) };
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
  if (paths.pool.length + paths.plain.length > 0 || isWorkedElsewhere(paths.agreed, trees, context))
    for (const path of paths.agreed) readInto(pool, path, trees);
  const rest = followMoves(pool, paths.plain, trees, context);
  for (const path of rest) takeUpstream(path, trees, result, context);
  applyMatches({
    matches: matchResources(pool.base, pool.upstream, pool.local),
    pool,
    trees,
    result,
    context,
  });
  for (const path of paths.pool) followMode(path, trees, result);
}

/** True when local changed other resource files than those that both sides made alike. */
function isWorkedElsewhere(
  agreed: readonly string[],
  { base, local }: Trees,
  context: PackageContext,
): boolean {
  if (agreed.length === 0) return false;
  const known = new Set(agreed);
  return [...local].some(
    ([path, file]) => context.isResourceFile(path) && !known.has(path) && !sameFile(file, base.get(path)),
  );
}

/** A file whose text stayed may still have got another mode upstream. */
function followMode(path: string, trees: Trees, result: Map<string, PackageFile>): void {
  const [file, own] = [result.get(path), trees.local.get(path)];
  if (file === undefined || own === undefined) return;
  const mode = mergedMode(trees.base.get(path), trees.upstream.get(path), own);
  if (mode !== file.mode) result.set(path, { ...file, mode });
}

const SIDE_NAMES: Readonly<Record<keyof Trees, string>> = {
  base: 'in the common base',
  upstream: 'upstream',
  local: 'here',
};

function mergeUnreadable(
  path: string,
  trees: Trees,
  result: Map<string, PackageFile>,
  context: PackageContext,
): void {
  const sides = (Object.entries(trees) as [keyof Trees, Files][]).filter(([, files]) => {
    const file = files.get(path);
    return file !== undefined && readFile(path, file) instanceof PorticoError;
  });
  if (sides.length > 0) {
    const names = sides.map(([side]) => SIDE_NAMES[side]).join(', ');
    const message = `It is not valid YAML (${names}), so it was merged line by line.`;
    context.report.note('YAML_UNREADABLE', path, message);
  }
  const merged = mergeOtherFile(
    path,
    versionsOf(path, trees.base, trees.upstream, trees.local),
    context.report,
  );
  if (merged === undefined) result.delete(path);
  else result.set(path, merged);
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

function applyMatches({
  matches,
  pool,
  trees,
  result,
  context,
}: {
  readonly matches: readonly Matched[];
  readonly pool: Pool;
  readonly trees: Trees;
  readonly result: Map<string, PackageFile>;
  readonly context: PackageContext;
}): void {
  const edits = new Map<string, Edits>();
  const editsOf = (path: string): Edits => {
    const known = edits.get(path) ?? { changed: new Map(), added: [], surroundings: new Map() };
    edits.set(path, known);
    return known;
  };
  const homes = new Map<Resource, Resource>();
  for (const { local, upstream } of matches)
    if (local !== undefined && upstream !== undefined) homes.set(upstream, local);
  const arriving: Arrival[] = [];
  for (const match of matches) {
    const outcome = decide(match, context);
    const { local, upstream, base, alike } = match;
    if (base !== undefined && alike !== undefined && outcome !== 'keep' && outcome !== local?.root)
      context.report.note('TAKEN_FOR_RENAMED', alike.file, renamedMessage(base, alike));
    const around =
      base && upstream && local && mergedSurroundings(local, base, upstream, tellAround(local, context));
    if (local !== undefined && around !== undefined) editsOf(local.file).surroundings.set(local, around);
    if (outcome === 'keep' || (outcome === 'remove' && local === undefined)) continue;
    if (outcome === 'remove') {
      if (local !== undefined) editsOf(local.file).changed.set(local, null);
    } else if (local === undefined) {
      if (upstream !== undefined) arriving.push({ resource: upstream, root: outcome });
    } else if (upstream !== undefined && isMovedUpstream(base, upstream, local)) {
      editsOf(local.file).changed.set(local, null);
      arriving.push({ resource: upstream, root: outcome, own: local, ...(around && { around }) });
      // It leaves its place, so nothing new is put beside it there.
      homes.delete(upstream);
    } else if (outcome !== local.root) editsOf(local.file).changed.set(local, outcome);
  }
  tellReturned(
    matches,
    arriving.map(({ resource }) => resource),
    context,
  );
  const renamed = renameWhole({ arriving, edits, pool, trees, result });
  place({
    arriving: arriving.filter((one) => !renamed.has(one.resource)),
    homes,
    editsOf,
    pool,
    trees,
    result,
    context,
  });
  for (const [path, edit] of edits) writeEdits({ path, edit, pool, trees, result });
}

/** Tells of what upstream renamed and local deleted, or moved under another name: it is there again, or twice. */
function tellReturned(
  matches: readonly Matched[],
  arriving: readonly Resource[],
  { report }: PackageContext,
): void {
  const gone = matches.flatMap(({ base, upstream, local }) =>
    base !== undefined && upstream === undefined && local === undefined ? [base] : [],
  );
  for (const [old, now] of alikePairs(gone, arriving)) {
    const message = `${now.ref.kind} ${now.ref.name} comes from upstream and is nearly the same as ${old.ref.name}, which was deleted or renamed here: look whether it is wanted.`;
    report.note('COMES_RENAMED', now.file, message);
  }
}

/** Tells of a comment above or below a resource that both sides changed. */
function tellAround({ file, ref }: Resource, { report }: PackageContext): TellComment {
  return commentNote((code, message) => report.note(code, file, `${ref.kind} ${ref.name}: ${message}`));
}

/** True when upstream put the resource into another file, and local left it where it was. */
function isMovedUpstream(base: Resource | undefined, upstream: Resource, local: Resource): boolean {
  return base !== undefined && upstream.file !== base.file && local.file === base.file;
}

function renamedMessage(base: Resource, now: Resource): string {
  const { kind, name } = now.ref;
  return `${kind} ${name} is nearly the same as ${base.ref.name} was and was taken for it, renamed: look whether its changes belong there.`;
}

/** The new root of a resource, or what becomes of it. */
function decide({ base, upstream, local }: Matched, context: PackageContext): YamlNode | 'keep' | 'remove' {
  const { report, custom, bookkeeping } = context;
  if (local === undefined) {
    if (upstream === undefined) return 'keep';
    const isNew = base === undefined;
    if (isNew && context.isGone) {
      const { kind, name } = upstream.ref;
      const message = `The subpackage was deleted here, so ${kind} ${name} does not come, which is new in it upstream.`;
      report.note('SUBPACKAGE_DELETED', `${context.prefix}Kptfile`, message);
      return 'keep';
    }
    if (!isNew && sameContent(base, upstream)) return 'keep';
    if (!isNew && report.whole(upstream.file, upstream.ref, shown(base, upstream, undefined)) === 'local')
      return 'keep';
    return bookkeeping.wanted() ? withBookkeeping(upstream.root, upstream) : upstream.root;
  }
  if (upstream !== undefined) {
    const file = isMovedUpstream(base, upstream, local) ? upstream.file : local.file;
    return mergeResource({ local, base, upstream, file, custom, report });
  }
  if (base === undefined) return 'keep';
  // Whoever moved a resource worked on it, and is asked before it goes.
  if (local.file === base.file && isUntouched(local, base)) return 'remove';
  return report.whole(local.file, local.ref, shown(base, undefined, local)) === 'local' ? 'keep' : 'remove';
}

/** True when both have the same data: comments make no difference. */
function sameContent(a: Resource, b: Resource): boolean {
  return contentOf(a.root) === contentOf(b.root);
}

function shown(
  base: Resource | undefined,
  upstream: Resource | undefined,
  local: Resource | undefined,
): { base: unknown; upstream: unknown; local: unknown } {
  const [o, u, d] = [base, upstream, local].map((one) => (one === undefined ? undefined : toValue(one.root)));
  return { base: o, upstream: u, local: d };
}
