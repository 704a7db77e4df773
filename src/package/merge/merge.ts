import { PorticoError } from '../../error.ts';
import { readKrmignore } from '../krmignore.ts';
import { checkPackage } from '../limits.ts';
import { sameFile, isKptfile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { bookkeepingOf, isYaml } from './bookkeeping.ts';
import { withLines } from './conflict-lines.ts';
import type { Side } from './conflict.ts';
import { isSameRootKptfile, mergeKptfile, tellDeletedKptfile } from './kptfile-merge.ts';
import { MERGE_FILE, readLocalOwns } from './local-owns.ts';
import { tellLostComments } from './lost-comments.ts';
import type { PackageContext } from './merge-context.ts';
import type { MergeInput, MergeResult } from './merge-types.ts';
import { mergeOnePackage } from './package-merge.ts';
import { withoutClashes } from './path-clashes.ts';
import { createReport } from './report.ts';
import type { Report } from './report.ts';
import type { CustomKeys } from './resource-merge.ts';
import { readFile, resourcesOf } from './resources.ts';
import { crdListKeys } from './schema.ts';
import { changedFiles, isPackageUntouched, packageRoots, splitPackages } from './subpackages.ts';

/**
 * Brings upstream's changes since base into local: kpt's rules, local's text, every conflict told.
 * Throws `NOT_FAST_FORWARD` when that strategy is asked for and local has changes, and `PACKAGE_LIMIT` or
 * `PACKAGE_PATH` for packages that must not be read.
 */
export function mergePackages(input: MergeInput): MergeResult {
  const { base, upstream, local } = input;
  for (const [what, files] of Object.entries({ base, upstream, local })) checkPackage(files, what);
  const owned = input.samePackage === true ? undefined : readLocalOwns(local);
  const report = createReport(input.onConflict ?? 'upstream', input.decisions, owned?.owns);
  const merged =
    owned === undefined
      ? mergeWith(input, report)
      : withOwnLines(mergeWith(withoutLines(input), report), local);
  if (owned?.problem !== undefined) report.note('LOCAL_OWNS_NOTHING', MERGE_FILE, owned.problem);
  const files = withoutClashes(merged, local, report);
  const changed = [...new Set([...local.keys(), ...files.keys()])].filter(
    (path) => !sameFile(local.get(path), files.get(path)),
  );
  return {
    files,
    changed: changed.sort(),
    conflicts: withLines(report.conflicts, files),
    notes: report.notes,
    strayDecisions: [...(input.decisions?.keys() ?? [])].filter((id) => !report.used.has(id)),
  };
}

/** What a package owns is nobody's to bring, change or take away but its own. */
function withoutLines(input: MergeInput): MergeInput {
  const { base, upstream, local } = input;
  return { ...input, base: besideLines(base), upstream: besideLines(upstream), local: besideLines(local) };
}

function besideLines(files: PackageFiles): PackageFiles {
  return files.has(MERGE_FILE) ? new Map([...files].filter(([path]) => path !== MERGE_FILE)) : files;
}

function withOwnLines(merged: PackageFiles, local: PackageFiles): PackageFiles {
  const own = local.get(MERGE_FILE);
  return own === undefined ? merged : new Map([...merged, [MERGE_FILE, own]]);
}

function mergeWith(input: MergeInput, report: Report): PackageFiles {
  switch (input.strategy ?? 'resource-merge') {
    case 'resource-merge':
      return mergeResources(input, report);
    case 'copy-merge':
      return mergeCopy(input, report);
    case 'fast-forward':
      refuseChanges(input);
      return replaceAll(input, report);
    case 'force-delete-replace':
      return replaceAll(input, report);
  }
}

function mergeResources({ base, upstream, local }: MergeInput, report: Report): PackageFiles {
  const roots = packageRoots(base, upstream, local);
  const [o, u, d] = [base, upstream, local].map((files) => splitPackages(files, roots));
  const custom = customKeys(local, upstream);
  const bookkeeping = bookkeepingOf(base, local);
  const result = new Map<string, PackageFile>();
  for (const prefix of roots) {
    const [theirs, now, own] = [o, u, d].map((parts) => parts?.get(prefix) ?? new Map<string, PackageFile>());
    if (theirs === undefined || now === undefined || own === undefined) continue;
    const context: PackageContext = {
      report,
      custom,
      bookkeeping,
      prefix,
      isGone: false,
      isResourceFile: resourceFiles(prefix, own, now),
    };
    for (const [path, file] of mergePackage(theirs, now, own, context)) result.set(path, file);
  }
  tellLostComments({ base, upstream, local }, result, report);
  return result;
}

/** kpt's table: what becomes of a package that one side added or deleted. The root is always merged. */
function mergePackage(
  base: PackageFiles,
  upstream: PackageFiles,
  local: PackageFiles,
  context: PackageContext,
): PackageFiles {
  const kptfile = `${context.prefix}Kptfile`;
  const [had, has, own] = [base, upstream, local].map((files) => files.has(kptfile));
  if (context.prefix !== '' && had === true && has === false && own === true) {
    if (
      isPackageUntouched(withoutKptfile(local, kptfile), withoutKptfile(base, kptfile)) &&
      isKptfileUntouched(base, local, context)
    ) {
      const merged = mergeOnePackage(
        withoutKptfile(base, kptfile),
        upstream,
        withoutKptfile(local, kptfile),
        context,
      );
      return upstream.size === 0 ? new Map() : merged;
    }
    if (upstream.size === 0) return deletedUpstream(base, local, kptfile, context);
  }
  if (context.prefix !== '' && had === true && local.size === 0) {
    // A deleted subpackage stays deleted: what is new in it upstream does not come, what changed is told.
    const known = new Map([...upstream].filter(([path]) => base.has(path)));
    const left = [...upstream.keys()].filter((path) => !base.has(path));
    if (left.length > 0) {
      const message = `The subpackage was deleted here, so upstream's new files in it were not added: ${listed(left)}.`;
      context.report.note('SUBPACKAGE_DELETED', kptfile, message);
    }
    return mergeOnePackage(base, known, local, { ...context, isGone: true });
  }
  return mergeOnePackage(base, upstream, local, context);
}

/** Names in one note; the others are counted. */
const MAX_LISTED = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED;
  return paths.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Whoever worked in a subpackage that upstream deleted keeps all of it, as with kpt: half of one is of no use. Each
 * change is told as a conflict, and where local only added to it, its Kptfile. Once all of them are settled for upstream, what
 * upstream had goes.
 */
function deletedUpstream(
  base: PackageFiles,
  local: PackageFiles,
  kptfile: string,
  context: PackageContext,
): PackageFiles {
  const sides: Side[] = [];
  const whole: Report['whole'] = (...asked) => {
    const side = context.report.whole(...asked);
    sides.push(side);
    return side;
  };
  const merged = mergeOnePackage(withoutKptfile(base, kptfile), new Map(), withoutKptfile(local, kptfile), {
    ...context,
    report: { ...context.report, whole },
  });
  if (sides.length === 0 || !isKptfileUntouched(base, local, context))
    sides.push(tellDeletedKptfile(kptfile, base.get(kptfile), local.get(kptfile), context.report));
  else if (sides.includes('local')) {
    const message =
      'Upstream deleted the subpackage. It is kept here completely, because it has local changes.';
    context.report.note('SUBPACKAGE_KEPT', kptfile, message);
  }
  return sides.includes('local') ? local : merged;
}

function withoutKptfile(files: PackageFiles, kptfile: string): PackageFiles {
  return new Map([...files].filter(([path]) => path !== kptfile));
}

function isKptfileUntouched(base: PackageFiles, local: PackageFiles, { prefix }: PackageContext): boolean {
  const path = `${prefix}Kptfile`;
  const [old, own] = [base.get(path), local.get(path)];
  if (old === undefined || own === undefined) return old === own;
  const quiet = createReport('local');
  return sameFile(mergeKptfile(path, { base: own, upstream: old, local: own }, false, quiet), own);
}

/** Says which paths hold resources: YAML that neither side's `.krmignore` hides. */
function resourceFiles(
  prefix: string,
  local: PackageFiles,
  upstream: PackageFiles,
): (path: string) => boolean {
  const matchers = [local, upstream].flatMap((files) => {
    const file = files.get(`${prefix}.krmignore`);
    return file === undefined ? [] : [readKrmignore(new TextDecoder().decode(file.bytes))];
  });
  return (path) => isYaml(path) && !matchers.some((hides) => hides(path.slice(prefix.length)));
}

/** The merge keys of custom resources, from the CRDs in the package, read when first asked for. */
function customKeys(...trees: readonly PackageFiles[]): CustomKeys {
  let known: Map<string, ReadonlyMap<string, readonly string[]>> | undefined;
  return (gvk) => {
    if (!gvk.includes('.')) return undefined;
    known ??= readCrds(trees);
    return known.get(gvk);
  };
}

function readCrds(trees: readonly PackageFiles[]): Map<string, ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const tree of trees) {
    for (const [path, file] of tree) {
      if (
        !isYaml(path) ||
        !Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).includes(
          'CustomResourceDefinition',
        )
      )
        continue;
      const yaml = readFile(path, file);
      if (yaml instanceof PorticoError) continue;
      for (const { root, ref } of resourcesOf(path, yaml)) {
        if (ref.kind !== 'CustomResourceDefinition') continue;
        for (const [gvk, lists] of crdListKeys(root)) found.set(gvk, lists);
      }
    }
  }
  return found;
}

