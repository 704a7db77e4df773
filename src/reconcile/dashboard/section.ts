/** Pure: what all dashboards are made of. */
import { TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { tableUpTo } from '../text/markdown-blocks.ts';

/** Rows of one table; what is left out is counted. */
const MAX_ROWS = 200;

/** Reasons that say: nothing is due. */
export const SETTLED: readonly string[] = ['up-to-date', 'not-followed', 'merged'];

/** Packages that lie in no other one: subpackages are part of their package. A repository may have ten thousand. */
export function outermost<One extends { readonly directory: RepositoryDirectory }>(
  packages: readonly One[],
): One[] {
  const all = new Set<string>(packages.map(({ directory }) => directory));
  return packages.filter(({ directory }) => {
    if (directory === TOP) return true;
    for (let end = directory.lastIndexOf('/'); end > 0; end = directory.lastIndexOf('/', end - 1)) {
      if (all.has(directory.slice(0, end))) return false;
    }
    return !all.has(TOP);
  });
}

/** A heading with a table of at most `MAX_ROWS` rows. */
export function section(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `### ${title}\n\n${tableUpTo(MAX_ROWS, header, rows)}`;
}
