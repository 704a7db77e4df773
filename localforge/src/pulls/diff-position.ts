/** Where in a diff a comment stands. */
import type { DiffSide } from '../collaboration-records.ts';

export interface DiffPlace {
  /** Lines below the first hunk header, counting later headers. */
  readonly position: number;
  readonly line: number;
  readonly side: DiffSide;
  /** The hunk from its header to the line. */
  readonly hunk: string;
}

/** All lines of a patch (without file header) on which one can comment, in order; context lines count as RIGHT. */
function placesOf(patch: string): DiffPlace[] {
  const places: DiffPlace[] = [];
  let [left, right, position] = [0, 0, -1];
  let hunk: string[] = [];
  for (const text of patch.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (text.startsWith('\\')) continue;
    position += 1;
    if (header !== null) {
      [left, right, hunk] = [Number(header[1]), Number(header[2]), [text]];
      continue;
    }
    hunk.push(text);
    const place = (side: DiffSide, line: number): DiffPlace => ({
      position,
      line,
      side,
      hunk: hunk.join('\n'),
    });
    if (text.startsWith('-')) {
      places.push(place('LEFT', left));
      left += 1;
    } else if (text.startsWith('+')) {
      places.push(place('RIGHT', right));
      right += 1;
    } else {
      // An unchanged line can be named by either side; the left one comes second.
      places.push(place('RIGHT', right), place('LEFT', left));
      left += 1;
      right += 1;
    }
  }
  return places;
}

/** The place of a line, or of a position. */
export function findPlace(
  patch: string,
  wanted: {
    readonly line?: number | undefined;
    readonly side?: DiffSide | undefined;
    readonly position?: number | undefined;
  },
): DiffPlace | undefined {
  const places = placesOf(patch);
  if (wanted.line === undefined) return places.find((place) => place.position === wanted.position);
  const side = wanted.side ?? 'RIGHT';
  return places.find((place) => place.line === wanted.line && place.side === side);
}
