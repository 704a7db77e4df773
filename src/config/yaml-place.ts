/** Reads a YAML document with limits, and finds where in it a field stands. */
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';

import type { ConfigProblem } from './config-problem.ts';

/** Bytes of one file: the server itself reads it, with every expression in it, between two turns of its loop. */
const MAX_LENGTH = 64 * 1024;
const MAX_FLOW_DEPTH = 50;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** One document of a file. */
export interface YamlDocument {
  /** Plain data. */
  readonly data: unknown;
  readonly start: Place;
  /** The place of the field at a path, of its nearest parent where it is absent. `key` asks for the field's name rather than its value. */
  readonly placeOf: (path: readonly PropertyKey[], key?: boolean) => Place;
  /** The place of a line, from 1, inside of the text at a path. */
  readonly lineOf: (path: readonly PropertyKey[], line: number) => Place;
}

export interface YamlDocuments {
  /** Those with content; none where there are problems. */
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly ConfigProblem[];
}

export interface ReadYaml extends YamlDocument {
  readonly problems: readonly ConfigProblem[];
}

const START: Place = { line: 1, column: 1 };
const NOWHERE: YamlDocument = { data: undefined, start: START, placeOf: () => START, lineOf: () => START };

/** Reads exactly one document. Never throws, whatever the bytes are. */
export function readYaml(file: string, bytes: Uint8Array, longest?: number): ReadYaml {
  const { documents, problems } = readYamlDocuments(file, bytes, longest);
  const [document, second] = documents;
  if (problems.length > 0) return { ...NOWHERE, problems };
  if (document === undefined) {
    const hint = 'Write a document of kind Repository, or remove the file.';
    return {
      ...NOWHERE,
      problems: [{ code: 'empty', file, path: '', ...START, message: 'the file is empty', hint }],
    };
  }
  if (second !== undefined) {
    const message = 'the file holds more than one document';
    const hint = 'Put each further document into its own file below .github/portico/.';
    return {
      ...NOWHERE,
      problems: [{ code: 'documents', file, path: '', ...second.start, message, hint }],
    };
  }
  return { ...document, problems: [] };
}

/** Reads all documents of a file. Never throws, whatever the bytes are. */
export function readYamlDocuments(file: string, bytes: Uint8Array, longest = MAX_LENGTH): YamlDocuments {
  const failed = (code: string, message: string, hint: string): YamlDocuments => ({
    documents: [],
    problems: [{ code, file, path: '', ...START, message, hint }],
  });
  if (bytes.length > longest) {
    return failed(
      'too-large',
      `the file is larger than ${longest / 1024} KiB`,
      'Keep the configuration short.',
    );
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failed('not-utf8', 'the file is not UTF-8', 'Save it as UTF-8.');
  }
  if (tooDeep(text)) return failed('too-deep', 'brackets are nested too deep', 'Flatten the configuration.');
  try {
    return read(file, text);
  } catch (error) {
    // The parser throws for alias bombs and for nesting that exhausts the stack.
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown';
    return failed('yaml', `the file cannot be read as YAML: ${reason}`, 'Simplify the file.');
  }
}

function read(file: string, text: string): YamlDocuments {
  const counter = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const options = { lineCounter: counter, prettyErrors: false, strict: true, uniqueKeys: false };
  const parsed = parseAllDocuments(text, options);
  const documents = Array.isArray(parsed) ? parsed : [];
  const problems = documents.flatMap((document) =>
    [...document.errors, ...document.warnings, ...keyProblems(document)].map((error) => ({
      code: 'yaml',
      file,
      path: '',
      ...placeAt(error.pos[0]),
      message: error.message.split('\n')[0] ?? error.message,
      hint: 'Fix the YAML here.',
    })),
  );
  if (problems.length > 0) return { documents: [], problems: problems.slice(0, 20) };
  return {
    problems: [],
    documents: documents
      .filter((document) => document.contents !== null)
      .map((document) => ({
        data: document.toJS({ maxAliasCount: 100 }),
        start: placeAt(document.range[0]),
        placeOf: (path, key = false) => placeAt(offsetOf(document, path, key)),
        lineOf: (path, line) => {
          const place = placeAt(offsetOf(document, path, false));
          // The text of a block begins in the line behind its sign.
          const node = document.getIn(path, true);
          const block = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
          return block ? { line: place.line + line, column: 1 } : place;
        },
      })),
  };
}

/**
 * Keys that stand twice in a map, and keys that are maps or lists themselves. The parser's own look for the former compares
 * each key with all others, and it writes the latter out again for each level that they are deep: seconds for a few bytes.
 */
function keyProblems(document: Document): { readonly message: string; readonly pos: readonly [number] }[] {
  const found: { message: string; pos: [number] }[] = [];
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const at = rangeStart(key) ?? 0;
        if (!isScalar(key)) found.push({ message: 'Map keys must be plain values', pos: [at] });
        else if (seen.has(key.value)) found.push({ message: 'Map keys must be unique', pos: [at] });
        else seen.add(key.value);
      }
    },
  });
  return found;
}

function offsetOf(document: Document, path: readonly PropertyKey[], wantKey: boolean): number {
  let node: unknown = document.contents;
  let offset = rangeStart(node) ?? 0;
  for (const [at, step] of path.entries()) {
    const pair = isMap(node) ? pairsOf(node).get(String(step)) : undefined;
    const next: unknown = pair === undefined && isSeq(node) ? node.items[Number(step)] : pair?.value;
    const keyStart = rangeStart(pair?.key);
    if (pair === undefined && next === undefined) return offset;
    const last = at === path.length - 1;
    offset = (last && wantKey ? keyStart : (rangeStart(next) ?? keyStart)) ?? offset;
    node = next;
  }
  return offset;
}

/** Thousands of mistakes in one map are each looked for. */
const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = pairs.get(map);
  if (known !== undefined) return known;
  const made = new Map<string, Pair>();
  for (const item of map.items) {
    const name = isScalar(item.key) ? String(item.key.value) : undefined;
    if (name !== undefined && !made.has(name)) made.set(name, item);
  }
  pairs.set(map, made);
  return made;
}

function rangeStart(node: unknown): number | undefined {
  if (node === null || typeof node !== 'object' || !('range' in node)) return undefined;
  const range: unknown = node.range;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** Deep flow collections can abort the whole process inside the parser, so they are counted before it sees them. */
function tooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_FLOW_DEPTH) return true;
  }
  return false;
}
