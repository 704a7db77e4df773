import { threeWay } from '../yaml/sequence.ts';

const MOST_LINES = 100_000;

/**
 * Merges three texts line by line. Undefined where both sides changed the same lines to something else.
 */
export function mergeLines(local: string, base: string, upstream: string): string | undefined {
  const [d, o, u] = [local, base, upstream].map(linesOf);
  if (d === undefined || o === undefined || u === undefined) return undefined;
  if (d.length + o.length + u.length > MOST_LINES) return undefined;
  let out = '';
  let at = 0;
  for (const hunk of threeWay(o, d, u)) {
    const ours = d.slice(...hunk.left).join('');
    const theirs = u.slice(...hunk.right).join('');
    if (hunk.changed === 'both' && ours !== theirs) return undefined;
    out += o.slice(at, hunk.base[0]).join('') + (hunk.changed === 'left' ? ours : theirs);
    at = hunk.base[1];
  }
  return out + o.slice(at).join('');
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
