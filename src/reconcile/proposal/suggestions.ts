/** Pure: from fixes to suggestion blocks on the lines of a pull request's diff. */

import { lineHunks } from '../../package/diff/line-diff.ts';
import { digestOf } from '../../revision/digest.ts';
import { shorten } from '../../text/cut-text.ts';
import { codeSpan } from '../../text/markdown.ts';
import type { ReviewRemark } from '../forge/reviews.ts';
import { code, fenced, sentence } from '../text/markdown-blocks.ts';
import type { Fix } from './fixes.ts';

export interface Suggestion extends ReviewRemark {
  /** The same change of the same file has the same key, wherever its lines have moved to. */
  readonly key: string;
}

/** One file at the head of the proposal and where the proposal left the base; null where it is absent. */
export interface BothTexts {
  readonly before: Uint8Array | null;
  readonly head: Uint8Array;
}

/** More than this in one review is no help. */
const MAX_COUNT = 20;
/** A block of more lines is a job for the button. */
const MAX_LINES = 30;
/** GitHub shows so many unchanged lines around a change, and takes remarks on those too. */
const CONTEXT = 3;

/**
 * A suggestion for each group of lines that a fix changes and that the diff shows. Left out are files whose lines do
 * not end in a plain line feed, because a suggestion is written with those.
 */
export function suggestionsOf(fixes: readonly Fix[], texts: ReadonlyMap<string, BothTexts>): Suggestion[] {
  const suggestions: Suggestion[] = [];
  const taken = new Set<string>();
  for (const { check, why, changes } of fixes) {
    for (const [path, after] of changes) {
      const both = texts.get(path);
      const [head, fixed] = [textOf(both?.head), textOf(after?.bytes)];
      if (both === undefined || head === undefined || fixed === undefined) continue;
      const lines = linesOf(head);
      const shown = shownLines(linesOf(textOf(both.before) ?? ''), lines);
      for (const hunk of lineHunks(lines, linesOf(fixed))) {
        const block = blockOf(hunk, lines);
        if (block === undefined) continue;
        const range = Array.from({ length: block.end - block.start + 1 }, (_, at) => block.start + at);
        if (range.some((line) => !shown.has(line) || taken.has(`${path}:${line}`))) continue;
        for (const line of range) taken.add(`${path}:${line}`);
        const key = digestOf('portico suggestion 1', [path, block.was, block.now]).slice(7, 23);
        const body = `${code(check)}: ${remark(why)}\n\n${fenced(`${block.now}\n`, 'suggestion')}`;
        const first = block.start < block.end ? { startLine: block.start } : {};
        suggestions.push({ key, path, line: block.end, ...first, body });
      }
    }
  }
  return suggestions.slice(0, MAX_COUNT);
}

interface Block {
  /** 1-based lines of the head, both included. */
  readonly start: number;
  readonly end: number;
  readonly was: string;
  /** What stands there instead, without the last line's end. */
  readonly now: string;
}

const HIDDEN = /[\p{Cf}\p{Co}]|(?!\t|\n)\p{Cc}/u;

/** Lines that only come in are hung on to the line above them, which stays. */
function blockOf(
  { before, after }: ReturnType<typeof lineHunks>[number],
  lines: readonly string[],
): Block | undefined {
  const above = before.lines.length === 0 ? lines[before.at - 2] : undefined;
  if (before.lines.length === 0 && above === undefined) return undefined;
  const was = above === undefined ? before.lines : [above];
  const now = above === undefined ? after.lines : [above, ...after.lines];
  // An empty block would leave an empty line behind.
  if (now.length === 0 || now.length > MAX_LINES || was.length > MAX_LINES) return undefined;
  if ([...was, ...now].some((line) => !line.endsWith('\n'))) return undefined;
  // What hides or reorders text is not for one click.
  if (now.some((line) => HIDDEN.test(line))) return undefined;
  const start = above === undefined ? before.at : before.at - 1;
  return {
    start,
    end: start + was.length - 1,
    was: was.join(''),
    now: now.join('').slice(0, -1),
  };
}

/** Lines of the newer text that a diff against the older one shows. */
function shownLines(before: readonly string[], head: readonly string[]): Set<number> {
  const shown = new Set<number>();
  for (const { after } of lineHunks(before, head)) {
    const from = after.at - CONTEXT;
    const to = after.at + after.lines.length - 1 + CONTEXT;
    for (let line = Math.max(1, from); line <= Math.min(head.length, to); line += 1) shown.add(line);
  }
  return shown;
}

/** A foreign message, where nothing in it can act. */
function remark(why: string): string {
  return codeSpan(sentence(shorten(why, 1000)));
}

/** Undefined for what is no text, or is not in lines as git on Unix knows them. */
function textOf(bytes: Uint8Array | null | undefined): string | undefined {
  if (bytes === null || bytes === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[\r\0\u2028\u2029]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
