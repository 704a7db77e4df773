/** Changes of a text, each in its place. */

/** Replaces a range of a text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices that do not overlap; those at one place apply in the order given. */
export function applySplices(text: string, splices: readonly Splice[], from = 0, to = text.length): string {
  const sorted = [...splices].sort((a, b) => a.start - b.start);
  let out = '';
  let at = from;
  for (const splice of sorted) {
    out += text.slice(at, Math.max(at, splice.start)) + splice.text;
    at = Math.max(at, splice.end);
  }
  return out + text.slice(at, to);
}
