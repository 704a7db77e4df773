/**
 * GitHub's Markdown as far as people and bots here use it, written so that nothing else can come out: every piece goes
 * through `html`, which escapes; of HTML only a few tags without attributes are known; all the rest is shown as text.
 * Each step is linear in the text for a bounded depth, so hostile text costs no more than honest text.
 */
import { html } from 'hono/html';

import type { Html } from './html.ts';
import { deeper, inline, MAX_DEPTH } from './markdown-inline.ts';
import type { MarkdownOptions, MarkdownPlace as Place } from './markdown-inline.ts';

/** Characters that are shown; the rest is cut off. */
const MAX_LENGTH = 400_000;
/** Headings of a text stand below those of the page. */
const HEADING_SHIFT = 2;

/** A text as safe HTML. HTML comments are not shown; a text over 400,000 characters is cut. */
export function markdown(text: string, options: MarkdownOptions = {}): Html {
  const lines = text.slice(0, MAX_LENGTH).replaceAll('\0', '').replaceAll(/\r\n?/g, '\n').split('\n');
  return html`${blocks(lines, { options, depth: 0, tight: false })}`;
}

/** A block and the number of the line after it. */
interface Block {
  readonly shown: Html;
  readonly next: number;
}

function blocks(lines: readonly string[], place: Place): Html[] {
  const shown: Html[] = [];
  let at = 0;
  while (at < lines.length) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1;
      continue;
    }
    const block = special(lines, at, place) ?? paragraph(lines, at, place);
    shown.push(block.shown);
    at = block.next;
  }
  return shown;
}

const FENCE = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)| *$|\t)/;
const COMMENT = /^ {0,3}<!--/;
const DETAILS = /^ {0,3}<details(?: open)?>/i;

/** Whatever is no paragraph. */
function special(lines: readonly string[], at: number, place: Place): Block | undefined {
  const line = lines[at] ?? '';
  if (FENCE.test(line)) return fence(lines, at);
  const heading = HEADING.exec(line);
  if (heading !== null) return { shown: headingOf(heading, place), next: at + 1 };
  if (RULE.test(line)) return { shown: html`<hr />`, next: at + 1 };
  if (COMMENT.test(line)) return comment(lines, at, place);
  if (isTable(lines, at)) return table(lines, at, place);
  if (place.depth >= MAX_DEPTH) return undefined;
  if (/^ {0,3}>/.test(line)) return quote(lines, at, place);
  if (ITEM.test(line)) return list(lines, at, place);
  return DETAILS.test(line) ? details(lines, at, place) : undefined;
}

function paragraph(lines: readonly string[], at: number, place: Place): Block {
  let next = at + 1;
  while (next < lines.length && (lines[next] ?? '').trim() !== '' && !interrupts(lines, next, place))
    next += 1;
  const text = inline(
    lines
      .slice(at, next)
      .map((line) => line.trimStart())
      .join('\n')
      .trimEnd(),
    place,
  );
  return { shown: place.tight ? html`${text} ` : html`<p>${text}</p>`, next };
}

const interrupts = (lines: readonly string[], at: number, place: Place): boolean => {
  const line = lines[at] ?? '';
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    COMMENT.test(line) ||
    isTable(lines, at) ||
    (place.depth < MAX_DEPTH && (/^ {0,3}>/.test(line) || ITEM.test(line) || DETAILS.test(line)))
  );
};

/** The number of the line after a fenced block that opens at `at`; without an end it goes on to the last line. */
function fenceEnd(lines: readonly string[], at: number): number {
  const mark = FENCE.exec((lines[at] ?? '').trimStart())?.[1] ?? '```';
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = (lines[next] ?? '').trim();
    if (line.startsWith(mark) && line === (mark[0] ?? '').repeat(line.length)) return next + 1;
  }
  return lines.length;
}

