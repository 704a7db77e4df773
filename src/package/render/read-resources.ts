/** YAML and JSON files → resources as data, each with its place in the text. */
import type { ErrorCode } from '../../error-code.ts';
import { PorticoError } from '../../error.ts';
import { hasUnusualCharacters } from '../applied/differences.ts';
import { InvalidYaml } from '../yaml/invalid-yaml.ts';
import { lineComment } from '../yaml/layout.ts';
import type { MapNode, ScalarNode, Slot, SlotPlace, YamlNode } from '../yaml/node.ts';
import { readYamlFile } from '../yaml/read.ts';
import type { YamlFile } from '../yaml/read.ts';
import { printScalar } from '../yaml/write.ts';
import { putNote, readWord, setField } from './field-notes.ts';
import type { Container, FieldNote } from './field-notes.ts';
import type { KrmObject } from './krm-object.ts';

/** One document with content. `value` is what the file says: nobody may change it. */
export interface SourceDocument {
  readonly file: string;
  /** Among the documents with content, from 0. */
  readonly index: number;
  /** Among all documents of the file. */
  readonly at: number;
  readonly root: MapNode;
  readonly value: KrmObject;
}

export interface SourceFile {
  readonly path: string;
  readonly yaml: YamlFile;
  readonly documents: readonly SourceDocument[];
}

/** A file that cannot be read: the reason and its line. */
export class UnreadableFile extends PorticoError {
  readonly file: string;
  readonly line: number | undefined;
  /** Text that certainly is not YAML for the tools of a cluster either, such as a template. */
  readonly isYamlForNobody: boolean;

  constructor(
    at: {
      readonly file: string;
      readonly line?: number | undefined;
      readonly isYamlForNobody?: boolean;
    },
    code: ErrorCode,
    message: string,
    hint: string,
  ) {
    super(code, message, { blame: 'user', hint });
    this.file = at.file;
    this.line = at.line;
    this.isYamlForNobody = at.isYamlForNobody ?? false;
  }
}

export interface ReadOptions {
  /** Documents that are not maps are left out, as a cluster tool passes them by; otherwise they are a mistake. */
  readonly resourcesOnly?: boolean;
}

/** @throws UnreadableFile as `readResources`, and for bytes that are not UTF-8 */
export function readFileOf(path: string, bytes: Uint8Array, options: ReadOptions = {}): SourceFile {
  return readResources(path, decodeText(path, bytes), options);
}

/** @throws UnreadableFile for bytes that are not UTF-8 */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableFile(
      { file: path },
      'NOT_UTF8',
      `${path}: not UTF-8 text`,
      'Save the file as UTF-8.',
    );
  }
}

/**
 * Reads all documents of one file. Documents without content are left out.
 * @throws UnreadableFile for text that is not YAML, and for documents that are not maps
 */
export function readResources(
  path: string,
  text: string,
  { resourcesOnly = false }: ReadOptions = {},
): SourceFile {
  const yaml = parse(path, text);
  const documents: SourceDocument[] = [];
  for (const [at, { root }] of yaml.documents.entries()) {
    if (root === null) continue;
    if (root.kind !== 'map' && resourcesOnly) continue;
    if (root.kind !== 'map') {
      const line = lineOf(text, root.at?.body ?? 0);
      throw new UnreadableFile(
        { file: path, line },
        'NOT_A_RESOURCE',
        `${path}:${line}: resource must have \`apiVersion\`: the document is not a map`,
        'Give it apiVersion, kind and metadata.name, or name the file in .krmignore.',
      );
    }
    documents.push({ file: path, index: documents.length, at, root, value: readMap(root) });
  }
  return { path, yaml, documents };
}

function parse(path: string, text: string): YamlFile {
  try {
    return readYamlFile(text);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { code, hint = 'Correct the file.' } = error;
    if (!(error instanceof InvalidYaml))
      throw new UnreadableFile({ file: path }, code, `${path}: ${error.message}`, hint);
    const { line, what } = error;
    const at = { file: path, line, isYamlForNobody: !error.isReadByOthers && isTemplate(text, line) };
    throw new UnreadableFile(at, code, `${path}:${line}: ${what}`, hint);
  }
}

