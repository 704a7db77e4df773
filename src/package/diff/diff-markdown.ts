import { counted } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { codeSpan, fence } from '../../text/markdown.ts';
import type {
  FieldChange,
  FileChange,
  PackageDiff,
  ResourceChange,
  ResourceChangeKind,
} from './diff-types.ts';
import { lineHunks } from './line-diff.ts';

export interface DiffMarkdownOptions {
  /** Most characters (UTF-16 units) of the result, 200 at least; what does not fit is counted. Default 60,000. */
  readonly limit?: number;
  /** Link to the whole diff, named where something was left out. */
  readonly more?: string;
  /** Blocks with at most so many entries are shown open. Default 10. */
  readonly open?: number;
  /** For a terminal: no HTML, fences or marks of code. */
  readonly plain?: boolean;
}

/** How text of the package stands in the result. */
interface Marks {
  readonly code: (text: string) => string;
  readonly block: (text: string) => string;
}

const MARKDOWN: Marks = { code: codeSpan, block: (text) => fence(text, 'diff') };
const PLAIN: Marks = { code: (text) => text, block: (text) => text };

/** Lines of one value or file that are shown. */
const LINES = 60;
const LINE_LENGTH = 400;

/**
 * A package diff for a reviewer: a summary line, then one collapsible block per kind of change, the weightiest first, and the package's own files last.
 * Text from the package stands in code only, so that mentions, links, markers and commands in it do nothing.
 */
export function diffMarkdown(diff: PackageDiff, options: DiffMarkdownOptions = {}): string {
  if (diff.same) return 'No differences.\n';
  const limit = Math.max(200, options.limit ?? 60_000);
  const summary = summaryOf(diff);
  const more = options.more === undefined ? '' : ` See [the whole diff](${options.more}).`;
  const reserve = 80 + more.length;

  let text = `${summary}\n`;
  let left = 0;
  for (const group of groupsOf(diff, options.plain === true ? PLAIN : MARKDOWN)) {
    const [head, tail] = options.plain === true ? [`\n${group.title}\n`, ''] : folded(group, options.open);
    let body = '';
    let fitted = 0;
    let isLine = false;
    for (const entry of group.entries) {
      const isFull = (shown: string): boolean =>
        text.length + head.length + body.length + shown.length + 2 + tail.length + reserve > limit;
      const whole = entry();
      // A resource that is too large for its fields still has its name.
      const entered = isFull(whole) ? (whole.split('\n', 1)[0] ?? '') : whole;
      // On a terminal, lines of a list stand close together; what has fields below it stands apart.
      const isClose = options.plain === true && isLine && !entered.includes('\n');
      const shown = `${isClose ? '' : '\n'}${entered}\n`;
      isLine = !entered.includes('\n');
      if (isFull(entered)) break;
      body += shown;
      fitted += 1;
    }
    left += group.entries.length - fitted;
    if (fitted > 0) text += head + body + tail;
  }
  if (left === 0) return text;
  return `${text}\n… and ${counted(left, 'more change')} that did not fit.${more}\n`;
}

function folded({ title, entries }: Group, open = 10): [string, string] {
  const isOpen = entries.length <= open ? ' open' : '';
  return [`\n<details${isOpen}><summary>${title}</summary>\n`, '\n</details>\n'];
}

/** One line without foreign text, such as `2 resources changed, 1 added; 1 package file changed.` */
function summaryOf({ counts }: PackageDiff): string {
  const kinds = KINDS.filter(({ kind }) => counts[kind] > 0).map(({ kind }) => ({
    n: counts[kind],
    verb: BECAME[kind],
  }));
  const resources = kinds
    .map(({ n, verb }, at) => `${at === 0 ? counted(n, 'resource') : n} ${verb}`)
    .join(', ');
  const files = counts.files === 0 ? '' : `${counted(counts.files, 'package file')} changed`;
  const line = joined([resources, files], '; ');
  return line === '' ? 'Only the text around the resources differs.' : `${line}.`;
}

const KINDS: readonly { readonly kind: ResourceChangeKind; readonly title: string }[] = [
  { kind: 'removed', title: 'Removed' },
  { kind: 'changed', title: 'Changed' },
  { kind: 'added', title: 'Added' },
  { kind: 'moved', title: 'Moved' },
  { kind: 'comments', title: 'Only comments differ' },
  { kind: 'order', title: 'Only the order differs' },
  { kind: 'format', title: 'Only the format differs' },
];

interface Group {
  readonly title: string;
  readonly entries: readonly (() => string)[];
}

function groupsOf(diff: PackageDiff, marks: Marks): Group[] {
  const groups = KINDS.map(({ kind, title }) => {
    const resources = diff.resources.filter(({ change, local = false }) => change === kind && !local);
    return {
      title: `${title}: ${counted(resources.length, 'resource')}`,
      entries: resources.map((resource) => () => resourceEntry(resource, marks)),
    };
  });
  const own = diff.resources.filter(({ local = false }) => local);
  const files = [
    ...own.map((resource) => () => resourceEntry(resource, marks)),
    ...diff.files.map((file) => () => fileEntry(file, marks)),
  ];
  return [...groups, { title: `Package files: ${diff.counts.files}`, entries: files }].filter(
    ({ entries }) => entries.length > 0,
  );
}

