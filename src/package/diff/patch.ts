/** Pure: changes of files as a patch that `git apply` takes. */

import type { FileMode } from '../package.ts';
import { lineHunks } from './line-diff.ts';
import { decode } from './resource-file.ts';

/** One file on both sides, null where it is absent. */
export interface PatchFile {
  readonly path: string;
  readonly mode: FileMode;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

interface Hunk {
  readonly from: number;
  readonly lines: readonly string[];
  readonly to: number;
  readonly removed: number;
  readonly added: number;
}

const CONTEXT = 3;

/** The patch in the order of the files; files that are not text are left out and returned by name. */
export function unifiedPatch(files: readonly PatchFile[]): {
  readonly patch: string;
  readonly opaque: readonly string[];
} {
  const opaque: string[] = [];
  const parts: string[] = [];
  for (const file of files) {
    const [before, after] = [textOf(file.before), textOf(file.after)];
    if (before === undefined || after === undefined || /["\\\p{C}]/u.test(file.path)) opaque.push(file.path);
    else parts.push(filePatch(file, linesOf(before), linesOf(after)));
  }
  return { patch: parts.join(''), opaque };
}

function filePatch(
  { path, mode, before, after }: PatchFile,
  old: readonly string[],
  now: readonly string[],
): string {
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(before === null ? [`new file mode ${mode}`] : []),
    ...(after === null ? [`deleted file mode ${mode}`] : []),
  ];
  const hunks = hunksOf(old, now);
  if (hunks.length > 0) {
    head.push(`--- ${before === null ? '/dev/null' : `a/${path}`}`);
    head.push(`+++ ${after === null ? '/dev/null' : `b/${path}`}`);
  }
  return `${[...head, ...hunks.flatMap(hunkLines)].join('\n')}\n`;
}

/** Differences with the lines around them; what stands closer than that is one hunk. */
function hunksOf(old: readonly string[], now: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const { before, after } of lineHunks(old, now)) {
    const start = Math.max(0, before.at - 1 - CONTEXT);
    const changed = [
      ...before.lines.map((line) => marked('-', line)),
      ...after.lines.map((line) => marked('+', line)),
    ];
    const last = hunks.at(-1);
    const end = before.at - 1 + before.lines.length;
    const tail = old.slice(end, end + CONTEXT).map((line) => marked(' ', line));
    const endOfLast = last === undefined ? 0 : last.from + last.removed;
    if (last !== undefined && start <= endOfLast) {
      // The context after the last one is replaced by all that stands between the two.
      const kept = last.lines.slice(0, last.lines.length - trailing(last.lines));
      const between = old.slice(endOfLast - trailing(last.lines), before.at - 1);
      hunks[hunks.length - 1] = grown(last, [
        ...kept,
        ...between.map((line) => marked(' ', line)),
        ...changed,
        ...tail,
      ]);
      continue;
    }
    const lead = old.slice(start, before.at - 1).map((line) => marked(' ', line));
    const to = after.at - 1 - lead.length;
    hunks.push(grown({ from: start, to, lines: [], removed: 0, added: 0 }, [...lead, ...changed, ...tail]));
  }
  return hunks;
}

function grown(hunk: Hunk, lines: readonly string[]): Hunk {
  const count = (signs: string): number => lines.filter((line) => signs.includes(line[0] ?? '')).length;
  return { ...hunk, lines, removed: count(' -'), added: count(' +') };
}

/** How many lines of context stand at the end. */
function trailing(lines: readonly string[]): number {
  return lines.length - 1 - lines.findLastIndex((line) => !line.startsWith(' '));
}

function hunkLines(hunk: Hunk): string[] {
  return [`@@ -${range(hunk.from, hunk.removed)} +${range(hunk.to, hunk.added)} @@`, ...hunk.lines];
}

function range(at: number, count: number): string {
  return `${count === 0 ? at : at + 1},${count}`;
}

/** A line keeps its end until here, so that a missing last one can be told. */
function marked(sign: string, line: string): string {
  return line.endsWith('\n') ? `${sign}${line.slice(0, -1)}` : `${sign}${line}\n\\ No newline at end of file`;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Undefined for bytes that are not text. */
function textOf(bytes: Uint8Array | null): string | undefined {
  return bytes === null ? '' : decode(bytes);
}