function fence(lines: readonly string[], at: number): Block {
  const next = fenceEnd(lines, at);
  const indent = (lines[at] ?? '').search(/\S/);
  const closed = FENCE.test(lines[next - 1] ?? '') && next - 1 > at;
  const code = lines
    .slice(at + 1, closed ? next - 1 : next)
    .map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line));
  return { shown: html`<pre tabindex="0"><code>${code.join('\n')}</code></pre>`, next };
}

function headingOf(match: RegExpExecArray, place: Place): Html {
  const words = (match[2] ?? '').trim();
  let end = words.length;
  while (end > 0 && words[end - 1] === '#') end -= 1;
  const text = inline(end > 0 && words[end - 1] !== ' ' ? words : words.slice(0, end).trimEnd(), place);
  const level = Math.min(6, (match[1]?.length ?? 1) + HEADING_SHIFT);
  if (level === 3) return html`<h3>${text}</h3>`;
  if (level === 4) return html`<h4>${text}</h4>`;
  return level === 5 ? html`<h5>${text}</h5>` : html`<h6>${text}</h6>`;
}

/** An HTML comment at the start of a line: not shown, to its end or that of the text. What follows on its last line is. */
function comment(lines: readonly string[], at: number, place: Place): Block {
  for (let next = at; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const end = line.indexOf('-->', next === at ? line.indexOf('<!--') + 4 : 0);
    if (end < 0) continue;
    const rest = line.slice(end + 3).trim();
    return { shown: rest === '' ? html`` : html`<p>${inline(rest, place)}</p>`, next: next + 1 };
  }
  return { shown: html``, next: lines.length };
}

function quote(lines: readonly string[], at: number, place: Place): Block {
  let next = at;
  while (next < lines.length && /^ {0,3}>/.test(lines[next] ?? '')) next += 1;
  const inner = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { shown: html`<blockquote>${blocks(inner, deeper(place))}</blockquote>`, next };
}

function list(lines: readonly string[], at: number, place: Place): Block {
  const marker = (line: string): string | undefined => ITEM.exec(line)?.[2]?.replace(/^\d+/, '1');
  const kind = marker(lines[at] ?? '');
  const items: string[][] = [];
  let next = at;
  let loose = false;
  while (next < lines.length && marker(lines[next] ?? '') === kind && !RULE.test(lines[next] ?? '')) {
    const end = itemEnd(lines, next);
    const width = ITEM.exec(lines[next] ?? '')?.[0].length ?? 2;
    const own = lines.slice(next, end).map((line, row) => {
      if (row === 0) return line.slice(width);
      return line.slice(0, width).trim() === '' ? line.slice(width) : line.trimStart();
    });
    while (own.length > 0 && own.at(-1)?.trim() === '') own.pop();
    items.push(own);
    next = end;
    const gap = (lines[next - 1] ?? '').trim() === '' && marker(lines[next] ?? '') === kind;
    loose ||= gap || own.some((line, row) => line.trim() === '' && !ITEM.test(own[row + 1] ?? ''));
  }
  const shown = items.map((own) => html`<li>${item(own, deeper(place, !loose))}</li>`);
  const start = Number.parseInt(ITEM.exec(lines[at] ?? '')?.[2] ?? '', 10);
  return {
    shown: Number.isNaN(start)
      ? html`<ul>
          ${shown}
        </ul>`
      : html`<ol start="${start}">
          ${shown}
        </ol>`,
    next,
  };
}

/** The line after a list item: it goes on while lines are indented, or continue its paragraph. */
function itemEnd(lines: readonly string[], at: number): number {
  const width = ITEM.exec(lines[at] ?? '')?.[0].trimEnd().length ?? 1;
  let next = at + 1;
  let blank = false;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') {
      blank = true;
      continue;
    }
    const indented = line.search(/\S/) > width - 1;
    if (!indented && (blank || ITEM.test(line) || FENCE.test(line) || HEADING.test(line))) break;
    if (!indented && (RULE.test(line) || COMMENT.test(line) || DETAILS.test(line) || /^ {0,3}>/.test(line)))
      break;
    if (indented && FENCE.test(line.trimStart())) {
      next = fenceEnd(lines, next) - 1;
    }
    blank = false;
  }
  return next;
}

