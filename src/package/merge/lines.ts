import { threeWay } from '../yaml/sequence.ts';

/** Lines of one text: the comparison keeps a number for each. */
const MAX_LINES = 100_000;
/** Differing lines: the effort grows with their square. */
const MAX_EDITS = 1_000;

/**
 * Merges three texts line by line. Undefined where both sides changed the same lines to something else.
 */
export function mergeLines(local: string, base: string, upstream: string): string | undefined {
  const [d, o, u] = [local, base, upstream].map(linesOf);
  if (d === undefined || o === undefined || u === undefined) return undefined;
  if (d.length + o.length + u.length > MAX_LINES) return undefined;
  let out = '';
  let at = 0;
  for (const hunk of threeWay(o, d, u, MAX_EDITS)) {
    const [ours, old, theirs] = [d.slice(...hunk.left), o.slice(...hunk.base), u.slice(...hunk.right)];
    const lines =
      hunk.changed === 'both' ? lineByLine(ours, old, theirs) : hunk.changed === 'left' ? ours : theirs;
    if (lines === undefined) return undefined;
    out += [...o.slice(at, hunk.base[0]), ...lines].join('');
    at = hunk.base[1];
  }
  return out + o.slice(at).join('');
}

/** One stretch that both changed: fine where they changed it alike, or each other lines of it. */
function lineByLine(
  ours: readonly string[],
  old: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  if (ours.join('') === theirs.join('')) return ours;
  if (ours.length !== old.length || theirs.length !== old.length) return undefined;
  const lines: string[] = [];
  for (const [at, before] of old.entries()) {
    const [mine, other] = [ours[at] ?? '', theirs[at] ?? ''];
    if (mine !== before && other !== before && mine !== other) return undefined;
    lines.push(mine === before ? other : mine);
  }
  return lines;
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
