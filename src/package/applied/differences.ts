/**
 * Where the tools of a cluster read a text otherwise than Portico does, or disagree among themselves. kubectl and Argo CD
 * read with go-yaml's version 2 behind sigs.k8s.io/yaml, kustomize and Flux with version 3. Such text is kept and merged
 * without loss, but never judged: what a check would see is not what a cluster gets.
 */
import { CST, Lexer } from 'yaml';

import type { MapEntry, Place, ScalarNode, SlotPlace, YamlNode } from '../yaml/node.ts';
import type { YamlFile } from '../yaml/read.ts';

export interface Difference {
  /** 1-based. */
  readonly line: number;
  /** A sentence without its period. */
  readonly what: string;
  /** What to do about it. */
  readonly hint: string;
  /** go-yaml fails on it, so that no tool applies the document. */
  readonly isFatal?: boolean;
}

type Report = (offset: number, what: string, hint: string, isFatal?: boolean) => void;

/** More are not listed: the first ones say what to do. */
const MAX_LISTED = 20;
const KNOWN = new WeakMap<YamlFile, readonly Difference[]>();

/** Returns the differences of a file in the order of its lines. Empty for text that all tools read as Portico does. */
export function differencesIn(file: YamlFile): readonly Difference[] {
  let known = KNOWN.get(file);
  if (known === undefined) KNOWN.set(file, (known = findDifferences(file)));
  return known;
}

