/** Pure: what an update changes in a package, as its pull request tells it. */
import type { PackageFiles } from '../package.ts';
import { diffMarkdown } from './diff-markdown.ts';
import type { PackageDiff } from './diff-types.ts';
import { countsOf, diffPackages } from './diff.ts';
import { survivingChanges } from './surviving.ts';

export interface UpdateDiffInput {
  /** The package as it stands. */
  readonly before: PackageFiles;
  readonly after: PackageFiles;
  /** The upstream revisions that it was made from and is brought to; absent where nothing was merged. */
  readonly base?: PackageFiles;
  readonly upstream?: PackageFiles;
  /** Characters for both texts. */
  readonly limit: number;
}

export interface UpdateDiff {
  /** What a cluster would see of it, as Markdown; '' where it sees nothing. */
  readonly cluster: string;
  /** What else differs, such as the Kptfile; '' where nothing does. */
  readonly own: string;
  /** The local changes that stand, a line each; undefined where nothing was merged. */
  readonly survives?: readonly string[];
}

export function updateDiff({ before, after, base, upstream, limit }: UpdateDiffInput): UpdateDiff {
  const diff = diffPackages(before, after);
  const merged = base !== undefined && upstream !== undefined;
  return {
    cluster: textOf(part(diff, false), Math.floor(limit * 0.7)),
    own: textOf(part(diff, true), Math.floor(limit * 0.3)),
    ...(merged && { survives: survivingChanges({ base, upstream, local: before, result: after }) }),
  };
}

function textOf(diff: PackageDiff, limit: number): string {
  return diff.resources.length + diff.files.length === 0 ? '' : diffMarkdown(diff, { limit });
}

/** The resources that are applied, or all else. */
function part({ resources, files }: PackageDiff, own: boolean): PackageDiff {
  const some = resources.filter(({ local = false }) => local === own);
  const others = own ? files : [];
  return {
    same: false,
    resources: some,
    files: others,
    counts: countsOf(some, others),
  };
}
