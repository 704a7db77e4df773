import type { ResourceRef } from '../package.ts';
import { changedEntry, inOrder, madeMap } from '../yaml/change.ts';
import { fromValue } from '../yaml/compare.ts';
import { entryOf, textAt } from '../yaml/node.ts';
import type { MapEntry, MapNode, YamlNode } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { YamlPath } from '../yaml/path.ts';
import { mergeNodes } from './fields.ts';
import type { Report } from './report.ts';
import { identifierOf, UPSTREAM_IDENTIFIER } from './resources.ts';
import type { Resource } from './resources.ts';
import { builtinListKeys } from './schema.ts';
import type { ListKeys } from './schema.ts';

/** The merge keys of a kind that is not built in, by `apiVersion kind`. */
export type CustomKeys = (gvk: string) => ReadonlyMap<string, readonly string[]> | undefined;

/** Merges one resource's fields into local's tree. `file` is where conflicts are told. */
export function mergeResource({
  local,
  base,
  upstream,
  file,
  custom,
  report,
}: {
  readonly local: Resource;
  readonly base: Resource | undefined;
  readonly upstream: Resource;
  readonly file: string;
  readonly custom: CustomKeys;
  readonly report: Report;
}): YamlNode {
  // Most resources of a large file: nothing new, without a look at their fields.
  const now = textOfRoot(upstream);
  if (base !== undefined && now !== undefined && textOfRoot(base) === now) return local.root;
  const ref = mergedRef(local.ref, base?.ref, upstream.ref);
  const context = {
    keysOf: keysFor(local, custom),
    ...report.fields(file, ref),
    note: (code: string, path: YamlPath, message: string) =>
      report.note(code, file, `${ref.kind} ${ref.name}, ${formatPath(path)}: ${message}`),
  };
  const spot = { path: [], pattern: '' };
  const merged =
    mergeNodes({ local: local.root, base: base?.root, upstream: upstream.root, spot, context }) ?? local.root;
  return base === undefined ? merged : followRename(merged, local, base, upstream);
}

/** What the resource is called after the merge: upstream's new name where local left the old one. */
function mergedRef(local: ResourceRef, base: ResourceRef | undefined, upstream: ResourceRef): ResourceRef {
  const part = (name: keyof ResourceRef): string =>
    base !== undefined && local[name] === base[name] ? upstream[name] : local[name];
  return {
    apiVersion: part('apiVersion'),
    kind: part('kind'),
    namespace: part('namespace'),
    name: part('name'),
  };
}

function textOfRoot({ root, yaml, document }: Resource): string | undefined {
  return root.at === undefined ? undefined : yaml.source.text.slice(root.at.start, document.chunk[1]);
}

function keysFor(resource: Resource, custom: CustomKeys): ListKeys {
  const { apiVersion, kind } = resource.ref;
  const own = custom(`${apiVersion} ${kind}`);
  const builtin = builtinListKeys(apiVersion, kind);
  return (pattern) => own?.get(pattern) ?? builtin(pattern);
}

/** Where upstream gave the resource another identity, kpt's bookkeeping in local names that one from now on. */
function followRename(root: YamlNode, local: Resource, base: Resource, upstream: Resource): YamlNode {
  const now = identifierOf(upstream.identity);
  if (identifierOf(base.identity) === now || local.origin === undefined) return root;
  return withBookkeeping(root, upstream);
}

/** The tree with the `kpt-merge` comment and the identifier annotation that kpt would give a copy of this resource. */
export function withBookkeeping(root: YamlNode, of: Resource): YamlNode {
  const metadata = root.kind === 'map' ? entryOf(root, 'metadata') : undefined;
  const { kind, name, namespace } = of.identity;
  if (root.kind !== 'map' || metadata?.value.kind !== 'map' || kind === '' || name === '') return root;
  const annotated = withAnnotation(metadata.value, identifierOf(of.identity));
  const shown = namespace === '' ? textAt(of.root, 'metadata', 'namespace') : namespace;
  const entry: MapEntry = {
    ...withoutPlace(changedEntry(metadata, annotated)),
    base: metadata.base ?? metadata,
    comments: { ...metadata.comments, line: `# kpt-merge: ${shown}/${name}` },
  };
  return madeMap(
    root,
    root.entries.map((one) => (one === metadata ? entry : one)),
  );
}

function withoutPlace(entry: MapEntry): MapEntry {
  const { at: _, ...rest } = entry;
  return rest;
}

function withAnnotation(metadata: MapNode, identifier: string): MapNode {
  const value: YamlNode = { kind: 'scalar', value: identifier, style: 'single' };
  const key: YamlNode = { kind: 'scalar', value: UPSTREAM_IDENTIFIER };
  const mark: MapEntry = { name: UPSTREAM_IDENTIFIER, key, value };
  const found = entryOf(metadata, 'annotations');
  if (found?.value.kind === 'map') {
    const annotations = found.value;
    const known = entryOf(annotations, UPSTREAM_IDENTIFIER);
    const entries =
      known === undefined
        ? [...annotations.entries, mark]
        : annotations.entries.map((entry) => (entry === known ? changedEntry(known, value) : entry));
    const changed = changedEntry(found, madeMap(annotations, entries));
    return madeMap(
      metadata,
      metadata.entries.map((entry) => (entry === found ? changed : entry)),
    );
  }
  const made = fromValue({ annotations: {} });
  const [entry] = made.kind === 'map' ? made.entries : [];
  if (entry === undefined) return metadata;
  const annotations: MapEntry = { ...entry, value: { kind: 'map', entries: [mark] } };
  const rest = metadata.entries.filter((one) => one.name !== 'annotations');
  return madeMap(metadata, inOrder(rest, [...rest, annotations]));
}
