/** The merges that the conflicts of a draft come from, made again with what was decided of them. */
import { type Refusal, refuse } from '../../command/refusal.ts';
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import type { MergeNote } from '../../package/merge/merge-types.ts';
import type { PackageFiles } from '../../package/package.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { loadDownstream } from '../downstream/downstream.ts';
import { mergeOf } from '../merge/concurrent-draft.ts';
import type { MergeCommit } from '../merge/open-conflicts.ts';
import { decidedUpdate } from '../merge/update-content.ts';
import type { RepositoryWork } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { newestSealed, packagesOf } from '../seal/update-record.ts';
import { rebaseOf } from './rebased-package.ts';

interface Merged {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly notes?: readonly MergeNote[];
}

/** One package of a merge, as often as it is asked for, with these conflicts settled. */
export type RemadeMerge = (decisions: ReadonlyMap<string, Choice>) => Promise<Merged | Refusal>;

interface RemadeFor extends RepositoryWork {
  readonly snapshot: ProposalSnapshot;
  readonly directory: RepositoryDirectory;
  readonly head: string;
}

/**
 * The merge of that commit, or of the update; a refusal where what it was made of cannot be read any more: then a commit
 * by a person settles.
 */
export async function remadeMerge({
  ports,
  access,
  snapshot,
  from,
  directory,
  head,
  signal,
}: RemadeFor & {
  /** Undefined for the update that the branch is made of. */
  readonly from: MergeCommit | undefined;
}): Promise<RemadeMerge | Refusal> {
  const { git } = access;
  if (from === undefined) return remadeUpdate({ ports, access, snapshot, directory, head, signal });
  const { commit, record } = from;
  if (record.kind === 'merge') {
    const [local = '', upstream = ''] = commit.parents;
    return mergeOf({
      ports,
      git,
      commits: { base: record.base, upstream, local, taken: record.taken },
      directory,
      signal,
    });
  }
  const { facts, config } = snapshot;
  const asker = { login: record.by, id: record.byId, facts, config };
  const merge = await rebaseOf({ world: ports, access, asker }, commit, directory, signal);
  return 'kind' in merge ? changed(`the rebase cannot be repeated: ${merge.message}`) : merge;
}

async function remadeUpdate({
  ports,
  access,
  snapshot: { config, base: beside },
  directory,
  head,
  signal,
}: RemadeFor): Promise<RemadeMerge | Refusal> {
  const ours = await newestSealed(access.git, { head, base: beside }, ports.seals, signal);
  const recorded = ours && packagesOf(ours.record).find((one) => one.directory === directory);
  const path = recorded && packagePathOf(config.directory, directory);
  if (ours === null || recorded === null || recorded === undefined || path === undefined || path === null)
    return changed();
  const down = await loadDownstream(ports, { repository: access.ref, package: path }, signal);
  if ('kind' in down || !down.visible) return changed();
  const base = await access.git.commit(ours.record.base, signal);
  const update = await decidedUpdate(ports, { ...down, base }, recorded.to, signal);
  if ('kind' in update) return changed(`the update cannot be repeated: ${update.message}`);
  return async (decisions) => {
    const made = await update(decisions);
    return 'kind' in made ? changed(`the update cannot be repeated: ${made.message}`) : made;
  };
}

function changed(message = 'the update cannot be repeated with the same result'): Refusal {
  const hint = 'Settle the conflicts with a commit that changes these places.';
  return refuse('conflict-changed', message, hint);
}
