/**
 * Which lines of a comment are its author's own words where every reader sees them: lines of top-level paragraphs, as
 * CommonMark reads them. Not those in code, quotes, lists, tables, footnotes, texts of links and images, attributes or comments
 * of HTML; nor what stands in `<details>` and its like, or below an e-mail reply. Where Markdown is ambiguous a line counts as
 * not meant.
 */
import { Parser, type Node } from 'commonmark';

export interface AuthoredLine {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
}

/** Elements whose content is folded away, not shown (`rp`), quoted, struck out, code, a link, in a list, or not prose. */
const CLOSED_ELEMENT =
  /<(\/?)(details|blockquote|q|pre|code|kbd|samp|tt|del|s|strike|a|rp|ul|ol|dl|table|template|noscript|select|textarea|script|style|title)(?=[\s/>]|$)/gi;

/** Where text that GitHub strikes out begins and ends; CommonMark does not know it. */
const STRIKE_BEGINS = /(?<!~)~{1,2}(?=[^\s~])/;
const STRIKE_ENDS = /[^\s~]~{1,2}(?!~)/;

/** The parser looks for the end of each link again; past so many that takes long, and no comment has them. */
const MAX_LINKS = 1_000;

/**
 * Of the lines that `isMeant` picks, those that are the author's own, in order; null for a text that is too intricate to be
 * read in linear time. Never throws.
 */
export function ownLines(body: string, isMeant: (text: string) => boolean): AuthoredLine[] | null {
  const lines = body.split(/\r\n|\n|\r/);
  const end = lines.findIndex((_, at) => startsHistory(lines, at));
  const written = end === -1 ? lines : lines.slice(0, end);
  const picked = written.flatMap((text, at) => (isMeant(text) ? [at] : []));
  if (picked.length === 0) return [];
  if (body.split('](').length > MAX_LINKS) return null;
  const own = topLevelLines(written, picked);
  return picked.filter((at) => own.has(at)).map((at) => ({ number: at + 1, text: written[at] ?? '' }));
}

/** Which of the picked lines stand in the plain text of a top-level paragraph. */
function topLevelLines(lines: readonly string[], picked: readonly number[]): ReadonlySet<number> {
  const mark = unusedCharacter(lines);
  const chosen = new Set(picked);
  // Behind the indentation, which says what a line belongs to.
  const marked = lines.map((text, at) =>
    chosen.has(at) ? text.replace(/^ */, (indent) => `${indent}${mark}${at}${mark}`) : text,
  );
  const found = new Set<number>();
  const hiding = { comment: false, elements: new Map<string, number>() };
  const document = new Parser().parse(marked.join('\n'));
  for (let block = document.firstChild; block !== null; block = block.next) {
    if (block.type === 'html_block') followHtml(block.literal ?? '', hiding);
    else if (block.type === 'paragraph' && !isTableOrFootnote(block, lines)) {
      readParagraph(block, mark, hiding, found);
    } else followInlineHtml(block, hiding);
  }
  return found;
}

interface HiddenBlock {
  comment: boolean;
  /** Name → how many are open. Counting is enough, and stays linear for any nesting. */
  readonly elements: Map<string, number>;
}

function readParagraph(paragraph: Node, mark: string, hiding: HiddenBlock, found: Set<number>): void {
  let isStruck = false;
  let struck: number[] = [];
  for (let child = paragraph.firstChild; child !== null; child = child.next) {
    if (child.type === 'html_inline') followHtml(child.literal ?? '', hiding);
    else if (child.type === 'text' && !isHiding(hiding)) {
      const text = child.literal ?? '';
      const [before, at] = text.split(mark);
      if (before === '' && at !== undefined) {
        if (isStruck) struck.push(Number(at));
        else found.add(Number(at));
      }
      if (STRIKE_ENDS.test(text)) struck = [];
      isStruck ||= STRIKE_BEGINS.test(text);
    } else followInlineHtml(child, hiding);
  }
  // What begins and does not end strikes nothing out.
  for (const at of struck) found.add(at);
}

function isHiding({ comment, elements }: HiddenBlock): boolean {
  return comment || [...elements.values()].some((open) => open > 0);
}

/** Elements that are opened below a node hide what follows, too. */
function followInlineHtml(node: Node, hiding: HiddenBlock): void {
  const walker = node.walker();
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { type, literal } = event.node;
    if (event.entering && (type === 'html_inline' || type === 'html_block'))
      followHtml(literal ?? '', hiding);
  }
}

/** Follows comments and elements through HTML as a browser will: a comment that is not closed goes on. */
function followHtml(html: string, hiding: HiddenBlock): void {
  let rest = html;
  for (;;) {
    if (hiding.comment) {
      const end = rest.indexOf('-->');
      if (end === -1) return;
      hiding.comment = false;
      rest = rest.slice(end + '-->'.length);
    }
    const start = rest.indexOf('<!--');
    for (const [, closes, name = ''] of (start === -1 ? rest : rest.slice(0, start)).matchAll(
      CLOSED_ELEMENT,
    )) {
      const open = (hiding.elements.get(name.toLowerCase()) ?? 0) + (closes === '/' ? -1 : 1);
      hiding.elements.set(name.toLowerCase(), Math.max(0, open));
    }
    if (start === -1) return;
    hiding.comment = true;
    rest = rest.slice(start + '<!--'.length);
  }
}

/** GitHub's tables and footnotes are paragraphs to CommonMark. */
function isTableOrFootnote({ sourcepos }: Node, lines: readonly string[]): boolean {
  const [[first], [last]] = sourcepos;
  // To CommonMark a footnote is a reference, which it takes out of its paragraph.
  let start = first - 1;
  while (start > 0 && lines[start - 1]?.trim() !== '') start -= 1;
  const own = lines.slice(start, last);
  return (
    own.some((text) => /^ {0,3}\[\^[^\]\s]{1,999}\]:/.test(text)) ||
    own
      .slice(1)
      .some((text) => /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[-:| \t]*)?$/.test(text) && text.includes('|'))
  );
}

/** A private-use character that the text does not have. */
function unusedCharacter(lines: readonly string[]): string {
  const used = new Set(lines.flatMap((text) => text.match(/[\uE000-\uF8FF]/g) ?? []));
  for (let code = 0xe000; ; code += 1) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) return character;
  }
}

/** A mail program's own words above the history: what follows was written by somebody else. */
function startsHistory(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (/^-{2,} ?(?:original message|forwarded message)/i.test(line)) return true;
  if (!/^On .{1,200} wrote:\s*$/.test(line)) return false;
  // A quoted history is recognised by its quotes, and an answer may stand below it.
  const next = lines.slice(at + 1, at + 4).find((following) => following.trim() !== '');
  return next !== undefined && !next.startsWith('>');
}