function resourceEntry(change: ResourceChange, marks: Marks): string {
  const { kind, namespace, name } = change.resource;
  const called = marks.code(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`);
  const place = `${marks.code(change.file)}${change.from === undefined ? '' : `, before in ${marks.code(change.from)}`}`;
  const comments = change.comments && change.change !== 'comments' ? '; comments differ too' : '';
  // In the group of the package's own files, its title does not say what became of the resource.
  const became = change.local === true ? ` ${BECAME[change.change]}` : '';
  const head = `- ${called}${became} in ${place}${comments}`;
  const shown = [...change.fields.flatMap(fieldLines), ...valueLines(change.value)];
  if (shown.length === 0) return head;
  return `${head}\n${indent(marks.block(cap(shown).join('\n')))}`;
}

const BECAME: { readonly [Kind in ResourceChangeKind]: string } = {
  removed: 'removed',
  changed: 'changed',
  added: 'added',
  moved: 'moved',
  comments: 'with other comments',
  order: 'in another order',
  format: 'written differently',
};

/** A new resource without its name and kind, which stand above. */
function valueLines(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind: _kind, apiVersion, metadata, ...rest } = value as Readonly<Record<string, unknown>>;
  const { name: _name, ...marks } =
    typeof metadata === 'object' && metadata !== null
      ? ({ ...metadata } as Readonly<Record<string, unknown>>)
      : {};
  const labels = Object.keys(marks).length === 0 ? {} : { metadata: marks };
  return block({ apiVersion, ...labels, ...rest }).map((line) => `+ ${line}`);
}

function fieldLines({ path, change, before, after }: FieldChange): string[] {
  const label = path === '' ? '(all)' : path;
  if (change === 'moved')
    return [`! ${label}: another order`, ...sideLines('-', '', before), ...sideLines('+', '', after)];
  if (isText(before) && isText(after)) {
    return [
      `! ${label}: |`,
      ...lineHunks(before.split('\n'), after.split('\n')).flatMap((hunk) => [
        ...hunk.before.lines.map((line) => `-   ${line}`),
        ...hunk.after.lines.map((line) => `+   ${line}`),
      ]),
    ];
  }
  return [
    ...(change === 'added' ? [] : sideLines('-', `${label}: `, before)),
    ...(change === 'removed' ? [] : sideLines('+', `${label}: `, after)),
  ];
}

/** A value behind its label: on the same line where it fits, else as indented lines below. */
function sideLines(sign: '-' | '+', label: string, value: unknown): string[] {
  const flat = flow(value);
  if (flat.length <= 100 && !isText(value)) return [`${sign} ${label}${flat}`];
  return [
    ...(label === '' ? [] : [`${sign} ${label.trimEnd()}`]),
    ...block(value).map((line) => `${sign}   ${line}`),
  ];
}

/** A value on one line, as JSON with plain strings unquoted where nobody could take them for something else. */
export function flow(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, held]) => `${key}: ${flow(held)}`)
      .join(', ')}}`;
  }
  if (typeof value !== 'string') return scalarText(value);
  return /^[A-Za-z/][\w./@:+=$()-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

/** Numbers, booleans and null as YAML writes them. */
function scalarText(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? '');
}

function block(value: unknown): string[] {
  if (isText(value)) return value.split('\n');
  if (Array.isArray(value)) {
    return value.flatMap((item) => nested(item).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)));
  }
  if (typeof value !== 'object' || value === null) return [flow(value)];
  return Object.entries(value).flatMap(([key, held]) => {
    const below = nested(held);
    const only = below[0] ?? '';
    const isFlat = typeof held !== 'object' || held === null || only === flow(held);
    return below.length <= 1 && isFlat && !isText(held)
      ? [`${key}: ${only}`]
      : [`${key}:`, ...below.map((line) => `  ${line}`)];
  });
}

function nested(value: unknown): string[] {
  const flat = flow(value);
  return flat.length <= 60 && !isText(value) ? [flat] : block(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n');
}

function fileEntry(change: FileChange, marks: Marks): string {
  const from = change.from === undefined ? '' : `, before ${marks.code(change.from)}`;
  const mode = change.mode === undefined ? '' : `, mode ${change.mode.before} → ${change.mode.after}`;
  const lines = change.added + change.removed === 0 ? '' : `, +${change.added} −${change.removed} lines`;
  const opaque = change.opaque ? ', no text or too large to show' : '';
  const reason = change.reason === undefined ? '' : `; compared by lines: ${marks.code(change.reason)}`;
  const what = change.change === 'mode' ? '' : ` ${change.change}`;
  const head = `- ${marks.code(change.file)}${what}${from}${mode}${lines}${opaque}${reason}`;
  if (change.hunks.length === 0) return head;
  const shown = change.hunks.flatMap(({ before, after }) => [
    `@@ -${before.at},${before.lines.length} +${after.at},${after.lines.length} @@`,
    ...before.lines.map((line) => `-${line.replace(/\n$/, '')}`),
    ...after.lines.map((line) => `+${line.replace(/\n$/, '')}`),
  ]);
  return `${head}\n${indent(marks.block(cap(shown).join('\n')))}`;
}

function cap(lines: readonly string[]): string[] {
  const shown = lines
    .slice(0, LINES)
    .map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line));
  return lines.length > LINES ? [...shown, `… ${counted(lines.length - LINES, 'more line')}`] : shown;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
