/** One file of a catalog → its documents: YAML with `---` between, or JSON objects one after the other. */
import { PorticoError } from '../error.ts';
import { isMap } from '../package/plain-values.ts';
import { toValue } from '../package/yaml/compare.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { InvalidYaml } from '../package/yaml/invalid-yaml.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import type { Fields } from './catalog.ts';
import { MAX_DEPTH } from './limits.ts';
import { CatalogMistake } from './mistake.ts';

export interface FileDocument {
  readonly line: number;
  readonly fields: Fields;
}

/** Throws `CATALOG_INVALID` with the line for what does not parse, and for documents that are no maps. */
export function readDocuments(file: string, text: string): FileDocument[] {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  return /^\s*\{/.test(body.slice(0, 4_096))
    ? (jsonDocuments(file, body) ?? yaml(file, body))
    : yaml(file, body);
}

function yaml(file: string, text: string): FileDocument[] {
  const documents: FileDocument[] = [];
  for (const { part, before } of partsOf(text)) {
    const lines = lineCounter(part);
    for (const { root } of parseYaml(file, part, before)) {
      if (root === null) continue;
      const line = before + lines(root.at?.start ?? 0);
      documents.push({ line, fields: mapOf(toValue(root), { file, line }) });
    }
  }
  return documents;
}

/** So many documents are read at a time: catalogs have more in one file than a file of a package may have. */
const AT_A_TIME = 1_000;

/** The text in parts that end where a document begins, with the lines before each. */
function* partsOf(text: string): Generator<{ readonly part: string; readonly before: number }> {
  // Directives stand before the marker of the document that they are for.
  const isPlain = !/^%/m.test(text);
  let [start, before, markers] = [0, 0, 0];
  for (const { index } of isPlain ? text.matchAll(/^---(?=\s|$)/gm) : []) {
    markers += 1;
    if (markers % AT_A_TIME !== 0 || index === 0) continue;
    const part = text.slice(start, index);
    yield { part, before };
    before += part.split('\n').length - 1;
    start = index;
  }
  yield { part: text.slice(start), before };
}

function parseYaml(file: string, text: string, before: number): ReturnType<typeof readYamlFile>['documents'] {
  try {
    return readYamlFile(text).documents;
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const [what, line] =
      error instanceof InvalidYaml ? [error.what, { line: before + error.line }] : [error.message, {}];
    throw new CatalogMistake(`error converting YAML to JSON: yaml: ${what}`, { file, ...line });
  }
}

function mapOf(value: YamlValue, place: { readonly file: string; readonly line: number }): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  const what = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new CatalogMistake(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`,
    place,
  );
}

/** Gives the line of offsets that only grow, in one pass over the text. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1;
      from = at + 1;
    }
    return line;
  };
}

/** Undefined where the text goes on as something else than JSON: a YAML map may begin with a brace too. */
function jsonDocuments(file: string, text: string): FileDocument[] | undefined {
  const lines = lineCounter(text);
  const documents: FileDocument[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
    if (at >= text.length) return documents;
    if (text[at] !== '{') return undefined;
    const line = lines(at);
    const end = endOfObject(text, at, { file, line });
    if (end === undefined) return undefined;
    const value = parseJson(text.slice(at, end));
    if (value === undefined) return undefined;
    documents.push({ line, fields: mapOf(value, { file, line }) });
    at = end;
  }
}

/** The offset behind the object that begins here. */
function endOfObject(text: string, start: number, place: { file: string; line: number }): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > MAX_DEPTH)
        throw new CatalogMistake(`the JSON is nested deeper than ${MAX_DEPTH} levels`, place);
    } else if (code === 125 || code === 93) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The offset of the quote that ends the string. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34) return at;
    else if (code === 10) return undefined;
  }
  return undefined;
}

/** Integers that a number cannot hold become bigints, so that no digit is lost. */
function parseJson(text: string): YamlValue | undefined {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
      if (
        typeof value === 'number' &&
        !Number.isSafeInteger(value) &&
        /^-?\d+$/.test(context?.source ?? '')
      ) {
        return BigInt(context?.source ?? 0);
      }
      return isMap(value) ? Object.assign(Object.create(null) as object, value) : value;
    }) as YamlValue;
  } catch {
    return undefined;
  }
}
