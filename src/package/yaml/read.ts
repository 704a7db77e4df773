import { Composer, isAlias, isMap, isScalar, isSeq, Parser } from 'yaml';
import type { CST, Document, Node, Pair, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';

import { PorticoError } from '../../error.ts';
import { MAX_ALIASES, MAX_DEPTH, MAX_DOCUMENTS, MAX_EXPANSION } from '../limits.ts';
import { InvalidYaml } from './invalid-yaml.ts';
import { nextLine } from './layout.ts';
import type {
  AliasNode,
  ListItem,
  ListNode,
  MapEntry,
  MapNode,
  Place,
  ScalarNode,
  ScalarStyle,
  Source,
  YamlNode,
} from './node.ts';
import { quickRead } from './quick-read.ts';
import { readPlain } from './scalar.ts';

/** One document of a file; `root` is null where it holds nothing but comments. `chunk` runs from its `---` to the next one. */
export interface YamlDocument {
  readonly root: YamlNode | null;
  readonly chunk: readonly [start: number, end: number];
  /** Offset after the `---` line, or the chunk's start when there is none. */
  readonly bodyStart: number;
  readonly hasMarker: boolean;
}

export interface YamlFile {
  readonly source: Source;
  /** Every document, the empty ones too. */
  readonly documents: readonly YamlDocument[];
  /** Read by the quick reader: the text has only forms that all readers of YAML agree on, but for words and numbers. */
  readonly isSimple?: boolean;
}

/**
 * Reads a YAML (or JSON) file with all its places. Throws `YAML_INVALID` with the line for anything that does not
 * parse, repeated keys included, and `YAML_LIMIT` past a limit.
 */
export function readYamlFile(text: string): YamlFile {
  const source: Source = { text, eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const documents = quickRead(source);
  return documents === undefined ? readAnyYaml(source) : { source, documents, isSimple: true };
}

/** Reads with the library what {@link quickRead} leaves to it; both give the same where both read. */
export function readAnyYaml(source: Source): YamlFile {
  const { text } = source;
  checkDepth(text);
  const tokens: CST.Token[] = [];
  try {
    for (const token of new Parser().parse(text)) tokens.push(token);
    const composed = [...new Composer(OPTIONS).compose(tokens, false, text.length)];
    return { source, documents: readDocuments(source, tokens, composed) };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(error);
    throw error;
  }
}

const OPTIONS = {
  keepSourceTokens: true,
  schema: 'failsafe',
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  stringKeys: false,
} as const;

/** Depth is bounded before parsing: the parser recurses, and a stack that is gone takes the process along. */
function checkDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) {
      depth += 1;
      if (depth > 10 * MAX_DEPTH) throw tooDeep();
    } else if (code === 93 || code === 125) depth = Math.max(0, depth - 1);
    else if (code === 10 && /^ *(?:[-?] +){50}/.test(text.slice(at + 1, at + 400))) throw tooDeep();
  }
  if (/^ *(?:[-?] +){50}/.test(text.slice(0, 400))) throw tooDeep();
}

function tooDeep(cause?: unknown): PorticoError {
  return new PorticoError('YAML_LIMIT', `The YAML is nested deeper than ${MAX_DEPTH} levels`, {
    blame: 'user',
    cause,
    hint: 'Flatten the document, or list the file in .krmignore.',
  });
}

function readDocuments(
  source: Source,
  tokens: readonly CST.Token[],
  composed: readonly Document[],
): YamlDocument[] {
  const starts = tokens.filter((token): token is CST.Document => token.type === 'document');
  if (composed.length > MAX_DOCUMENTS) {
    throw new PorticoError('YAML_LIMIT', `The file has more than ${MAX_DOCUMENTS} documents`, {
      blame: 'user',
      hint: 'Split the file.',
    });
  }
  const markers = starts.map((token) => token.start.find((part) => part.type === 'doc-start'));
  return composed.map((document, at) => {
    const [error] = document.errors;
    // The library turns a stack that ran out into an error of the document.
    if (error !== undefined && /call stack/.test(error.message)) throw tooDeep(error);
    if (error !== undefined) throw invalid(source, error.pos[0], error.message, isReadByGo(error));
    const marker = markers[at];
    const start = at === 0 ? 0 : lineStart(source, marker?.offset ?? starts[at]?.offset ?? 0);
    const following = markers[at + 1]?.offset ?? starts[at + 1]?.offset;
    const end = following === undefined ? source.text.length : lineStart(source, following);
    const bodyStart = marker === undefined ? start : nextLine(source.text, marker.offset);
    const root =
      document.contents === null ? null : new Reader(source).node(document.contents, undefined, 0, undefined);
    const empty = root?.kind === 'scalar' && root.value === null && root.at?.start === root.at?.end;
    return { root: empty ? null : root, chunk: [start, end], bodyStart, hasMarker: marker !== undefined };
  });
}