function refuseChanges({ base, local }: MergeInput): void {
  const dirty = changedFiles(local, base).filter(
    (path) => !isKptfile(path) || !isSameKptfile(path, base, local),
  );
  if (dirty.length === 0) return;
  throw new PorticoError('NOT_FAST_FORWARD', `Local package files have been modified: ${dirty.join(', ')}`, {
    blame: 'user',
    hint: 'Use another strategy, such as resource-merge, or take the changes back.',
  });
}

/** A Kptfile may differ in what kpt writes there itself. */
function isSameKptfile(path: string, base: PackageFiles, local: PackageFiles): boolean {
  const own = local.get(path);
  const old = base.get(path);
  if (own === undefined) return false;
  // kpt's render drops the comments of the root Kptfile; it is merged, so that none is lost here.
  if (path === 'Kptfile') return isSameRootKptfile(path, own, old ?? emptyKptfile(own));
  const quiet = createReport('upstream');
  const merged = mergeKptfile(
    path,
    { base: own, upstream: old ?? emptyKptfile(own), local: own },
    false,
    quiet,
  );
  return merged === own;
}

function emptyKptfile(like: PackageFile): PackageFile {
  return {
    mode: like.mode,
    bytes: new TextEncoder().encode('apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: none\n'),
  };
}

