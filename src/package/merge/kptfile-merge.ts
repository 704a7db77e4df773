import { PorticoError } from '../../error.ts';
import type { PackageFile } from '../package.ts';
import { changedEntry, inOrder, madeList, madeMap } from '../yaml/change.ts';
import { same, toValue } from '../yaml/compare.ts';
import { editedChunk, fullDocuments } from '../yaml/edit.ts';
import { entryOf, textAt } from '../yaml/node.ts';
import type { MapEntry, MapNode, YamlNode } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { YamlDocument, YamlFile } from '../yaml/read.ts';
import { commentNote, mergedSurroundings } from './comments.ts';
import type { Side } from './conflict.ts';
import { mergeMaps } from './fields.ts';
import type { FieldContext } from './fields.ts';
import { mergeOtherFile, mergedMode } from './other-files.ts';
import type { Versions } from './other-files.ts';
import type { Report } from './report.ts';
import { withSurroundings, withText } from './resource-files.ts';
import { readFile, refOf } from './resources.ts';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'pipeline.mutators': ['@function'],
  'pipeline.validators': ['@function'],
  'status.conditions': ['type'],
  'info.readinessGates': ['conditionType'],
};

/**
 * Merges a Kptfile in place: labels, annotations, info, pipeline, inventory, status and whatever else stands there; a
 * subpackage's upstream and lock too. The name and namespace stay local's, and the root's upstream and lock are the
 * business of whoever runs the update. A Kptfile that upstream dropped stays as it is and is noted, in a subpackage with a
 * conflict where local changed it. Throws `KPTFILE_VERSION` where upstream's is of an older apiVersion than local's.
 */
export function mergeKptfile(
  path: string,
  versions: Versions,
  isRoot: boolean,
  report: Report,
): PackageFile | undefined {
  const { base, upstream, local } = versions;
  if (local === undefined) {
    const isTaken = base === undefined || tellMissing(path, base, upstream, report) === 'upstream';
    return isTaken ? upstream : undefined;
  }
  if (upstream === undefined) {
    tellDropped({ path, base, local, isRoot, report });
    report.note(
      'KPTFILE_GONE_UPSTREAM',
      path,
      'Upstream no longer has a Kptfile; the local one was kept unchanged.',
    );
    return local;
  }
  const own = rootOf(path, local);
  const theirs = rootOf(path, upstream);
  const old = base === undefined ? undefined : rootOf(path, base);
  if (own === undefined || theirs === undefined || (base !== undefined && old === undefined)) {
    report.note(
      'YAML_UNREADABLE',
      path,
      'A version of the Kptfile does not parse; it was merged line by line.',
    );
    return mergeOtherFile(path, versions, report);
  }
  const ref = refOf(own.root);
  refuseOldVersion(path, own.root, theirs.root);
  const context: FieldContext = {
    keysOf: (pattern) => (Object.hasOwn(KEYS, pattern) ? KEYS[pattern] : undefined),
    ...report.fields(path, ref),
    note: (code, at, message) => report.note(code, path, `${formatPath(at)}: ${message}`),
  };
  const root = mergeRoots({ local: own.root, base: old?.root, upstream: theirs.root, isRoot, context });
  const tell = commentNote((code, message) => report.note(code, path, message));
  const around = old && mergedSurroundings(own, old, theirs, tell);
  const mode = mergedMode(base, upstream, local);
  if (root === own.root && around === undefined && mode === local.mode) return local;
  const { source } = own.yaml;
  const chunk = editedChunk(source, own.document, root);
  return withText(withSurroundings(chunk, source.text.slice(...own.document.chunk), own, around), mode);
}

const KPTFILE_VERSION = 'kpt.dev/v1';

/** As kpt: a Kptfile of an older apiVersion has other fields, and cannot be merged into one of today's. */
function refuseOldVersion(path: string, local: MapNode, upstream: MapNode): void {
  const [own, theirs] = [refOf(local), refOf(upstream)].map(({ apiVersion }) => apiVersion);
  if (own !== KPTFILE_VERSION || theirs === own || theirs?.startsWith('kpt.dev/') !== true) return;
  throw new PorticoError(
    'KPTFILE_VERSION',
    `Upstream's ${path} is of apiVersion ${theirs}, the local one of ${own}`,
    {
      blame: 'user',
      hint: `Bring upstream's Kptfile to ${own} (kpt fix does that) and publish it, then update again.`,
    },
  );
}

/** Local deleted a Kptfile that upstream changed since. */
function tellMissing(
  path: string,
  base: PackageFile,
  upstream: PackageFile | undefined,
  report: Report,
): Side {
  const [old, now] = [base, upstream].map((file) => (file === undefined ? undefined : rootOf(path, file)));
  if (old === undefined || now === undefined || isSameButLinks(old.root, now.root)) return 'local';
  const values = { base: toValue(old.root), upstream: toValue(now.root), local: undefined };
  return report.whole(path, refOf(now.root), values);
}