function lineStart(source: Source, offset: number): number {
  return source.text.lastIndexOf('\n', offset - 1) + 1;
}

function invalid(source: Source, offset: number, what: string, isReadByOthers = false): InvalidYaml {
  return new InvalidYaml(source.text.slice(0, offset).split('\n').length, what, isReadByOthers);
}

/** What the library refuses and Go's reader takes: flow collections and quoted texts that go on at the margin. */
function isReadByGo({ code, message }: YAMLError): boolean {
  if (code === 'BAD_INDENT') return message.includes('sufficiently indented');
  return code === 'MISSING_CHAR' && message.startsWith('Missing closing');
}

/** A token list may hold the anchor and tag of the node that follows it. */
type Props = readonly CST.SourceToken[] | undefined;

const STYLES: Record<string, ScalarStyle> = {
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/** Turns the library's nodes of one document into ours; keeps the anchors met so far and counts aliases. */
class Reader {
  readonly #source: Source;
  readonly #anchors = new Map<string, YamlNode>();
  #aliases = 0;
  #expanded = 0;
  readonly #weights = new Map<YamlNode, number>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** `after` is the offset behind which comments above the node's first line may belong to its first entry. */
  node(node: Node, props: Props, depth: number, after: number | undefined): YamlNode {
    if (depth > MAX_DEPTH) throw tooDeep();
    if (isAlias(node)) return this.#alias(node.source, this.#place(node, props));
    const outside = this.#expanded;
    const made = isMap(node)
      ? this.#map(node, props, depth, after)
      : isSeq(node)
        ? this.#list(node, props, depth, after)
        : isScalar(node)
          ? this.#scalar(node, props)
          : undefined;
    if (made === undefined)
      throw new PorticoError('YAML_INVALID', 'A node of an unknown kind', { blame: 'bug' });
    if (made.anchor !== undefined) {
      this.#anchors.set(made.anchor, made);
      this.#weights.set(made, (node.range?.[1] ?? 0) - (node.range?.[0] ?? 0) + this.#expanded - outside);
    }
    return made;
  }

  #place(node: Node, props: Props, end?: number): Place {
    const [body, valueEnd] = node.range ?? [0, 0, 0];
    const prop = props?.find((token) => token.type === 'anchor' || token.type === 'tag');
    const start = prop !== undefined && prop.offset < body ? prop.offset : body;
    // An empty value is placed where its props end, or right behind the indicator.
    return { source: this.#source, start, body, end: end ?? valueEnd };
  }

  #alias(name: string, at: Place): AliasNode {
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) {
      throw new PorticoError('YAML_LIMIT', `The document has more than ${MAX_ALIASES} aliases`, {
        blame: 'user',
        hint: 'Write the repeated parts out.',
      });
    }
    const target = this.#anchors.get(name);
    if (target === undefined) throw invalid(this.#source, at.start, `The alias *${name} has no anchor`);
    this.#expanded += this.#weights.get(target) ?? 0;
    if (this.#expanded > MAX_EXPANSION) {
      throw new PorticoError(
        'YAML_LIMIT',
        `The aliases of the document expand to more than ${MAX_EXPANSION} characters`,
        { blame: 'user', hint: 'Write the repeated parts out.' },
      );
    }
    return { kind: 'alias', name, target, at };
  }

  #scalar(node: Scalar, props: Props): ScalarNode {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    const style = STYLES[node.type ?? ''] ?? 'plain';
    const tag = node.tag ?? '';
    const value = tag === '' && style === 'plain' ? readPlain(text) : readTagged(tag, text);
    return {
      kind: 'scalar',
      value,
      style,
      at: this.#place(node, props),
      ...(tag === '' || tag.startsWith('tag:yaml.org,2002:') || tag === '!' ? {} : { tag }),
      ...(node.anchor === undefined ? {} : { anchor: node.anchor }),
    };
  }

  #map(node: YAMLMap, props: Props, depth: number, before: number | undefined): MapNode {
    const flow = node.flow === true;
    const entries: MapEntry[] = [];
    const names = new Set<string>();
    let after = before ?? node.range?.[0] ?? 0;
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const entry = this.#entry(pair, flow, after, depth);
      if (names.has(entry.name)) {
        throw invalid(
          this.#source,
          entry.key.at?.start ?? 0,
          `The key "${entry.name.slice(0, 80)}" appears twice`,
          true,
        );
      }
      names.add(entry.name);
      entries.push(entry);
      after = entry.value.at?.end ?? after;
    }
    return {
      kind: 'map',
      entries,
      flow,
      at: this.#place(node, props, flow ? undefined : after),
      ...propsOf(node),
    };
  }

  #entry(pair: Pair<Node, Node | null>, flow: boolean, after: number, depth: number): MapEntry {
    const token = pair.srcToken;
    const key = this.node(pair.key, token?.start, depth + 1, undefined);
    const keyEnd = key.at?.end ?? after;
    const colon = token?.sep?.find((part) => part.type === 'map-value-ind');
    const question = token?.start.find((part) => part.type === 'explicit-key-ind');
    const indicator = colon === undefined ? keyEnd : colon.offset + 1;
    const name = key.kind === 'scalar' ? scalarName(key) : `? ${JSON.stringify(pair.key)}`;
    const value =
      pair.value === null ? this.#absent(indicator) : this.node(pair.value, token?.sep, depth + 1, indicator);
    const start = question?.offset ?? key.at?.start ?? after;
    const at = token === undefined ? undefined : { source: this.#source, start, indicator, after, flow };
    return {
      name,
      key,
      value: atIndicator(value, indicator, token?.sep),
      ...(at === undefined ? {} : { at }),
    };
  }

  #absent(offset: number): ScalarNode {
    const at = { source: this.#source, start: offset, body: offset, end: offset };
    return { kind: 'scalar', value: null, style: 'plain', at };
  }

  #list(node: YAMLSeq, props: Props, depth: number, before: number | undefined): ListNode {
    const token = node.srcToken;
    const flow = node.flow === true;
    const tokens = token?.type === 'block-seq' || token?.type === 'flow-collection' ? token.items : [];
    const items: ListItem[] = [];
    let after = before ?? node.range?.[0] ?? 0;
    for (const [index, child] of (node.items as (Node | Pair<Node, Node | null>)[]).entries()) {
      const own = tokens[index];
      const dash = own?.start.find((part) => part.type === 'seq-item-ind');
      const behind = dash === undefined ? undefined : dash.offset + 1;
      const value = 'range' in child ? this.node(child, own?.start, depth + 1, behind) : this.#absent(after);
      const start = dash?.offset ?? value.at?.start ?? after;
      const indicator = behind ?? start;
      const placed = flow ? value : atIndicator(value, indicator, own?.start);
      items.push({ value: placed, at: { source: this.#source, start, indicator, after, flow } });
      after = placed.at?.end ?? after;
    }
    return {
      kind: 'list',
      items,
      flow,
      at: this.#place(node, props, flow ? undefined : after),
      ...propsOf(node),
    };
  }
}

function propsOf(node: YAMLMap | YAMLSeq): { anchor?: string; tag?: string } {
  const tag = node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:') ? { tag: node.tag } : {};
  return node.anchor === undefined ? tag : { ...tag, anchor: node.anchor };
}

/** The library places an empty value after the line's comment and break; it belongs right behind `:` or `-` (or its props). */
function atIndicator(value: YamlNode, indicator: number, tokens: Props): YamlNode {
  if (value.kind !== 'scalar' || value.at === undefined || value.at.body !== value.at.end) return value;
  const props = (tokens ?? []).filter(
    (token) => token.offset >= indicator && (token.type === 'anchor' || token.type === 'tag'),
  );
  const last = props.at(-1);
  const body = last === undefined ? indicator : last.offset + last.source.length;
  return { ...value, at: { source: value.at.source, start: props[0]?.offset ?? body, body, end: body } };
}

function scalarName(key: ScalarNode): string {
  if (typeof key.value === 'string') return key.value;
  const { at } = key;
  return at === undefined ? String(key.value) : at.source.text.slice(at.body, at.end);
}

function readTagged(tag: string, text: string): ScalarNode['value'] {
  const plain = readPlain(text);
  if (tag === 'tag:yaml.org,2002:int' || tag === 'tag:yaml.org,2002:float') return plain;
  if (tag === 'tag:yaml.org,2002:bool' || tag === 'tag:yaml.org,2002:null') return plain;
  return text;
}
