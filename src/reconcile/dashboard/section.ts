/** Pure: what all dashboards are made of. */
import { tableUpTo } from '../text/markdown-blocks.ts';

/** Rows of one table; what is left out is counted. */
const MAX_ROWS = 200;

/** Reasons that say: nothing is due. */
export const SETTLED: readonly string[] = ['up-to-date', 'not-followed', 'merged'];

export function isInside(directory: string, other: string): boolean {
  return directory !== other && (other === '.' || directory.startsWith(`${other}/`));
}

/** A heading with a table of at most `MAX_ROWS` rows. */
export function section(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `### ${title}\n\n${tableUpTo(MAX_ROWS, header, rows)}`;
}