/**
 * Lines at which every reader fails that reads what is before them alike: a template's action begins a key or a value, or
 * its quotes end the quotes around it.
 */
const ACTION = /^\s*(?:- +)*(?:[^\s"'#:{}[\]&*!|>%@`]+:[ \t]+)?(?:\{\{|"[^"\\]*\{\{[^"\\]*"[A-Za-z])/;
/** In a document that begins so, a map is a key, which Go refuses. */
const BEGINS_WITH_ACTION = /^(?:---)?\s*(?:#.*\n\s*)*\{\{/;

function isTemplate(text: string, line: number): boolean {
  if (hasUnusualCharacters(text)) return false;
  if (BEGINS_WITH_ACTION.test(text)) return true;
  // kubectl reads the objects at the beginning of a stream of JSON, whatever follows.
  return !/^\s*\{/.test(text) && ACTION.test(text.split('\n', line)[line - 1] ?? '');
}

/** 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function readMap(node: MapNode): KrmObject {
  const value: KrmObject = {};
  for (const entry of node.entries) {
    setField(value, entry.name, readNode(entry.value));
    keepNote(value, entry.name, entry);
  }
  return value;
}

/** A node as data with its notes; aliases become copies of what they stand for. */
export function readNode(node: YamlNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return wordOf(node);
    case 'alias':
      return node.target === undefined ? null : readNode(node.target);
    case 'map':
      return readMap(node);
    case 'list': {
      const value: unknown[] = [];
      for (const [at, item] of node.items.entries()) {
        value.push(readNode(item.value));
        keepNote(value, at, item);
      }
      return value;
    }
  }
}

function wordOf(node: ScalarNode): ScalarNode['value'] {
  if (typeof node.value !== 'boolean' || node.at === undefined || node.style !== 'plain') return node.value;
  return readWord(node.at.source.text.slice(node.at.body, node.at.end), node.value);
}

function keepNote(container: Container, key: string | number, slot: Slot): void {
  const node = slot.value;
  const note: { -readonly [Part in keyof FieldNote]?: FieldNote[Part] } = {};
  if (node.kind === 'scalar') {
    if (node.style !== undefined && node.style !== 'plain') note.style = node.style;
    else spell(note, node);
  } else if (node.kind !== 'alias' && node.flow === true) note.style = 'flow';
  const comment = commentOf(slot);
  if (comment !== undefined) {
    const behindKey = (node.kind === 'map' || node.kind === 'list') && node.flow !== true;
    if (behindKey) note.keyComment = comment;
    else note.comment = comment;
  }
  for (const _part in note) return putNote(container, key, note);
}

function spell(note: { source?: string; spelled?: ScalarNode['value'] }, node: ScalarNode): void {
  if (typeof node.value === 'string' || node.at === undefined) return;
  const text = node.at.source.text.slice(node.at.body, node.at.end);
  if (printScalar(node.value) === text) return;
  note.source = text;
  note.spelled = wordOf(node);
}

/** The line comment of a slot without its `#`. */
function commentOf(slot: Slot): string | undefined {
  const { at } = slot;
  if (at === undefined || at.flow || !hasHash(at, slot.value)) return undefined;
  const text = lineComment({ ...slot, at })?.text ?? '';
  return text === '' ? undefined : text.slice(1).trim();
}

/** Most lines hold no comment at all: that is found out cheaply. */
function hasHash(at: SlotPlace, value: YamlNode): boolean {
  const { text } = at.source;
  const from = value.at?.body ?? at.indicator;
  const end = text.indexOf('\n', Math.max(value.at?.end ?? from, at.indicator));
  // Never past that line: looking on to the end of a long text for each of its lines would take forever.
  return text.slice(at.indicator, end === -1 ? undefined : end).includes('#');
}
