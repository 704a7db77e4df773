/**
 * Which lines of a comment are its author's own words at the start of a line. Left out: fenced and quoted text
 * (with the lines that Markdown draws into the quote), HTML comments, `<details>` and other folded or verbatim
 * elements, and the history below an e-mail reply. Where Markdown is ambiguous a line counts as not meant.
 * (CommonMark 0.31 §4.5, §4.6, §5.1; indented code cannot matter, since a command starts in the first column.)
 */

export interface OwnLine {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
}

/** Elements whose content is folded away, quoted, or not prose. */
const CLOSED_ELEMENT = /<!--|<(\/?)(details|blockquote|pre)(?=[\s/>]|$)/gi;

interface Scan {
  fence: { readonly mark: string; readonly length: number } | undefined;
  quote: boolean;
  htmlComment: boolean;
  /** Name → how many are open. Counting is enough, and stays linear for any nesting. */
  readonly elements: Map<string, number>;
}

/** The author's own lines, in order. Linear in the length; never throws. */
export function ownLines(body: string): OwnLine[] {
  const lines = body.split(/\r\n|\n|\r/);
  const scan: Scan = { fence: undefined, quote: false, htmlComment: false, elements: new Map() };
  const own: OwnLine[] = [];
  for (const [at, text] of lines.entries()) {
    if (startsHistory(lines, at)) break;
    if (isOwn(scan, text)) own.push({ number: at + 1, text });
  }
  return own;
}

/** Whether this line is the author's; moves the scan past it. */
function isOwn(scan: Scan, text: string): boolean {
  if (scan.fence !== undefined) {
    if (closesFence(text, scan.fence)) scan.fence = undefined;
    return false;
  }
  const hidden = scan.htmlComment || [...scan.elements.values()].some((open) => open > 0);
  const fence = scan.htmlComment ? undefined : opensFence(text);
  if (fence !== undefined) {
    scan.fence = fence;
    scan.quote = false;
    return false;
  }
  if (!hidden && isQuote(scan, text)) return false;
  scanElements(scan, text);
  return !hidden;
}

function opensFence(text: string): Scan['fence'] {
  const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(text);
  const [, mark = '', info = ''] = match ?? [];
  // Backticks after backticks are a code span in a paragraph, not a fence.
  if (match === null || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return { mark: mark[0] ?? '`', length: mark.length };
}

function closesFence(text: string, fence: NonNullable<Scan['fence']>): boolean {
  const trimmed = text.replace(/^ {0,3}/, '').trimEnd();
  return trimmed.length >= fence.length && trimmed === fence.mark.repeat(trimmed.length);
}

/** A quoted line, or one that continues the paragraph of a quote (CommonMark's lazy continuation). */
function isQuote(scan: Scan, text: string): boolean {
  const content = /^ {0,3}>(.*)$/.exec(text)?.[1];
  if (content !== undefined) {
    scan.quote = content.replaceAll('>', '').trim() !== '';
    return true;
  }
  if (text.trim() === '') scan.quote = false;
  return scan.quote;
}

/** Follows comments and elements through a line, outside its code spans. */
function scanElements(scan: Scan, text: string): void {
  let rest = text;
  if (scan.htmlComment) {
    const end = rest.indexOf('-->');
    if (end < 0) return;
    scan.htmlComment = false;
    rest = rest.slice(end + 3);
  }
  rest = withoutCodeSpans(rest);
  let from = 0;
  for (const match of rest.matchAll(CLOSED_ELEMENT)) {
    if (match.index < from) continue;
    if (match[0] === '<!--') {
      const end = rest.indexOf('-->', match.index + 4);
      if (end < 0) {
        scan.htmlComment = true;
        return;
      }
      from = end + 3;
    } else toggle(scan.elements, match[1] === '/', (match[2] ?? '').toLowerCase());
  }
}

function toggle(elements: Map<string, number>, closes: boolean, name: string): void {
  elements.set(name, Math.max(0, (elements.get(name) ?? 0) + (closes ? -1 : 1)));
}

/** Leaves out what stands between equally long runs of backticks on one line. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  const nextOfLength = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (const [at, run] of [...runs.entries()].reverse()) {
    closing[at] = nextOfLength.get(run[0].length) ?? -1;
    nextOfLength.set(run[0].length, at);
  }
  let result = '';
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const end = runs[closing[at] ?? -1];
    if (end === undefined) continue;
    result += text.slice(from, runs[at]?.index);
    from = end.index + end[0].length;
    at = closing[at] ?? at;
  }
  return result + text.slice(from);
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
