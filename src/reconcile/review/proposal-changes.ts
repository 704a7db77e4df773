import type { PackageDiff } from '../../package/diff/diff-types.ts';
import { lockedRef, packageVersion } from '../../package/package-version.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { RevisionStep } from '../../text/revision-text.ts';
import type { PackagePower } from '../check/power-check.ts';
import type { RepositoryWork } from '../ports.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { sidesAt } from '../repository/package-files.ts';
import { loadRevisionRefs, newestRevision, upcomingRevision } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';

/** What a proposal does to one package, as rendered; `content` compares its resources, `diff` what it may do. */
export interface PackageChange extends PackagePower {
  readonly newest: string | undefined;
  /** The revision that a merge makes; null where the package is removed. */
  readonly next: string | null;
  /** The version of the chart or operator that it then holds. */
  readonly version?: string;
  /** The revision of its upstream before and then; absent where it has none. */
  readonly upstream?: RevisionStep;
  readonly content: PackageDiff;
}

/** Compares every touched package with what it was where the proposal left the base. */
export async function loadChanges(
  { ports: { content }, access: { git }, signal }: RepositoryWork<'content', 'git'>,
  snapshot: Pick<ProposalSnapshot, 'config' | 'mergeBase' | 'packages'>,
  commit: RenderCommit,
): Promise<PackageChange[]> {
  const refs = await loadRevisionRefs(git, signal);
  const { deploy } = snapshot.config;
  return Promise.all(
    snapshot.packages.map(async ({ path, directory, trees }) => {
      const before = trees.mergeBase === null ? null : snapshot.mergeBase;
      const after = trees.head === null ? null : commit.head.oid;
      const sides = await sidesAt(git, directory, { before, after }, signal);
      const compared = await content.compare({ ...sides, ...(deploy && { deploy }) }, signal);
      return {
        path,
        directory,
        newest: newestRevision(refs, directory)?.name,
        next: trees.head === null ? null : upcomingRevision(refs, directory, snapshot.config),
        ...revisionsOf(sides.before, sides.after),
        content: compared.content,
        diff: compared.power,
      };
    }),
  );
}

function revisionsOf(before: PackageFiles, after: PackageFiles): Pick<PackageChange, 'version' | 'upstream'> {
  const version = packageVersion(after);
  const to = lockedRef(after);
  return {
    ...(version !== undefined && { version }),
    ...(to !== undefined && { upstream: { from: lockedRef(before), to } }),
  };
}
