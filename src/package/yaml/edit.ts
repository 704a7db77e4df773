import { PorticoError } from '../../error.ts';
import { withoutForeignAliases } from './aliases.ts';
import { adapt, changeAt, nodeAt, noSuchPlace, slotAt } from './change.ts';
import { fromValue, shape, toValue } from './compare.ts';
import { lineStart } from './layout.ts';
import { lineCounter } from './line-counter.ts';
import { resolved } from './node.ts';
import type { MapEntry, Source, YamlNode } from './node.ts';
import { documentText, patchDocument } from './patch.ts';
import type { YamlPath } from './path.ts';
import { readYamlFile } from './read.ts';
import type { YamlDocument, YamlFile } from './read.ts';
import { applySplices } from './splice.ts';

/** What YAML can hold once Kubernetes has read it. Integers past 2^53 are bigints. */
export type YamlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

/** `document` counts the non-empty documents of the file from 0. */
export type YamlEdit =
  /** Sets the node; missing parents are made. A collection that is there is edited in place, only where it differs. Path [] is the whole document. */
  | { readonly op: 'set'; readonly document: number; readonly path: YamlPath; readonly value: YamlValue }
  | { readonly op: 'delete'; readonly document: number; readonly path: YamlPath }
  /** Inserts an item into the list at `path` before position `at` (default: the end). */
  | {
      readonly op: 'insert';
      readonly document: number;
      readonly path: YamlPath;
      readonly value: YamlValue;
      readonly at?: number;
    }
  /** Renames the map key at the end of `path`. */
  | { readonly op: 'rename'; readonly document: number; readonly path: YamlPath; readonly to: string }
  /** Inserts a document before document `at` (default: the end). */
  | { readonly op: 'insert-document'; readonly value: YamlValue; readonly at?: number }
  | { readonly op: 'delete-document'; readonly document: number };

/** 1-based line and column of a node; `range` are offsets into the text (UTF-16 units), value only. */
export interface YamlLocation {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly range: readonly [start: number, end: number];
}

/**
 * Applies edits in order to the text of a YAML or JSON file; every byte that no edit concerns stays.
 * Throws `YAML_INVALID` when the text does not parse and `YAML_PATH` when a path leads nowhere.
 */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  return edits.reduce(applyEdit, text);
}

function applyEdit(text: string, edit: YamlEdit): string {
  const file = readYamlFile(text);
  if (edit.op === 'insert-document') return insertDocument(file, fromValue(edit.value), edit.at);
  const document = fullDocuments(file)[edit.document];
  if (document === undefined || document.root === null) {
    if (edit.op === 'set' && edit.document === 0 && edit.path.length === 0)
      return insertDocument(file, fromValue(edit.value));
    throw noSuchDocument(edit.document);
  }
  if (edit.op === 'delete-document') return removeDocument(file, document);
  return replaceRoot(file, document, changedRoot(document.root, edit));
}

type NodeEdit = Exclude<YamlEdit, { readonly op: 'insert-document' | 'delete-document' }>;

function changedRoot(root: YamlNode, edit: NodeEdit): YamlNode {
  const { path } = edit;
  switch (edit.op) {
    case 'set': {
      const wanted = fromValue(edit.value);
      return changeAt(root, path, (old) => (old === undefined ? wanted : adapt(old, wanted)));
    }
    case 'delete':
      if (nodeAt(root, path) === undefined) throw noSuchPlace(path);
      return changeAt(root, path, () => undefined);
    case 'insert':
      return changeAt(root, path, (old) => withItem(old, fromValue(edit.value), edit.at, path));
    case 'rename':
      return renamed(root, path, edit.to);
  }
}

function withItem(
  old: YamlNode | undefined,
  value: YamlNode,
  at: number | undefined,
  path: YamlPath,
): YamlNode {
  const absent = old === undefined || (old.kind === 'scalar' && old.value === null);
  if (absent) return { kind: 'list', items: [{ value }] };
  if (old.kind !== 'list') throw noSuchPlace(path);
  const place = at ?? old.items.length;
  const items = [...old.items.slice(0, place), { value }, ...old.items.slice(place)];
  return { kind: 'list', items, ...(old.flow === true ? { flow: true } : {}), base: old.base ?? old };
}

function renamed(root: YamlNode, path: YamlPath, to: string): YamlNode {
  const last = path.at(-1);
  const parent = nodeAt(root, path.slice(0, -1));
  const map = parent === undefined ? undefined : resolved(parent);
  const entry = map === undefined || last === undefined ? undefined : slotAt(map, last);
  if (map?.kind !== 'map' || entry === undefined || typeof last !== 'string') throw noSuchPlace(path);
  if (to !== last && slotAt(map, to) !== undefined) {
    throw new PorticoError('YAML_PATH', `The key "${to}" already exists`, {
      blame: 'user',
      hint: 'Remove it first.',
    });
  }
  const key: YamlNode = { kind: 'scalar', value: to };
  const entries = map.entries.map((one): MapEntry =>
    one === entry ? { name: to, key, value: one.value, base: one } : one,
  );
  return changeAt(root, path.slice(0, -1), () => ({ ...withoutPlace(map), entries, base: map }));
}

function withoutPlace<Node extends { readonly at?: unknown }>(node: Node): Omit<Node, 'at'> {
  const { at: _, ...rest } = node;
  return rest;
}

