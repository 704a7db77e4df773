import { PorticoError } from '../../error.ts';
import { checkSize } from '../limits.ts';
import type { PackageFile, ResourceRef } from '../package.ts';
import { groupOf } from '../plain-values.ts';
import { madeMap } from '../yaml/change.ts';
import { canon } from '../yaml/compare.ts';
import { lineComment } from '../yaml/layout.ts';
import { entryOf, textAt, valueAt } from '../yaml/node.ts';
import type { MapEntry, SlotPlace, YamlNode } from '../yaml/node.ts';
import { readYamlFile } from '../yaml/read.ts';
import type { YamlDocument, YamlFile } from '../yaml/read.ts';

/** The annotation that kpt gives each resource it got from upstream: `group|kind|namespace|name`. */
export const UPSTREAM_IDENTIFIER = 'internal.kpt.dev/upstream-identifier';
const MERGE_COMMENT = /kpt-merge:\s*(\S*)\/(\S+)/;

/** One document of a YAML file of a package. */
export interface Resource {
  readonly file: string;
  readonly yaml: YamlFile;
  readonly document: YamlDocument;
  readonly root: YamlNode;
  readonly ref: ResourceRef;
  /** Group, kind, namespace and name that it has upstream, as its `kpt-merge` comment says, else its own. */
  readonly identity: Identity;
  /** What its upstream identifier annotation says. */
  readonly origin: string | undefined;
}

export interface Identity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const cache = new WeakMap<PackageFile, YamlFile | PorticoError>();

/** Reads a file once; a file that does not parse gives the error as a value. */
export function readFile(path: string, file: PackageFile): YamlFile | PorticoError {
  const known = cache.get(file);
  if (known !== undefined) return known;
  const read = tryRead(path, file);
  cache.set(file, read);
  return read;
}

function tryRead(path: string, file: PackageFile): YamlFile | PorticoError {
  try {
    checkSize(path, file.bytes);
    return readYamlFile(decode(file.bytes));
  } catch (error) {
    if (error instanceof PorticoError) return error;
    if (error instanceof TypeError)
      return new PorticoError('YAML_INVALID', 'The file is not UTF-8', { blame: 'user', cause: error });
    throw error;
  }
}

/** Text of a file, byte order mark included. Throws a TypeError for what is not UTF-8. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The resources of a read file. */
export function resourcesOf(file: string, yaml: YamlFile): Resource[] {
  return yaml.documents.flatMap((document) => {
    const { root } = document;
    return root === null ? [] : [toResource(file, yaml, document, root)];
  });
}

function toResource(file: string, yaml: YamlFile, document: YamlDocument, root: YamlNode): Resource {
  const ref = refOf(root);
  const group = groupOf(ref.apiVersion);
  const comment = mergeComment(root);
  const name = comment?.name ?? (ref.name === '' ? textAt(root, 'metadata', 'generateName') : ref.name);
  const namespace = comment === undefined ? ref.namespace : comment.namespace;
  const origin = textAt(root, 'metadata', 'annotations', UPSTREAM_IDENTIFIER);
  return {
    file,
    yaml,
    document,
    root,
    ref,
    identity: { group, kind: ref.kind, namespace: namespace === 'default' ? '' : namespace, name },
    origin: origin === '' ? undefined : origin,
  };
}

/** The identity of a resource; missing fields are ''. */
export function refOf(root: YamlNode): ResourceRef {
  return {
    apiVersion: textAt(root, 'apiVersion'),
    kind: textAt(root, 'kind'),
    namespace: textAt(root, 'metadata', 'namespace'),
    name: textAt(root, 'metadata', 'name'),
  };
}

function mergeComment(root: YamlNode): { namespace: string; name: string } | undefined {
  const entry = root.kind === 'map' ? entryOf(root, 'metadata') : undefined;
  if (entry?.at === undefined) return undefined;
  const found = MERGE_COMMENT.exec(lineComment(entry as MapEntry & { at: SlotPlace })?.text ?? '');
  return found === null ? undefined : { namespace: found[1] ?? '', name: found[2] ?? '' };
}

/** The identity in the form of the upstream identifier annotation. */
export function identifierOf({ group, kind, namespace, name }: Identity): string {
  return `${group}|${kind}|${namespace === '' ? 'default' : namespace}|${name}`;
}

/** The data of a resource without kpt's own annotation, which is no one's change. */
export function contentOf(root: YamlNode): string {
  return canon(withoutIdentifier(root));
}

/** The tree without the upstream identifier annotation. */
export function withoutIdentifier(root: YamlNode): YamlNode {
  const annotations = valueAt(root, 'metadata', 'annotations');
  if (
    root.kind !== 'map' ||
    annotations?.kind !== 'map' ||
    entryOf(annotations, UPSTREAM_IDENTIFIER) === undefined
  )
    return root;
  const metadata = valueAt(root, 'metadata');
  if (metadata?.kind !== 'map') return root;
  const rest = madeMap(
    annotations,
    annotations.entries.filter((entry) => entry.name !== UPSTREAM_IDENTIFIER),
  );
  const entries = metadata.entries.flatMap((entry): MapEntry[] => {
    if (entry.name !== 'annotations') return [entry];
    return rest.entries.length === 0 ? [] : [{ name: entry.name, key: entry.key, value: rest, base: entry }];
  });
  const cleaned = madeMap(metadata, entries);
  return madeMap(
    root,
    root.entries.map((entry) =>
      entry.name === 'metadata' ? { name: entry.name, key: entry.key, value: cleaned, base: entry } : entry,
    ),
  );
}

/** A document's comments, kpt's own left out; with `contentOf` it says whether somebody worked on a resource. */
function commentsOf(resource: Resource): string {
  const { text } = resource.yaml.source;
  const [, end] = resource.document.chunk;
  const body = text.slice(resource.document.bodyStart, end);
  if (!body.includes('#')) return '';
  const comments = body.split('\n').flatMap((line) => {
    const mark = /(?:^|\s)#/.exec(line);
    return mark === null ? [] : [line.slice(mark.index + mark[0].length).trim()];
  });
  return comments.filter((comment) => !comment.startsWith('kpt-merge:')).join('\n');
}

/** True when nobody worked on the resource since base: same data and comments, formatting aside. */
export function isUntouched(local: Resource, base: Resource): boolean {
  return contentOf(local.root) === contentOf(base.root) && commentsOf(local) === commentsOf(base);
}
