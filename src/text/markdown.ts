/**
 * Pure: the one place where text of others becomes Markdown of ours. It mentions nobody, closes and links no issue, is no
 * command, shows no image, holds no HTML, ends no cell and hides nothing. Every expression takes time in proportion to the
 * length of the text.
 */

import { shortenValue } from './cut-text.ts';
import { showHidden } from './hidden-characters.ts';

const ZERO_WIDTH = '\u200b';

/**
 * The `&` of a character reference other than these few: the forge looks for mentions and numbers of issues in what it
 * has rendered, where `&#64;` is an `@`.
 */
const HIDING_ENTITY =
  /&(?=#|(?!(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|mdash|ndash|rarr|larr|times|middot|bull|deg);)[a-z][a-z\d]{0,40};)/gi;

function visible(text: string): string {
  return showHidden(text.replaceAll(/\r\n?/g, '\n'));
}

/** Foreign Markdown (release notes, messages of functions) that still reads the same. Put it into a block of its own. */
export function inert(text: string): string {
  return inertInline(visible(text)).split('\n').map(inertLine).join('\n');
}

/** Code spans, then runs of other text, then backticks that begin no span. */
const SPANS = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|[^`]+|`+/gs;
/** Characters of a line; longer ones are cut before patterns are applied. */
const MAX_LINE_LENGTH = 4_000;

/** Foreign text in a paragraph or a cell, on one line: what it quotes in code stays code. */
export function inertSentence(text: string): string {
  const short = shortenValue(text, MAX_LINE_LENGTH);
  const flat = visible(short).replaceAll(/\s+/g, ' ').trim();
  const live = flat.replace(SPANS, (part, ticks: string | undefined) =>
    ticks === undefined ? inertInline(part) : withoutComments(part),
  );
  return live.replace(/^\//, String.raw`\/`);
}

/** Foreign text as inline code; `lineEnd` stands for a line break. Where it may be empty, say what stands for it. */
export function codeSpan(text: string, lineEnd = '␤'): string {
  const line = withoutComments(visible(text)).replaceAll('\n', lineEnd);
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** A fence around foreign text, longer than any run of backticks in it. */
export function fence(text: string, language: string): string {
  const body = withoutComments(visible(text));
  const ticks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${ticks}${language}\n${body}\n${ticks}`;
}

/**
 * Markdown as a cell of a table, on one line. The forge cuts a row at pipes before it looks for code spans, and takes
 * backslashes in pairs, so that each pipe has an odd number of them before it.
 */
export function cell(markdown: string): string {
  return markdown
    .replaceAll(/\n/g, ' ')
    .replaceAll(/(?<!\\)(\\*)\|/g, (found, before: string) =>
      before.length % 2 === 0 ? `${before}\\|` : found,
    );
}

/** A table; its cells are Markdown of ours already. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map(tableRow).join('\n');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** Nothing in it is live; it may still begin what only counts at the start of a line. */
function inertInline(text: string): string {
  return text
    .replaceAll(HIDING_ENTITY, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('![', `!${ZERO_WIDTH}[`)
    .replaceAll(/\bhttps?:\/\/(?:www\.)?github\.com\//gi, 'https://redirect.github.com/')
    .replaceAll(
      /(:\/)(\/(?!redirect\.github\.com\/)[^\s/]{1,300}(?:\/[^\s/]{1,300}){2}\/(?:issues|pull|commit|discussions)\/)/gi,
      `$1${ZERO_WIDTH}$2`,
    )
    .replaceAll(/@(?=[a-z\d])/gi, `@${ZERO_WIDTH}`)
    .replaceAll(/#(?=\d)/g, `#${ZERO_WIDTH}`)
    .replaceAll(/\b(GH\\?-)(?=\d)/gi, `$1${ZERO_WIDTH}`);
}

function inertLine(line: string): string {
  if (!/[/`~[]/.test(line)) return line;
  // What may stand before: quotes, list markers, white space.
  const [, lead = '', rest = ''] = /^((?:[\s>]|[-*+] |\d{1,9}[.)] )*)([^]*)$/.exec(line) ?? [];
  const body = rest
    .replace(/^\//, String.raw`\/`)
    .replace(/^(?:`{3,}|~{3,})/, (run) => run.replaceAll(/./g, String.raw`\$&`))
    .replace(/^\[([ xX])\]/, String.raw`\[$1]`);
  return `${lead}${body}`;
}

/** In code nothing is live, but whoever searches a body for our markers is not so careful. */
function withoutComments(text: string): string {
  return text.replaceAll('<!--', '<!\\--');
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
