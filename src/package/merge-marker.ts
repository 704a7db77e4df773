import { nameAt } from './diff/resource-file.ts';
import type { PackageFile, PackageFiles, ResourceRef } from './package.ts';
import { groupOf } from './plain-values.ts';
import { changeAt } from './yaml/change.ts';
import { fromValue } from './yaml/compare.ts';
import { entryOf, valueAt } from './yaml/node.ts';
import type { MapEntry, Source, YamlNode } from './yaml/node.ts';
import { patchDocument } from './yaml/patch.ts';
import { readYamlFile } from './yaml/read.ts';
import { applySplices } from './yaml/splice.ts';
import type { Splice } from './yaml/splice.ts';

/** What tells a resource apart from others in its package. */
export type MarkedResource = Pick<ResourceRef, 'kind' | 'namespace' | 'name'>;

/** The annotation that kpt puts beside its merge comment. */
const UPSTREAM_IDENTIFIER = 'internal.kpt.dev/upstream-identifier';

/**
 * Marks every resource in YAML files with the name it has upstream, so that it is known again after it was renamed:
 * the comment `# kpt-merge: namespace/name` behind `metadata:` and kpt's annotation. What is marked stays; documents
 * in JSON syntax and files that cannot be read are left alone.
 *
 * @param wanted which paths are looked at; all by default
 */
export function withMergeMarkers(
  files: PackageFiles,
  wanted: (path: string, resource?: MarkedResource) => boolean = () => true,
): PackageFiles {
  const marked = new Map(files);
  for (const [path, file] of files) {
    if (!/\.ya?ml$/.test(path) || !wanted(path)) continue;
    const text = markedText(file, (resource) => wanted(path, resource));
    if (text !== undefined) marked.set(path, { mode: file.mode, bytes: new TextEncoder().encode(text) });
  }
  return marked;
}

function markedText(file: PackageFile, wanted: (resource: MarkedResource) => boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes);
    const { source, documents } = readYamlFile(text);
    const splices = documents.flatMap((document) => {
      const mark = document.root === null ? undefined : markOf(document.root);
      if (mark === undefined || document.root === null || !wanted(mark.resource)) return [];
      const path = ['metadata', 'annotations', UPSTREAM_IDENTIFIER];
      const root = changeAt(document.root, path, () => fromValue(mark.identifier));
      return [...commentSplices(source, mark), ...patchDocument(source, document, root)];
    });
    if (splices.length === 0) return undefined;
    const marked = applySplices(text, splices);
    return readYamlFile(marked).documents.length === documents.length ? marked : undefined;
  } catch {
    // An update or a get goes on; who renders or merges the file says what is wrong with it.
    return undefined;
  }
}

interface Mark {
  readonly entry: MapEntry;
  /** True when the comment is there, and only the annotation is missing. */
  readonly isMarked: boolean;
  readonly resource: MarkedResource;
  readonly name: string;
  readonly identifier: string;
}

/** What to mark a resource with; undefined where it is marked wholly, has no identity, or is written as JSON. */
function markOf(root: YamlNode): Mark | undefined {
  const [apiVersion, kind] = [nameAt(root, 'apiVersion'), nameAt(root, 'kind')];
  const entry = root.kind === 'map' && root.flow !== true ? entryOf(root, 'metadata') : undefined;
  if (apiVersion === '' || kind === '' || entry?.at === undefined) return undefined;
  if (entry.value.kind !== 'map' || entry.value.flow === true || entry.value.entries.length === 0)
    return undefined;

  const [namespace, name] = [nameAt(root, 'metadata', 'namespace'), nameAt(root, 'metadata', 'name')];
  const labels = valueAt(root, 'metadata', 'labels');
  if (name === '' && namespace === '' && labels === undefined) return undefined;
  const marker = /kpt-merge:\s*([^\s/]*)\/(\S*)/.exec(keyComment(entry));
  if (marker !== null && nameAt(root, 'metadata', 'annotations', UPSTREAM_IDENTIFIER) !== '')
    return undefined;
  const [, space = namespace, called = name] = marker ?? [];
  const group = groupOf(apiVersion);
  const identifier = [group, kind, space === '' ? 'default' : space, called].join('|');
  const isMarked = marker !== null;
  return { entry, isMarked, resource: { kind, namespace, name }, name: `${namespace}/${name}`, identifier };
}

/** Puts the marker behind `metadata:`; a comment that stands there moves to a line of its own below. */
function commentSplices(source: Source, { entry, isMarked, name }: Mark): Splice[] {
  if (isMarked) return [];
  const at = entry.at?.indicator ?? 0;
  const old = keyComment(entry).trim();
  const first = entry.value.kind === 'map' ? (entry.value.entries[0]?.at?.start ?? 0) : 0;
  const indent = ' '.repeat(first - (source.text.lastIndexOf('\n', first - 1) + 1));
  const kept = old === '' ? '' : `${source.eol}${indent}${old}`;
  return [{ start: at, end: lineEnd(source.text, at), text: ` # kpt-merge: ${name}${kept}` }];
}

function keyComment({ at }: MapEntry): string {
  return at === undefined ? '' : at.source.text.slice(at.indicator, lineEnd(at.source.text, at.indicator));
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
