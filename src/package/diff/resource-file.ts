import { Lexer } from 'yaml';

import { PorticoError } from '../../error.ts';
import { differencesIn } from '../applied/differences.ts';
import type { PackageFile, ResourceRef } from '../package.ts';
import { toValue } from '../yaml/compare.ts';
import type { YamlValue } from '../yaml/edit.ts';
import { lineCounter } from '../yaml/line-counter.ts';
import { entryOf, resolved, valueAt } from '../yaml/node.ts';
import type { YamlNode } from '../yaml/node.ts';
import { readYamlFile } from '../yaml/read.ts';
import type { YamlFile } from '../yaml/read.ts';

/** A resource in a file, with what is needed to compare it. */
export interface PlacedResource {
  readonly ref: ResourceRef;
  readonly file: string;
  readonly value: YamlValue;
  /** Its text without document markers and the blank lines around it. */
  readonly text: string;
  readonly comments: readonly string[];
  /** 1-based, of its first field. */
  readonly line: number;
  /** The 1-based line of the value that the keys lead to, or of the nearest thing above it. */
  readonly lineOf: (keys: readonly (string | number)[]) => number;
}

/** The resources of a file, or why it is no resource file: undefined for an ordinary file. */
export type ResourceFile =
  | { readonly resources: readonly PlacedResource[] }
  | { readonly reason: string | undefined };

/** Past this a file is not parsed but compared by lines. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Reads a Kptfile, YAML or JSON file as resources. Never throws. */
export function readResourceFile(path: string, { bytes }: PackageFile): ResourceFile {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name !== 'Kptfile' && !/\.(?:ya?ml|json)$/.test(name)) return { reason: undefined };
  if (bytes.length > MAX_BYTES) return { reason: 'too large to be parsed' };
  const text = decode(bytes);
  if (text === undefined) return { reason: 'not UTF-8' };
  try {
    const file = readYamlFile(text);
    const [other] = differencesIn(file);
    // What would be compared is not what a cluster gets, so that not even "only comments" could be said.
    if (other !== undefined) return { reason: `line ${other.line}: ${other.what}` };
    const resources = readPlaced(path, file);
    const stranger = resources.find(({ ref }) => !isNamed(ref));
    if (stranger === undefined) return { resources };
    // A file of chart values has no resources. Next to resources, the purpose of such a document is unknown.
    const isMixed = resources.some(({ ref }) => isNamed(ref));
    return { reason: isMixed ? `line ${stranger.line}: neither apiVersion nor kind` : undefined };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return { reason: name.endsWith('.json') ? undefined : error.message };
  }
}

function isNamed({ apiVersion, kind }: ResourceRef): boolean {
  return apiVersion !== '' && kind !== '';
}

/** The text of a file; undefined when it is not UTF-8 or holds NUL, and so is no text. */
export function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readPlaced(path: string, file: YamlFile): PlacedResource[] {
  const { text } = file.source;
  // Most resources are only named, or are equal: their comments are never asked for.
  let comments: ReturnType<typeof commentsOf> | undefined;
  const lineAt = lineCounter(text);
  const documents = file.documents.filter((document) => document.root !== null);
  return documents.map(({ root, bodyStart }, at) => {
    // Documents of comments only belong to the resource before them.
    const from = at === 0 ? 0 : bodyStart;
    const to = documents[at + 1]?.chunk[0] ?? text.length;
    const body = text.slice(at === 0 ? Math.max(0, bodyStart) : from, to);
    return {
      ref: {
        apiVersion: nameAt(root, 'apiVersion'),
        kind: nameAt(root, 'kind'),
        namespace: nameAt(root, 'metadata', 'namespace'),
        name: nameAt(root, 'metadata', 'name'),
      },
      file: path,
      value: root === null ? null : toValue(root),
      text: body.replace(/^\uFEFF?(?:[^\S\n]*\n)*/, '').trimEnd(),
      get comments() {
        comments ??= commentsOf(text);
        return comments.filter(({ offset }) => offset >= from && offset < to).map((comment) => comment.text);
      },
      line: lineAt(root?.at?.start ?? from),
      lineOf: (keys) => lineAt(offsetOf(root, keys)),
    };
  });
}

/** A name as it is written: `n` stays `n`, though YAML 1.1 reads a boolean. '' where there is none. */
export function nameAt(root: YamlNode | null, ...path: readonly string[]): string {
  const node = valueAt(root ?? undefined, ...path);
  if (node?.kind !== 'scalar' || node.value === null) return '';
  if (typeof node.value === 'string' || node.at === undefined) return String(node.value);
  return node.at.source.text.slice(node.at.body, node.at.end);
}

function offsetOf(root: YamlNode | null, keys: readonly (string | number)[]): number {
  let node = root ?? undefined;
  let offset = node?.at?.start ?? 0;
  for (const key of keys) {
    const collection = node === undefined ? undefined : resolved(node);
    const slot =
      collection?.kind === 'map' && typeof key === 'string'
        ? entryOf(collection, key)
        : collection?.kind === 'list' && typeof key === 'number'
          ? collection.items[key]
          : undefined;
    if (slot?.at === undefined) break;
    offset = slot.at.start;
    node = slot.value;
  }
  return offset;
}

/** All comments of a YAML text with their offsets. */
function commentsOf(text: string): { readonly text: string; readonly offset: number }[] {
  if (!text.includes('#')) return [];
  const comments: { text: string; offset: number }[] = [];
  let offset = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    // The lexer's marks for a new document, a closed flow and a following scalar are not in the text.
    const mark = token === '\u0002' || token === '\u0018' || token === '\u001F';
    if (!mark && !scalar && token.startsWith('#')) comments.push({ text: token.trimEnd(), offset });
    if (!mark) offset += token.length;
    scalar = token === '\u001F';
  }
  return comments;
}
