import { compareText } from '../../text/compare-text.ts';
import { isForTools } from '../local-config.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { groupOf, isMap } from '../plain-values.ts';
import type { FileChange, PackageDiff, ResourceChange, ResourceChangeKind } from './diff-types.ts';
import { diffFields } from './field-diff.ts';
import { diffFile, isCopy } from './file-diff.ts';
import { outOfOrder } from './order.ts';
import { readResourceFile } from './resource-file.ts';
import type { PlacedResource } from './resource-file.ts';

/**
 * Compares two packages resource by resource and field by field; other files by lines. Files with equal content are
 * never parsed. Does not throw: a YAML file that cannot be read is compared by lines, with the reason.
 *
 * @param a the older package
 * @param b the newer package
 * @param options `renamed`: resources are known again by kpt's merge comment, and in another namespace
 */
export function diffPackages(
  a: PackageFiles,
  b: PackageFiles,
  { renamed = false }: { readonly renamed?: boolean } = {},
): PackageDiff {
  const touched = [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => !sameFile(a.get(path), b.get(path)))
    .sort();
  const before: PlacedResource[] = [];
  const after: PlacedResource[] = [];
  const plain: { path: string; reason: string | undefined }[] = [];
  const files: FileChange[] = [];

  for (const path of touched) {
    const [old, now] = [a.get(path), b.get(path)];
    if (old !== undefined && now !== undefined && old.mode !== now.mode) {
      files.push(modeChange(path, old, now));
      if (sameFile({ ...old, mode: now.mode }, now)) continue;
    }
    const read = [old, now].map((file) =>
      file === undefined ? { resources: [] } : readResourceFile(path, file),
    );
    const unread = read.find((side) => !('resources' in side));
    if (unread !== undefined && 'reason' in unread) plain.push({ path, reason: unread.reason });
    else {
      const [inA, inB] = read.map((side) => ('resources' in side ? side.resources : []));
      before.push(...(inA ?? []));
      after.push(...(inB ?? []));
    }
  }

  const resources = compareResources(before, after, renamed);
  const reported = new Set(resources.flatMap(({ file, from }) => [file, from ?? file]));
  const inResources = new Set([...before, ...after].map(({ file }) => file));
  for (const path of inResources) {
    // Something outside of the resources changed, such as a file of comments only.
    if (!reported.has(path)) plain.push({ path, reason: undefined });
  }
  for (const path of touched) {
    const empty = !inResources.has(path) && !plain.some((file) => file.path === path);
    if (empty && !files.some(({ file }) => file === path)) plain.push({ path, reason: undefined });
  }
  files.push(...plainChanges(plain, a, b));
  files.sort((x, y) => compareText(x.file, y.file));
  return { same: touched.length === 0, resources, files, counts: countsOf(resources, files) };
}

function compareResources(
  before: readonly PlacedResource[],
  after: readonly PlacedResource[],
  renamed: boolean,
): ResourceChange[] {
  const sameName = [(it: PlacedResource) => `${it.file}\n${identity(it)}`, identity];
  const pairs = match(before, after, renamed ? [...sameName, original, anywhere] : sameName);
  const displaced = outOfOrder(pairs);
  const matched = new Set(pairs.map(([old]) => old));
  const kept = new Map(pairs.map(([old, now]) => [now, old]));
  const changes: ResourceChange[] = [];
  for (const now of after) {
    const old = kept.get(now);
    if (old === undefined) changes.push({ ...whole('added', now), value: now.value });
    else {
      const change = compare(old, now, displaced.has(now));
      if (change !== undefined) changes.push(change);
    }
  }
  for (const old of before) if (!matched.has(old)) changes.push(whole('removed', old));
  return changes.sort((x, y) => compareText(x.file, y.file) || x.line - y.line);
}

/** Pairs resources of the same key, in their order: all by the first key, then what is left by the next. */
function match(
  before: readonly PlacedResource[],
  after: readonly PlacedResource[],
  keys: readonly ((it: PlacedResource) => string)[],
): (readonly [PlacedResource, PlacedResource])[] {
  const pairs: [PlacedResource, PlacedResource][] = [];
  let [left, right] = [before, after];
  for (const keyOf of keys) {
    const waiting = Map.groupBy(left, keyOf);
    const unmatched: PlacedResource[] = [];
    for (const now of right) {
      const old = waiting.get(keyOf(now))?.shift();
      if (old === undefined) unmatched.push(now);
      else pairs.push([old, now]);
    }
    left = [...waiting.values()].flat();
    right = unmatched;
  }
  return pairs;
}

