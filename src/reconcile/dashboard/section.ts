/** Pure: what all dashboards are made of. */
import { isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import { tableUpTo } from '../text/markdown-blocks.ts';

/** Rows of one table; what is left out is counted. */
const MAX_ROWS = 200;

/** Reasons that say: nothing is due. */
export const SETTLED: readonly string[] = ['up-to-date', 'not-followed', 'merged'];

export function isInside(directory: RepositoryDirectory, other: RepositoryDirectory): boolean {
  return directory !== other && isBelow(other, directory);
}

/** A heading with a table of at most `MAX_ROWS` rows. */
export function section(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `### ${title}\n\n${tableUpTo(MAX_ROWS, header, rows)}`;
}
