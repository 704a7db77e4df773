/** One line of a list of refs. */
export interface RefLine {
  readonly oid: string;
  readonly name: string;
}

/**
 * The lines of `show-ref` (`separator` a space) and `ls-remote` (a tab). Each piece is a string of its own: a slice of
 * the whole output would hold all of it for as long as one ref is remembered, and every fetch brings another output.
 */
export function* refLines(output: Buffer, separator: ' ' | '\t'): Generator<RefLine> {
  const between = separator.charCodeAt(0);
  for (let at = 0; at < output.length;) {
    const lineFeed = output.indexOf(10, at);
    const end = lineFeed < 0 ? output.length : lineFeed;
    const space = output.indexOf(between, at);
    if (space >= 0 && space < end) {
      yield { oid: output.toString('latin1', at, space), name: output.toString('utf8', space + 1, end) };
    }
    at = end + 1;
  }
}