/** What kpt goes by: the API's group without its version, kind, namespace and name. */
function identity({ ref, file }: PlacedResource): string {
  // A package has one Kptfile, whatever the package is called.
  if (ref.kind === 'Kptfile') return `Kptfile\n${file}`;
  return [groupOf(ref.apiVersion), ref.kind, ref.namespace, ref.name].join('\n');
}

/** The name that a resource had upstream, as kpt's comment tells it; else its own. */
function original(it: PlacedResource): string {
  const { ref, comments } = it;
  const [, namespace, name] = comments.map((text) => MARKER.exec(text)).find((found) => found !== null) ?? [];
  if (namespace === undefined || name === undefined) return identity(it);
  return [groupOf(ref.apiVersion), ref.kind, namespace, name].join('\n');
}

const MARKER = /kpt-merge:\s*([^\s/]*)\/(\S+)/;

/** Whatever namespace it is in. */
function anywhere({ ref, file }: PlacedResource): string {
  return [file, groupOf(ref.apiVersion), ref.kind, ref.name].join('\n');
}

function compare(old: PlacedResource, now: PlacedResource, displaced: boolean): ResourceChange | undefined {
  const moved = old.file !== now.file;
  if (!moved && !displaced && old.text === now.text) return undefined;
  const { changes, reordered } = old.text === now.text ? NOTHING : diffFields(old.value, now.value);
  const comments = old.comments.toSorted().join('\n') !== now.comments.toSorted().join('\n');
  const order = reordered || displaced || old.comments.join('\n') !== now.comments.join('\n');
  const change: ResourceChangeKind =
    changes.length > 0 ? 'changed' : moved ? 'moved' : comments ? 'comments' : order ? 'order' : 'format';
  return {
    resource: now.ref,
    change,
    file: now.file,
    ...(moved ? { from: old.file } : {}),
    fields: changes.map(({ keys, ...field }) => ({
      ...field,
      line: (field.change === 'removed' ? old : now).lineOf(keys),
    })),
    comments,
    line: now.line,
    ...localMark(now),
  };
}

const NOTHING = { changes: [], reordered: false } as const;

function whole(change: 'added' | 'removed', placed: PlacedResource): ResourceChange {
  const { ref, file, line } = placed;
  return { resource: ref, change, file, fields: [], comments: false, line, ...localMark(placed) };
}

function localMark({ value }: PlacedResource): { readonly local?: true } {
  return isMap(value) && isForTools(value) ? { local: true } : {};
}

function modeChange(file: string, before: PackageFile, after: PackageFile): FileChange {
  const mode = { before: before.mode, after: after.mode };
  return { file, change: 'mode', mode, opaque: false, hunks: [], added: 0, removed: 0 };
}

/** Other files; one that only changed its place is told as moved. */
function plainChanges(
  plain: readonly { path: string; reason: string | undefined }[],
  a: PackageFiles,
  b: PackageFiles,
): FileChange[] {
  const gone = plain.filter(({ path }) => !b.has(path)).map(({ path }) => path);
  const from = new Map<string, string>();
  for (const { path } of plain) {
    const now = b.get(path);
    if (now === undefined || a.has(path) || now.bytes.length === 0) continue;
    const at = gone.findIndex((old) => isCopy(a.get(old), now));
    if (at !== -1) from.set(path, gone.splice(at, 1)[0] ?? '');
  }
  const origins = new Set(from.values());
  return plain
    .filter(({ path }) => !origins.has(path))
    .map(({ path, reason }) =>
      diffFile({
        path,
        before: a.get(from.get(path) ?? path),
        after: b.get(path),
        from: from.get(path),
        reason,
      }),
    );
}

/** How many resources for the cluster changed in each way, and how many files of the package beside them. */
function countsOf(resources: readonly ResourceChange[], files: readonly FileChange[]): PackageDiff['counts'] {
  const of = (kind: ResourceChangeKind): number =>
    resources.filter(({ change, local = false }) => change === kind && !local).length;
  const own = resources.filter(({ local = false }) => local).map(({ file }) => file);
  return {
    added: of('added'),
    removed: of('removed'),
    changed: of('changed'),
    moved: of('moved'),
    comments: of('comments'),
    order: of('order'),
    format: of('format'),
    files: new Set([...own, ...files.map(({ file }) => file)]).size,
  };
}
