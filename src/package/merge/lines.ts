import { threeWay } from '../yaml/sequence.ts';
import type { Choice } from './conflict.ts';
import { cutStretch, occurrences } from './stretches.ts';

/** Lines of one text: the comparison keeps a number for each. */
const MAX_LINES = 100_000;
/** Differing lines: the effort grows with their square. */
const MAX_EDITS = 1_000;

/** Lines that both sides changed to something else. */
export interface LineConflict {
  readonly local: string;
  readonly base: string;
  readonly upstream: string;
}

/**
 * Merges three texts line by line. Where both sides changed the same lines to something else, the text is what `settle`
 * answers; undefined without it.
 */
export function mergeLines(
  local: string,
  base: string,
  upstream: string,
  settle?: (lines: LineConflict) => string,
): string | undefined {
  const [d, o, u] = [local, base, upstream].map(linesOf);
  if (d === undefined || o === undefined || u === undefined) return undefined;
  if (d.length + o.length + u.length > MAX_LINES) return undefined;
  let out = '';
  let at = 0;
  for (const hunk of threeWay(o, d, u, MAX_EDITS)) {
    const [ours, old, theirs] = [d.slice(...hunk.left), o.slice(...hunk.base), u.slice(...hunk.right)];
    const text =
      hunk.changed === 'both'
        ? settledLines(ours, old, theirs, settle)
        : (hunk.changed === 'left' ? ours : theirs).join('');
    if (text === undefined) return undefined;
    out += o.slice(at, hunk.base[0]).join('') + text;
    at = hunk.base[1];
  }
  return out + o.slice(at).join('');
}

/** A conflict of lines as a person is asked about it. */
export interface LineQuestion extends LineConflict {
  /** How many equal ones come before it in the same text. */
  readonly nth: number;
  /** True where both sides only added lines, so both may stay. */
  readonly both: boolean;
}

/**
 * Merges three texts line by line, and asks about each stretch of lines that both sides changed. Undefined where the rest
 * cannot be merged without them.
 */
export function mergeText(
  local: string,
  base: string,
  upstream: string,
  ask: (question: LineQuestion) => Choice,
): string | undefined {
  const plain = mergeLines(local, base, upstream);
  if (plain !== undefined || !staysMerged(local, base, upstream)) return plain;
  const nth = occurrences();
  return mergeLines(local, base, upstream, (lines) => {
    const both = lines.base === '' && lines.local !== '' && lines.upstream !== '';
    const choice = ask({ ...lines, nth: nth(JSON.stringify(lines)), both });
    return choice === 'both' ? withEnd(lines.upstream) + lines.local : lines[choice];
  });
}

/** True where the same merge of its own result changes nothing more, whichever side is taken. */
function staysMerged(local: string, base: string, upstream: string): boolean {
  return (['upstream', 'local'] as const).every((side) => {
    const take = (lines: LineConflict): string => lines[side];
    const once = mergeLines(local, base, upstream, take);
    return once !== undefined && mergeLines(once, base, upstream, take) === once;
  });
}

function withEnd(lines: string): string {
  return lines.endsWith('\n') ? lines : `${lines}\n`;
}

/** One stretch that both changed: fine where they changed it alike, or each other lines of it. */
function settledLines(
  ours: readonly string[],
  old: readonly string[],
  theirs: readonly string[],
  settle: ((lines: LineConflict) => string) | undefined,
): string | undefined {
  let out = '';
  for (const { take, local, base, upstream } of cutStretch(ours, old, theirs)) {
    const [mine, other] = [ours.slice(...local).join(''), theirs.slice(...upstream).join('')];
    if (take === 'local') out += mine;
    else if (take === 'upstream') out += other;
    else if (settle === undefined) return undefined;
    else out += settle({ local: mine, base: old.slice(...base).join(''), upstream: other });
  }
  return out;
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
