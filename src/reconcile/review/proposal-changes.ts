import type { PackageDiff } from '../../package/diff/diff-types.ts';
import { lockedRef, packageVersion } from '../../package/package-version.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { RevisionStep } from '../../text/revision-text.ts';
import type { PackagePower } from '../check/power-check.ts';
import type { Comparison } from '../content-port.ts';
import type { RepositoryWork } from '../ports.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { sidesAt } from '../repository/package-files.ts';
import { loadRevisionRefs, newestRevision, upcomingRevision } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { revisionBefore, type Comparing } from './revision-before.ts';

/**
 * What a proposal does to one package, as rendered. `content` compares its resources with what they were where the proposal left the
 * base, `diff` what it may do with its newest revision: privileges that no revision has are new, whoever brought them to the base.
 */
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

/** Compares every package that a proposal touches. */
export async function loadChanges(
  { ports, access, signal }: RepositoryWork<'now' | 'app' | 'seals' | 'content'>,
  snapshot: Comparing & Pick<ProposalSnapshot, 'packages'>,
  commit: RenderCommit,
): Promise<PackageChange[]> {
  const { git } = access;
  const refs = await loadRevisionRefs(git, signal);
  const { deploy } = snapshot.config;
  return Promise.all(
    snapshot.packages.map(async ({ path, directory, trees }) => {
      const before = trees.mergeBase === null ? null : snapshot.mergeBase;
      const after = trees.head === null ? null : commit.head.oid;
      const sides = await sidesAt(git, directory, { before, after }, signal);
      const compare = (one: typeof sides): Promise<Comparison> =>
        ports.content.compare({ ...one, ...(deploy && { deploy }) }, signal);
      const compared = await compare(sides);
      const at = { snapshot, refs, directory, tree: trees.mergeBase };
      const since = await revisionBefore({ ports, access, signal }, at);
      const tree = since === null ? null : await git.treeId(since, directory, signal);
      const { power } =
        tree === trees.mergeBase
          ? compared
          : await compare(await sidesAt(git, directory, { before: since, after }, signal));
      return {
        path,
        directory,
        newest: newestRevision(refs, directory)?.name,
        next: trees.head === null ? null : upcomingRevision(refs, directory, snapshot.config),
        ...revisionsOf(sides.before, sides.after),
        content: compared.content,
        diff: power,
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