function item(lines: readonly string[], place: Place): Html[] {
  const task = /^\[([ xX])\] /.exec(lines[0] ?? '');
  if (task === null) return blocks(lines, place);
  const rest = [(lines[0] ?? '').slice(4), ...lines.slice(1)];
  return [html`${task[1] === ' ' ? '☐' : '☑'} `, ...blocks(rest, place)];
}

/** `<details>` to its `</details>`, each on a line's edge; without an end it is text. */
function details(lines: readonly string[], at: number, place: Place): Block | undefined {
  const end = detailsEnd(lines, at);
  if (end === undefined) return undefined;
  const text = lines.slice(at, end + 1).join('\n');
  const inner = text.slice(text.indexOf('>') + 1, text.toLowerCase().lastIndexOf('</details>'));
  const summary = /^\s*<summary>([^]*?)<\/summary>/i.exec(inner);
  const rest = inner.slice(summary?.[0].length ?? 0).split('\n');
  const head = inline((summary?.[1] ?? 'Details').trim(), place);
  const open = /^ {0,3}<details open>/i.test(lines[at] ?? '');
  const body = html`<summary>${head}</summary>
    <div>${blocks(rest, deeper(place))}</div>`;
  return {
    shown: open ? html`<details open>${body}</details>` : html`<details>${body}</details>`,
    next: end + 1,
  };
}

const detailsEnds = new WeakMap<readonly string[], ReadonlyMap<number, number>>();

/** The line on which the `<details>` of line `at` ends. */
function detailsEnd(lines: readonly string[], at: number): number | undefined {
  const known = detailsEnds.get(lines) ?? pairDetails(lines);
  detailsEnds.set(lines, known);
  return known.get(at);
}

/** All of them in one pass: from the line of the start to that of the end. */
function pairDetails(lines: readonly string[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let row = 0; row < lines.length; row += 1) {
    const line = lines[row] ?? '';
    if (FENCE.test(line)) {
      row = fenceEnd(lines, row) - 1;
      continue;
    }
    if (DETAILS.test(line)) open.push(row);
    const start = line.trimEnd().toLowerCase().endsWith('</details>') ? open.pop() : undefined;
    if (start !== undefined) pairs.set(start, row);
  }
  return pairs;
}

const isTable = (lines: readonly string[], at: number): boolean => {
  const head = lines[at] ?? '';
  const rule = lines[at + 1] ?? '';
  return (
    head.includes('|') &&
    rule.includes('-') &&
    cells(rule).every((cell) => /^:?-+:?$/.test(cell)) &&
    cells(rule).length === cells(head).length
  );
};

/** The cells of a row; `\|` is a bar within one, also in code. */
function cells(line: string): string[] {
  const parts = line.trim().split(/(?<!\\)\|/);
  if (parts[0]?.trim() === '') parts.shift();
  if (parts.at(-1)?.trim() === '') parts.pop();
  return parts.map((part) => part.trim().replaceAll('\\|', '|'));
}

function table(lines: readonly string[], at: number, place: Place): Block {
  const head = cells(lines[at] ?? '');
  let next = at + 2;
  while (next < lines.length && (lines[next] ?? '').includes('|')) next += 1;
  const row = (line: string): Html =>
    html`<tr>
      ${cells(line)
        .slice(0, head.length)
        .map((cell) => html`<td>${inline(cell, place)}</td>`)}
    </tr>`;
  return {
    shown: html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            ${head.map((cell) => html`<th scope="col">${inline(cell, place)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${lines.slice(at + 2, next).map(row)}
        </tbody>
      </table>
    </div>`,
    next,
  };
}
