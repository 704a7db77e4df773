/** What people committed on the branch of an update, put on top of another update. */

import { PorticoError } from '../../error.ts';
import { readKptfile, withUpstream } from '../../package/kptfile.ts';
import type { MergeNote } from '../../package/merge/merge-types.ts';
import { sameFile, type PackageFiles } from '../../package/package.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import { packagesOf, readSealed, type UpdateRecord } from '../seal/update-record.ts';

/** The commits of people between two of Portico's, or after its last one. */
export interface HumanCommitRange {
  /** The update that they stand on. */
  readonly record: UpdateRecord;
  readonly from: string;
  /** The last of them. */
  readonly to: string;
}

/** A branch with more commits of its own is not one that people review. */
const HISTORY = 500;

/** Oldest first; null where there are more commits than are looked through: whatever people did further down would be lost. `base` is the head of the registered branch: what it has is no longer the branch's own. */
export async function humanCommitRanges(
  { seals }: Pick<Ports, 'seals'>,
  git: Git,
  { base, head }: { readonly base: string; readonly head: string },
  signal?: AbortSignal,
): Promise<readonly HumanCommitRange[] | null> {
  const log = await git.log({ from: base, to: head }, { firstParent: true, limit: HISTORY }, signal);
  if (log.length >= HISTORY) return null;
  const ranges: HumanCommitRange[] = [];
  let on: Pick<HumanCommitRange, 'record' | 'from'> | undefined;
  let to: string | undefined;
  const end = (): void => {
    if (on !== undefined && to !== undefined && to !== on.from) ranges.push({ ...on, to });
  };
  for (const commit of log.toReversed()) {
    const record = readSealed(commit, seals);
    if (record !== null) {
      end();
      on = { record, from: commit.oid };
    }
    to = commit.oid;
  }
  end();
  return ranges;
}

/** Whether people have a part in what a branch brings, also below a later commit of Portico's. */
export async function hasPeoplesCommits(
  { seals }: Pick<Ports, 'seals'>,
  git: Pick<Git, 'log'>,
  { base, head }: { readonly base: string; readonly head: string },
  signal?: AbortSignal,
): Promise<boolean> {
  // What was merged into it counts, too: Portico merges the registered branch alone, and that may have been set back since.
  const log = await git.log({ from: base, to: head }, { limit: HISTORY }, signal);
  return log.length >= HISTORY || log.some((commit) => readSealed(commit, seals) === null);
}

/** One package of an update: its directory, as the update alone wants it, and as the registered branch has it. */
export interface DesiredPackage {
  readonly directory: RepositoryDirectory;
  /** The revision that it brings; undefined where the package is not updated any more. */
  readonly to: string | undefined;
  readonly files: PackageFiles;
  readonly standing: PackageFiles;
  /** Files that follow from the others: they are the update's, and made again by whoever asks. */
  readonly isDerived?: (path: string) => boolean;
}

/** A package with what people did on top. */
export interface Replayed {
  readonly files: PackageFiles;
  /** What merging their commits decided by itself. */
  readonly notes: readonly MergeNote[];
}

/**
 * The package with what people did on top, stretch by stretch; null where that meets the update. Whoever took an update
 * back off the branch declined that revision: it stays off, and another one comes as it is.
 */
export async function replayHumanCommits({
  ports: { content },
  git,
  ranges,
  wish: { directory, to, files, standing, isDerived = () => false },
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: Git;
  readonly ranges: readonly HumanCommitRange[];
  readonly wish: DesiredPackage;
  readonly signal?: AbortSignal | undefined;
}): Promise<Replayed | null> {
  let result = files;
  const notes: MergeNote[] = [];
  for (const { record, from, to: last } of ranges) {
    const [was, ours, now] = await Promise.all(
      [record.base, from, last].map((commit) => git.treeId(commit, directory, signal)),
    );
    if (ours === now) continue;
    if (was === now) {
      const declined = packagesOf(record).find((one) => one.directory === directory)?.to;
      result = declined !== undefined && declined === to ? standing : files;
      notes.length = 0;
      continue;
    }
    const written = (all: PackageFiles): PackageFiles =>
      new Map([...all].filter(([path]) => !isDerived(path)));
    const sides = {
      base: written(await filesAt(git, from, directory, signal)),
      upstream: written(result),
      local: written(await filesAt(git, last, directory, signal)),
    };
    const merged = await content.merge(sides, signal);
    const locked = merged.conflicts.length > 0 ? null : withLockOf(merged.files, result);
    if (locked === null) return null;
    result = new Map([...locked, ...[...result].filter(([path]) => isDerived(path))]);
    notes.push(...merged.notes);
  }
  return { files: result, notes };
}

/** Where the package stands is the update's business: the merge of Kptfiles leaves it to its caller. */
function withLockOf(files: PackageFiles, wanted: PackageFiles): PackageFiles | null {
  const [merged, wish] = [files.get('Kptfile'), wanted.get('Kptfile')];
  if (wish === undefined) return files;
  if (merged === undefined) return new Map([...files, ['Kptfile', wish]]);
  if (sameFile(merged, wish)) return files;
  try {
    const { upstream = null, upstreamLock = null } = readKptfile(wish.bytes).kptfile;
    const bytes = withUpstream(merged.bytes, { upstream, upstreamLock });
    return new Map([...files, ['Kptfile', { mode: merged.mode, bytes }]]);
  } catch (error) {
    // People left a Kptfile that cannot be read.
    if (error instanceof PorticoError && error.blame === 'user') return null;
    throw error;
  }
}