/** Upstream as it is, with local's root Kptfile merged. */
function replaceAll(input: MergeInput, report: Report): PackageFiles {
  return withUpstream(new Map(), input, report);
}

/** All of upstream's files on top of these, with local's root Kptfile merged. */
function withUpstream(
  result: Map<string, PackageFile>,
  input: MergeInput,
  report: Report,
): Map<string, PackageFile> {
  const { base, upstream, local } = input;
  const { mark } = bookkeepingOf(base, local);
  for (const [path, file] of upstream) {
    const own = local.get(path);
    result.set(path, own !== undefined && isFileSame(path, own, file) ? own : mark(path, file));
  }
  const kptfile = mergedRootKptfile(input, report);
  if (kptfile !== undefined) result.set('Kptfile', kptfile);
  return result;
}

function isFileSame(path: string, own: PackageFile, theirs: PackageFile): boolean {
  return changedFiles(new Map([[path, own]]), new Map([[path, theirs]])).length === 0;
}

function mergedRootKptfile({ base, upstream, local }: MergeInput, report: Report): PackageFile | undefined {
  const versions = {
    base: base.get('Kptfile'),
    upstream: upstream.get('Kptfile'),
    local: local.get('Kptfile'),
  };
  if (versions.local === undefined) return versions.upstream;
  if (sameFile(versions.base, versions.upstream)) return versions.local;
  return mergeKptfile('Kptfile', versions, true, report);
}

/** Upstream's files over local's; what upstream dropped goes, what only local has stays. */
function mergeCopy(input: MergeInput, report: Report): PackageFiles {
  const { base, upstream, local } = input;
  const kept = new Map<string, PackageFile>();
  for (const [path, file] of local) if (upstream.has(path) || !base.has(path)) kept.set(path, file);
  return withUpstream(kept, input, report);
}
