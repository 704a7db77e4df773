import type { Step } from '../command/step.ts';
import { PorticoError } from '../error.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import { packagePathOf } from '../revision/package-path.ts';
import { parseBranch } from '../revision/ref-name.ts';
import type { Asked } from './command-steps.ts';
import { sealedCommitMessage, type SettleRecord } from './commit-seal.ts';
import { loadDownstream } from './downstream.ts';
import type { FileChanges } from './git-port.ts';
import { conflictName, openConflicts, type OpenConflict } from './open-conflicts.ts';
import { filesAt } from './package-files.ts';
import { refPath } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import { changesBetween } from './proposal-render.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';
import { botPerson } from './render-commit.ts';
import { updatedPackage } from './update-content.ts';
import { newestSealed, packagesOf } from './update-record.ts';

/**
 * Commits the values of one side for these conflicts on the proposal's branch. What stands there already is only
 * recorded as settled. Throws REF_MOVED (try again) when somebody pushed meanwhile, and what people must mend with
 * blame `user`.
 */
export async function settleConflicts(
  world: World,
  access: Access,
  snapshot: ProposalSnapshot,
  asked: Asked,
  { numbers, side, head }: Extract<Step, { do: 'settle-conflicts' }>,
  signal?: AbortSignal,
): Promise<void> {
  const { git } = access;
  const { pull } = snapshot;
  const open = await openConflicts(world, access, snapshot, head, signal);
  const meant = open.conflicts.filter(({ number }) => numbers.includes(number));
  if (meant.length === 0) return;
  if (meant.some(({ bare, taken }) => bare === true && taken !== side)) throw changed();
  // What is taken stands in the branch, and nobody has touched it: to settle for it changes nothing.
  const known = meant.some(({ taken }) => taken !== side)
    ? await withValues(world, access, snapshot, meant, head, signal)
    : meant;
  const changes = new Map<string, FileChanges extends ReadonlyMap<string, infer Change> ? Change : never>();
  for (const [directory, conflicts] of Map.groupBy(known, (one) => one.directory)) {
    const before = await filesAt(git, head, directory, signal);
    const others = conflicts.filter(({ taken }) => taken !== side);
    const now = await world.content.settle({ files: before, conflicts: others, side }, signal);
    for (const [path, change] of changesBetween(directory, before, now)) changes.set(path, change);
  }
  const record: SettleRecord = {
    kind: 'settle',
    settled: known.map(conflictName),
    side,
    by: asked.login,
    comment: asked.id,
  };
  const tree = await git.writeTree(head, changes, signal);
  const parents = [head];
  const title = `Settle ${known.length === 1 ? 'a conflict' : `${known.length} conflicts`}: take ${side}\n\nRequested-By: ${asked.login}`;
  const message = sealedCommitMessage(title, record, { tree, parents }, world.seals);
  const oid = await git.commitTree({ tree, parents, message, committer: botPerson(world.app) }, signal);
  const answer = await git.push([{ ref: `refs/heads/${pull.headRef}`, to: oid, expect: head }], signal);
  if (answer.ok) return;
  const [rejected] = answer.rejected;
  if (rejected === undefined || rejected.reason === 'stale' || rejected.reason === 'exists') {
    throw new PorticoError('REF_MOVED', `${pull.headRef} moved while conflicts were settled`, {
      blame: 'forge',
      retryAfter: 1,
    });
  }
  throw new PorticoError('PUSH_REFUSED', `The forge refused the push: ${rejected.message}.`, {
    hint: 'Settle the conflicts by a commit of your own, or let the App push to this branch.',
  });
}

/** The list in a pull request's body holds values only as far as they are shown; the merge is made again for them. */
async function withValues(
  world: World,
  access: Access,
  { pull, config }: ProposalSnapshot,
  meant: readonly OpenConflict[],
  head: string,
  signal: AbortSignal | undefined,
): Promise<readonly OpenConflict[]> {
  if (parseBranch(pull.headRef)?.kind !== 'update') return meant;
  const ours = await newestSealed(access.git, head, world.seals, signal);
  if (ours === null) throw changed();
  const values = new Map<string, Conflict>();
  for (const directory of new Set(meant.map((one) => one.directory))) {
    const said = packagesOf(ours.record).find((one) => one.directory === directory);
    const path = said && packagePathOf(config.directory, refPath(directory));
    if (said === undefined || path === undefined) throw changed();
    const down = await loadDownstream(world, { repository: access.ref, package: path }, signal);
    if ('kind' in down || !down.visible) throw changed();
    const base = await access.git.commit(ours.record.base, signal);
    const updated = await updatedPackage(world, { ...down, base }, said.to, signal);
    if ('kind' in updated) throw changed();
    for (const one of updated.conflicts) values.set(conflictName({ directory, id: one.id }), one);
  }
  return meant.map((conflict) => {
    const found = values.get(conflictName(conflict));
    if (found === undefined) throw changed();
    return { ...conflict, ...found };
  });
}

function changed(): PorticoError {
  return new PorticoError('CONFLICT_CHANGED', 'The update cannot be made again as it was.', {
    hint: 'Settle the conflicts by a commit that changes the fields.',
  });
}