/** The documents that hold something, in order: what document numbers count. */
export function fullDocuments(file: YamlFile): YamlDocument[] {
  return file.documents.filter((document) => document.root !== null);
}

function noSuchDocument(index: number): PorticoError {
  return new PorticoError('YAML_PATH', `The file has no document number ${index}`, {
    blame: 'user',
    hint: 'Documents count from 0.',
  });
}

/** The text with one document's root replaced, in place. */
function replaceRoot(file: YamlFile, document: YamlDocument, root: YamlNode): string {
  const [start, end] = document.chunk;
  const { text } = file.source;
  return text.slice(0, start) + editedChunk(file.source, document, root) + text.slice(end);
}

/**
 * The text of one document (its chunk) with another root, edited in place. The result is read again and compared with
 * what was meant; where editing in place did not give it (an anchor went, an exotic layout), the document is written anew.
 */
export function editedChunk(source: Source, document: YamlDocument, root: YamlNode): string {
  const { text } = source;
  const [start, end] = document.chunk;
  const own = text.slice(start, end);
  if (root === document.root) return own;
  const patched = (wanted: YamlNode): string | undefined => {
    const made = applySplices(text, patchDocument(source, document, wanted), start, end);
    // A file without a line break at its end keeps that, unless the break has become part of a value.
    return [sameEnd(own, made), made].find((chunk) => holds(chunk, wanted));
  };
  const inPlace = patched(root) ?? patched(withoutForeignAliases(root, source));
  if (inPlace !== undefined) return inPlace;
  const plain = fromValue(toValue(root));
  const fresh =
    text.slice(start, document.root?.at?.start ?? document.bodyStart) + documentText(plain, source);
  return holds(sameEnd(own, fresh), plain) ? sameEnd(own, fresh) : fresh;
}

function holds(chunk: string, root: YamlNode): boolean {
  try {
    const [found] = fullDocuments(readYamlFile(chunk));
    const read = found?.root ?? null;
    return read !== null && shape(read) === shape(root);
  } catch (error) {
    if (error instanceof PorticoError) return false;
    throw error;
  }
}

/** A file that had no line break at its end gets none. */
export function sameEnd(before: string, after: string): string {
  if (before === '' || before.endsWith('\n')) return after;
  return after.replace(/\r?\n$/, '');
}

/** The text without one document and its `---`. */
function removeDocument(file: YamlFile, document: YamlDocument): string {
  const { text } = file.source;
  const [start, end] = document.chunk;
  const rest = text.slice(end);
  if (start > 0 || document.hasMarker) return text.slice(0, start) + rest;
  return rest.replace(/^---[ \t]*\r?\n/, '');
}

/** The text with a document inserted before document `at` (default: behind the last). */
function insertDocument(file: YamlFile, root: YamlNode, at?: number): string {
  return insertText(file, documentText(root, file.source), at);
}

/** The text with the text of a document (no `---`, ended) inserted before document `at` (default: behind the last). */
function insertText(file: YamlFile, added: string, at?: number): string {
  const { text, eol } = file.source;
  const full = fullDocuments(file);
  const marker = `---${eol}`;
  const next = at === undefined ? undefined : full[at];
  if (full.length === 0) return text.trim() === '' ? added : ended(text, eol) + added;
  if (next === undefined) return ended(text, eol) + marker + added;
  const [start] = next.chunk;
  if (next.hasMarker) return text.slice(0, start) + marker + added + text.slice(start);
  return text.slice(0, start) + added + marker + text.slice(start);
}

function ended(text: string, eol: string): string {
  return text.endsWith('\n') ? text : text + eol;
}

/** The values of the non-empty documents as Kubernetes reads them (YAML 1.1 words). Throws `YAML_INVALID`. */
export function readYaml(text: string): YamlValue[] {
  return fullDocuments(readYamlFile(text)).map((document) =>
    document.root === null ? null : toValue(document.root),
  );
}

/**
 * Finds the node at a path, or its nearest parent when `nearest` is asked for; undefined when there is none.
 * The line is that of the key or dash.
 */
export function locateIn(
  file: YamlFile,
  documentIndex: number,
  path: YamlPath,
  options: { readonly nearest?: boolean } = {},
): YamlLocation | undefined {
  const root = fullDocuments(file)[documentIndex]?.root ?? undefined;
  if (root === undefined) return undefined;
  let here: YamlNode = root;
  let start = root.at?.start ?? 0;
  for (const segment of path) {
    const slot = slotAt(resolved(here), segment);
    if (slot === undefined) {
      if (options.nearest === true) break;
      return undefined;
    }
    here = slot.value;
    start = slot.at?.start ?? here.at?.start ?? start;
  }
  const { text } = file.source;
  const end = here.at?.end ?? start;
  const line = lineOf(file.source, start);
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
  return {
    line,
    column: start - lineStart(text, start) + 1,
    endLine: lineOf(file.source, last),
    range: [here.at?.body ?? start, end],
  };
}

const lineCounters = new WeakMap<Source, (offset: number) => number>();

function lineOf(source: Source, offset: number): number {
  const counter = lineCounters.get(source) ?? lineCounter(source.text);
  lineCounters.set(source, counter);
  return counter(offset);
}