function findDifferences(file: YamlFile): readonly Difference[] {
  const { text } = file.source;
  const reports: (Omit<Difference, 'line'> & { readonly offset: number })[] = [];
  const report: Report = (offset, what, hint, isFatal = false) => {
    reports.push({ offset, what, hint, isFatal });
  };
  if (file.isSimple !== true) {
    reportCharacters(text, report);
    reportLines(file, report);
    reportMarks(text, report);
  }
  reportSpaceBeforeJson(text, report);
  for (const { root } of file.documents) {
    if (root === null) continue;
    if (root.kind === 'scalar' && (root.style === 'literal' || root.style === 'folded'))
      report(root.at?.body ?? 0, 'a document is nothing but a block of text', 'Indent the text below a key.');
    reportNode(root, false, report);
  }
  if (reports.length === 0) return [];
  const listed = reports.sort((a, b) => a.offset - b.offset).slice(0, MAX_LISTED);
  return listed.map(({ offset, ...rest }) => ({ line: lineAt(text, offset), ...rest }));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Characters that end a line for Go alone, and those that Go refuses. A byte order mark may begin the text. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CHARACTERS = /\r(?!\n)|[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]|(?<!^)\ufeff/g;

const BREAKS = new Map([
  ['\r', 'a carriage return without a line feed'],
  ['\x85', 'a next-line character (U+0085)'],
  ['\u2028', 'a line separator (U+2028)'],
  ['\u2029', 'a paragraph separator (U+2029)'],
]);

/** Whether a text has characters that end a line for Go alone, or that Go refuses. */
export function hasUnusualCharacters(text: string): boolean {
  return text.search(CHARACTERS) !== -1;
}

function reportCharacters(text: string, report: Report): void {
  for (const { 0: found, index } of text.matchAll(CHARACTERS)) {
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const broken = BREAKS.get(found);
    if (broken !== undefined)
      report(index, `${broken} ends a line for the tools of a cluster`, 'Remove the character.');
    else
      report(
        index,
        found === '\ufeff'
          ? 'a byte order mark is inside the text'
          : `the character U+${code} is not allowed in YAML`,
        'Remove the character.',
      );
  }
}

const DIVIDER = /^---(.*)$/gm;
const HAS_CONTENT = /^[ \t]*[^ \t\r\n#]/m;

/** kubectl divides a text into documents by its lines, before it reads any YAML. */
function reportLines({ source: { text }, documents }: YamlFile, report: Report): void {
  let dividers = 0;
  for (const { 1: rest = '', index } of text.matchAll(DIVIDER)) {
    dividers += 1;
    if (rest.startsWith('#') || HAS_CONTENT.test(rest))
      report(
        index,
        'kubectl takes nothing behind `---` but a comment',
        'Put the content on the next line, and a space before a comment.',
      );
  }
  const hidden = dividers !== documents.filter(({ hasMarker }) => hasMarker).length;
  if (hidden)
    report(
      text.search(/^---/m),
      'a line that begins with `---` divides documents for kubectl alone',
      'Indent the line, or quote the text.',
    );
  if (/^\ufeff(?:[ \t?:]|-(?!--))/.test(text))
    report(0, 'the byte order mark moves the first line', 'Remove the mark.');
  for (const { index } of text.matchAll(/^\ufeff?%/gm))
    report(index, 'kubectl does not read directives (`%`)', 'Remove the line.');
  reportEnds(text, report);
}

/** `...` ends a document for YAML, and all that kubectl reads up to the next `---`. */
function reportEnds(text: string, report: Report): void {
  let hasContent = false;
  let end: number | undefined;
  for (const { 0: line, index } of text.matchAll(/^.*$/gm)) {
    const isEnd = /^\.\.\.(?=\s|$)/.test(line);
    if (line.startsWith('---')) {
      hasContent = false;
      end = undefined;
    } else if (end !== undefined && HAS_CONTENT.test(line)) {
      report(end, 'kubectl ignores what follows `...`', 'Replace `...` with `---`.');
      end = undefined;
    }
    if (isEnd && !hasContent)
      report(index, 'kubectl refuses `...` without a document before it', 'Remove the line.');
    if (isEnd && HAS_CONTENT.test(line.slice(3)))
      report(index, 'kubectl ignores what follows `...`', 'Replace `...` with `---`.');
    if (isEnd) {
      hasContent = false;
      end = index;
    } else if (!line.startsWith('---') && HAS_CONTENT.test(line)) hasContent = true;
  }
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

/** Tags, names of anchors and tabs, which the tree does not keep. */
function reportMarks(text: string, report: Report): void {
  let offset = 0;
  let before = '';
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) continue;
    if (lexeme === CST.SCALAR) {
      isText = true;
      before = '';
      continue;
    }
    const type = isText ? 'scalar' : CST.tokenType(lexeme);
    isText = false;
    if ((type === 'comment' || type === 'newline') && /^ *\t[ \t]*$/.test(lineBefore(text, offset)))
      report(offset, 'a tab stands on a line without a value', 'Use spaces, or remove the tab.');
    if (type === 'space' && /^[-?]$/.test(before) && lexeme.includes('\t'))
      report(offset, `kubectl fails on a tab behind \`${before}\``, 'Use spaces.');
    before = lexeme;
    if (type === 'tag')
      report(
        offset,
        `the tag ${lexeme.slice(0, 80)} is read differently by the tools of a cluster`,
        'Write the value without a tag; quote what is a string.',
      );
    else if ((type === 'anchor' || type === 'alias') && !/^[&*][\w-]+$/.test(lexeme))
      report(
        offset,
        `the name of ${lexeme.slice(0, 80)} ends earlier for the tools of a cluster`,
        'Name the anchor with letters, digits, `-` and `_`.',
      );
    offset += lexeme.length;
  }
}

/** kubectl passes over Unicode's spaces before a brace, which are part of a text in YAML. */
function reportSpaceBeforeJson(text: string, report: Report): void {
  const before = /^\s*(?=\{)/.exec(text)?.[0] ?? '';
  if (/[^ \t\r\n]/.test(before.replace(/^\ufeff/, '')))
    report(0, 'the text begins with a space that YAML does not know', 'Remove the space.');
}

function reportNode(node: YamlNode, inFlow: boolean, report: Report): void {
  switch (node.kind) {
    case 'alias':
      return;
    case 'scalar':
      reportWord(node, report);
      return reportScalar(node, inFlow, report);
    case 'list':
      for (const { value } of node.items) {
        // An anchor is all that such an item has.
        if (node.flow === true && isEmpty(value) && value.at !== undefined)
          report(
            value.at.body,
            'kustomize reads an item without a value as an empty string',
            'Write `null`.',
          );
        reportNode(value, node.flow === true, report);
      }
      return;
    case 'map':
      for (const entry of node.entries) {
        reportKey(entry, node.flow === true, report);
        reportNode(entry.value, node.flow === true, report);
      }
  }
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null && node.at?.body === node.at?.end;
}

/** Escapes of characters that kustomize writes as they are, so that Flux reads a space, and halves of pairs. */
const UNWRITABLE = /[\x85\u2028\u2029]|\p{Surrogate}/u;

function reportScalar({ value, style, at }: ScalarNode, inFlow: boolean, report: Report): void {
  if (at === undefined) return;
  if (style === 'double' && typeof value === 'string' && UNWRITABLE.test(value))
    report(at.body, 'the tools of a cluster read an escaped character differently', 'Remove the escape.');
  if (style === 'literal' || style === 'folded') {
    if (hasDisputedBlanks(at, String(value)))
      report(
        at.body,
        'the tools of a cluster read a line of blanks in a block of text differently',
        'Remove the blanks, or write the text in quotes.',
      );
    return;
  }
  if (style !== 'plain') return;
  if (typeof value === 'number' && !Number.isFinite(value))
    report(at.body, 'JSON has no such number, so that kubectl refuses it', 'Quote the value.');
  if (
    typeof value === 'bigint' &&
    BigInt.asIntN(64, value) === value &&
    String(Number(value)) !== String(value)
  )
    report(
      at.body,
      'kustomize rounds a number of more than 15 digits',
      'Write a smaller number, or quote it.',
    );
  if (/^[^\S \t\r\n\ufeff]/.test(typeof value === 'string' ? value : ''))
    report(
      at.body,
      'the text begins with a space that YAML does not know',
      'Remove the space, or quote the text.',
    );
  if (inFlow && /[?:]/.test(at.source.text.charAt(at.body)))
    report(at.body, 'a `?` or `:` begins a key for the tools of a cluster', 'Quote the value.');
}

/**
 * Whether readers differ about a line of blanks in a block of text, or behind it: where the block says its indentation or has no other
 * lines, and where such a line without a break ends a file and the block keeps its end.
 */
function hasDisputedBlanks({ source: { text }, body, end }: Place, value: string): boolean {
  const behind = /^\s*/.exec(text.slice(end))?.[0] ?? '';
  const isLast = end + behind.length === text.length;
  // Blanks before other text are the indentation of that.
  const lines = text.slice(body, end + (isLast ? behind.length : behind.lastIndexOf('\n') + 1));
  if (!/\n[ \t]+$/m.test(lines)) return false;
  const [header = ''] = /^\S*/.exec(lines) ?? [];
  return value.trim() === '' || /[1-9]/.test(header) || (header.includes('+') && /\n[ \t]+$/.test(lines));
}

function isInteger64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value;
}

/** The character before the place of a value, and the one behind that. */
function around({ source, indicator }: SlotPlace): string {
  return source.text.slice(indicator - 1, indicator + 1);
}

/** kustomize, and so Flux, keeps words such as `on` as strings: each kind of tool applies what the other cannot. */
function reportWord({ value, style, at }: ScalarNode, report: Report): void {
  if (typeof value !== 'boolean' || style !== 'plain' || at === undefined) return;
  if (!/^[tf]/i.test(at.source.text.charAt(at.body)))
    report(
      at.body,
      'the word is a boolean for kubectl, and a string for kustomize',
      `Write \`${String(value)}\`, or quote the word.`,
    );
}

/** What an object is called. */
const NAMING = new Set(['apiVersion', 'kind', 'name', 'namespace']);

/** As go-yaml knows a date by its beginning; kustomize adds the time to it. In fields that name nothing, dates are common. */
function isDate({ value, style }: ScalarNode): boolean {
  return style === 'plain' && typeof value === 'string' && /^\d{4}-\d\d?-\d\d?(?=$|[Tt \t])/.test(value);
}

/** Fields that tell a tool to change others, and that no cluster keeps. */
const ORDERS: readonly { readonly key: RegExp; readonly what: string }[] = [
  {
    // apimachinery's strategicpatch: an apply deletes what such a field names in the object that exists.
    key: /^\$(?:patch$|retainKeys$|setElementOrder\/|deleteFromPrimitiveList\/)/,
    what: 'makes kubectl and Argo CD delete fields of the object in the cluster',
  },
  {
    // kustomize's api/internal/utils/annotations.go: it finds the former names of a resource by these.
    key: /^internal\.config\.kubernetes\.io\//,
    what: 'makes kustomize rename resources, and what refers to them',
  },
];

function reportKey({ key, name, at, value }: MapEntry, inFlow: boolean, report: Report): void {
  const offset = key.at?.start ?? 0;
  if (key.kind !== 'scalar') {
    const what = key.kind === 'alias' ? `an alias is a key` : 'a list or map is a key';
    report(
      offset,
      `${what}, which Portico does not follow`,
      'Write the key out as a string.',
      key.kind !== 'alias',
    );
    return;
  }
  if (key.style === 'literal' || key.style === 'folded')
    report(offset, 'kustomize writes a block of text that is a key in other lines', 'Quote the key.');
  else reportScalar(key, inFlow, report);
  if (inFlow && key.style === 'plain' && at !== undefined && /:[^ \t\r\n]/.test(around(at)))
    report(offset, 'a `:` without a space behind it is part of the text for Go', 'Put a space behind it.');
  if (inFlow && isEmpty(value))
    report(offset, 'kustomize reads a key without a value as an empty string', 'Write `null` as its value.');
  if (name === '<<') {
    report(offset, 'the tools of a cluster merge `<<` differently', 'Write the fields where they belong.');
    return;
  }
  const order = ORDERS.find(({ key: pattern }) => pattern.test(name));
  if (order !== undefined) report(offset, `\`${name.slice(0, 80)}\` ${order.what}`, 'Remove the field.');
  if (NAMING.has(name) && value.kind === 'scalar' && isDate(value))
    report(value.at?.body ?? offset, 'kustomize writes a date with its time', 'Quote the name.');
  // A date stays a string; of what is none, kubectl takes only these spellings as they are.
  const isKept =
    typeof key.value === 'string' ||
    (key.value !== null &&
      String(key.value) === name &&
      !(typeof key.value === 'bigint' && !isInteger64(key.value)));
  if (!isKept || (typeof key.value === 'number' && !Number.isInteger(key.value)))
    report(
      offset,
      `the key ${name === '' ? 'without text' : name.slice(0, 80)} is not the same string for all tools`,
      'Quote the key.',
    );
}