/** Upstream dropped a subpackage's Kptfile that local changed: deletion against change. It stays either way. */
function tellDropped({
  path,
  base,
  local,
  isRoot,
  report,
}: {
  readonly path: string;
  readonly base: PackageFile | undefined;
  readonly local: PackageFile;
  readonly isRoot: boolean;
  readonly report: Report;
}): void {
  const [own, old] = [local, base].map((file) => (file === undefined ? undefined : rootOf(path, file)));
  if (isRoot || own === undefined || old === undefined) return;
  if (isSameButLinks(own.root, old.root)) return;
  report.whole(path, refOf(own.root), {
    base: toValue(old.root),
    upstream: undefined,
    local: toValue(own.root),
  });
}

/** Upstream deleted the package of a Kptfile that local keeps. Answers the side that is taken. */
export function tellDeletedKptfile(
  path: string,
  base: PackageFile | undefined,
  local: PackageFile | undefined,
  report: Report,
): Side {
  const [old, own] = [base, local].map((file) => (file === undefined ? undefined : rootOf(path, file)?.root));
  return report.whole(path, own === undefined ? null : refOf(own), {
    base: old && toValue(old),
    upstream: undefined,
    local: own && toValue(own),
  });
}

/** True when the two differ in name, upstream and lock at most. */
function isSameButLinks(a: MapNode, b: MapNode): boolean {
  const links = ['upstream', 'upstreamLock'];
  return same(mergeable(a, links), mergeable(b, links));
}

/** True when the two root Kptfiles differ at most in what kpt itself writes there: name, links, and what a render left in `status`. */
export function isSameRootKptfile(path: string, a: PackageFile, b: PackageFile): boolean {
  const [left, right] = [a, b].map((file) => rootOf(path, file)?.root);
  return left !== undefined && right !== undefined && isSameButLinks(unrendered(left), unrendered(right));
}

/** The Kptfile without the condition and the status that kpt's render writes. */
function unrendered(root: MapNode): MapNode {
  const entries = root.entries.flatMap((entry): MapEntry[] => {
    if (entry.name !== 'status' || entry.value.kind !== 'map') return [entry];
    const status = entry.value.entries.flatMap((one): MapEntry[] => {
      if (one.name === 'renderStatus') return [];
      if (one.name !== 'conditions' || one.value.kind !== 'list') return [one];
      const others = one.value.items.filter(({ value }) => textAt(value, 'type') !== 'Rendered');
      return others.length === 0 ? [] : [changedEntry(one, madeList(one.value, others))];
    });
    return status.length === 0 ? [] : [changedEntry(entry, madeMap(entry.value, status))];
  });
  return madeMap(root, entries);
}

interface Root {
  readonly yaml: YamlFile;
  readonly document: YamlDocument;
  readonly root: MapNode;
}

function rootOf(path: string, kptfile: PackageFile): Root | undefined {
  const yaml = readFile(path, kptfile);
  if (yaml instanceof PorticoError) return undefined;
  const [document, more] = fullDocuments(yaml);
  return document?.root?.kind === 'map' && more === undefined
    ? { yaml, document, root: document.root }
    : undefined;
}

function mergeRoots({
  local,
  base,
  upstream,
  isRoot,
  context,
}: {
  readonly local: MapNode;
  readonly base: MapNode | undefined;
  readonly upstream: MapNode;
  readonly isRoot: boolean;
  readonly context: FieldContext;
}): MapNode {
  const sheltered = isRoot ? ['upstream', 'upstreamLock'] : [];
  const [d, o, u] = [local, base, upstream].map((map) =>
    map === undefined ? undefined : mergeable(map, sheltered),
  );
  const merged = mergeMaps({ local: d, base: o, upstream: u, spot: { path: [], pattern: '' }, context });
  if (merged?.kind !== 'map') return local;
  return withSheltered(local, merged, sheltered);
}

/** The Kptfile without the parts that are never merged. */
function mergeable(map: MapNode, sheltered: readonly string[]): MapNode {
  const entries = map.entries.flatMap((entry): MapEntry[] => {
    if (sheltered.includes(entry.name)) return [];
    if (entry.name !== 'metadata' || entry.value.kind !== 'map') return [entry];
    const inner = entry.value.entries.filter((one) => one.name !== 'name' && one.name !== 'namespace');
    return [changedEntry(entry, madeMap(entry.value, inner))];
  });
  return madeMap(map, entries);
}

/** Puts local's own sheltered parts back to where they stood. */
function withSheltered(local: MapNode, merged: MapNode, sheltered: readonly string[]): MapNode {
  const metadata = entryOf(local, 'metadata');
  const isKept = (entry: MapEntry): boolean => sheltered.includes(entry.name) || entry === metadata;
  const kept = local.entries.flatMap((entry): MapEntry[] => {
    const now = entryOf(merged, entry.name);
    if (!isKept(entry)) return now === undefined ? [] : [now];
    if (entry !== metadata || entry.value.kind !== 'map') return [entry];
    return [metadataWith(entry, entry.value, now?.value)];
  });
  const entries = inOrder(kept, merged.entries);
  return madeMap(local, entries);
}

function metadataWith(entry: MapEntry, own: MapNode, merged: YamlNode | undefined): MapEntry {
  const now = merged?.kind === 'map' ? merged : undefined;
  const kept = own.entries.flatMap((one): MapEntry[] => {
    if (one.name === 'name' || one.name === 'namespace') return [one];
    const found = now === undefined ? undefined : entryOf(now, one.name);
    return found === undefined ? [] : [found];
  });
  return changedEntry(entry, madeMap(own, inOrder(kept, now?.entries ?? [])));
}
