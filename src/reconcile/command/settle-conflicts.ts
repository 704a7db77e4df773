import { shown } from '../../command/arguments.ts';
import { type Refusal, refuse } from '../../command/refusal.ts';
import type { Step } from '../../command/step.ts';
import { PorticoError } from '../../error.ts';
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import { samePlaces } from '../../package/merge/follow.ts';
import { MERGE_FILE, rememberLocal } from '../../package/merge/local-owns.ts';
import type { MergeNote } from '../../package/merge/merge-types.ts';
import { sameFile, type PackageFiles } from '../../package/package.ts';
import { fileIn, packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { type RemadeMerge, remadeMerge } from '../draft/remade-merge.ts';
import type { FileChange, FileChanges } from '../git-port.ts';
import {
  conflictName,
  openConflicts,
  type OpenConflict,
  type OpenConflicts,
} from '../merge/open-conflicts.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { filesAt } from '../repository/package-files.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushOnHead, type HeadCommit } from '../repository/push-commit.ts';
import { pushRefused } from '../repository/refused-push.ts';
import { sealedCommitMessage, type SettleRecord } from '../seal/commit-seal.ts';
import type { CommandRequest } from '../step-outcome.ts';
import { joinedNotes, mergeNotes, type MergeNotes } from '../text/merge-notes.ts';

export interface Settled {
  readonly commit: string;
  /** What the merge decides by itself now that these are settled, and did not decide before. */
  readonly notes: MergeNotes;
}

/** None of the conflicts that were meant is open any more. */
export interface NothingMeant {
  readonly commit: null;
  /** The others that are. */
  readonly open: readonly OpenConflict[];
}

interface Settlement extends RepositoryWork {
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: 'settle-conflicts' }>;
}

/**
 * Commits what the merge would have been, had these conflicts taken this side, on the proposal's branch. What stands
 * there already is only recorded as settled. A refusal where the decision would not stand as it is recorded, else the
 * commit and what the merge has to tell of it. Throws REF_MOVED (try again) when somebody pushed meanwhile.
 */
export async function settleConflicts(settlement: Settlement): Promise<Refusal | Settled | NothingMeant> {
  const { ports, access, snapshot, asked, step, signal } = settlement;
  const { git } = access;
  const { pull } = snapshot;
  const { numbers, side, head, remember } = step;
  const open = await openConflicts({ ports, access, snapshot, head, signal });
  const meant = open.conflicts.filter(({ number }) => numbers.includes(number));
  if (meant.length === 0) return { commit: null, open: open.conflicts };
  const strange = remember === true ? meant.find((one) => !isFromUpstream(one, open)) : undefined;
  if (strange !== undefined) return notFromUpstream(strange);
  const changes = new Map<string, FileChange>();
  const notes: MergeNotes[] = [];
  // What is taken stands in the branch, and nobody has touched it: to settle for it changes nothing.
  const others = meant.filter(({ taken }) => taken !== side);
  for (const [directory, conflicts] of Map.groupBy(others, (one) => one.directory)) {
    const taken = await settledPackage(settlement, open, { directory, conflicts });
    if ('kind' in taken) return taken;
    for (const [path, change] of taken.changes) changes.set(path, change);
    notes.push(...taken.notes);
  }
  for (const [directory, conflicts] of Map.groupBy(remember === true ? meant : [], (one) => one.directory)) {
    const before = await filesAt(git, head, directory, signal);
    const made = remembered(before, conflicts, asked.login);
    if ('kind' in made) return made;
    const file = made.files.get(MERGE_FILE);
    if (file !== undefined && !sameFile(file, before.get(MERGE_FILE)))
      changes.set(fileIn(directory, MERGE_FILE), file);
  }
  const record: SettleRecord = {
    kind: 'settle',
    settled: meant.map(conflictName),
    side,
    by: asked.login,
    byId: asked.accountId,
    comment: asked.id,
  };
  const title = `Settle ${meant.length === 1 ? 'a conflict' : `${meant.length} conflicts`}: take ${side}\n\nRequested-By: ${asked.login}`;
  const commit: HeadCommit = {
    branch: pull.headRef,
    parents: [head],
    changes,
    message: (place) => sealedCommitMessage(title, record, place, ports.seals),
  };
  const answer = await pushOnHead(ports, git, commit, signal);
  if (answer.kind === 'pushed') return { commit: answer.oid, notes: joinedNotes(notes) };
  throw pushRefused(
    pull.headRef,
    answer.rejected,
    'Settle the conflicts with a commit of your own, or allow the App to push to this branch.',
  );
}

interface InPackage {
  readonly directory: RepositoryDirectory;
  readonly conflicts: readonly OpenConflict[];
}

/** What changes in one package where its conflicts take the side, merge by merge; or why that cannot be. */
async function settledPackage(
  { ports, access, snapshot, step: { side, head }, signal }: Settlement,
  open: OpenConflicts,
  { directory, conflicts }: InPackage,
): Promise<{ readonly changes: FileChanges; readonly notes: readonly MergeNotes[] } | Refusal> {
  const before = await filesAt(access.git, head, directory, signal);
  const notes: MergeNotes[] = [];
  let now = before;
  for (const [from, group] of Map.groupBy(conflicts, (one) => open.origins.get(conflictName(one)))) {
    const merge = await remadeMerge({ ports, access, snapshot, from, directory, head, signal });
    if ('kind' in merge) return merge;
    const asWished = { group, side, decided: open.decided, directory };
    const settled = await settledIn({ ports, merge, current: now, asWished, signal });
    if ('kind' in settled) return settled;
    now = settled.files;
    notes.push(mergeNotes(settled.notes.map((note) => ({ ...note, directory }))));
  }
  const settling = { directory, conflicts, before, now };
  const overwritten = await overwrittenIn({ ports, access, signal }, snapshot, settling);
  return overwritten === undefined
    ? { changes: changesBetween(directory, before, now), notes }
    : rendered(overwritten);
}

/** Conflicts of an update or of a rebase; what the registered branch changed is of the package itself. */
function isFromUpstream(one: OpenConflict, { origins }: OpenConflicts): boolean {
  return origins.get(conflictName(one))?.record.kind !== 'merge' && one.cut !== true;
}

function notFromUpstream({ number }: OpenConflict): Refusal {
  return refuse(
    'not-remembered',
    `conflict ${number} cannot be remembered: it is not one field that upstream and this package changed`,
    'Settle it without `--remember`.',
  );
}

/** The package with lines for these conflicts, or why there can be none. */
function remembered(
  files: PackageFiles,
  conflicts: readonly Conflict[],
  login: string,
): { readonly files: PackageFiles } | Refusal {
  try {
    return { files: rememberLocal(files, conflicts, login) };
  } catch (error) {
    if (!(error instanceof PorticoError) || error.code !== 'MERGE_FILE_INVALID') throw error;
    return refuse('not-remembered', error.message, error.hint ?? 'Settle it without `--remember`.');
  }
}

interface Group {
  readonly group: readonly OpenConflict[];
  readonly side: Choice;
  readonly decided: ReadonlyMap<string, Choice>;
  readonly directory: RepositoryDirectory;
}

/** The package with these conflicts of one merge settled, or why that cannot be. */
async function settledIn({
  ports: { content },
  merge,
  current,
  asWished: { group, side, decided, directory },
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly merge: RemadeMerge;
  readonly current: PackageFiles;
  readonly asWished: Group;
  readonly signal: AbortSignal | undefined;
}): Promise<{ readonly files: PackageFiles; readonly notes: readonly MergeNote[] } | Refusal> {
  const first = await merge(new Map());
  if ('kind' in first) return first;
  const { conflicts } = first;
  const earlier = new Map(
    conflicts.flatMap(({ id }) => {
      const known = decided.get(conflictName({ directory, id }));
      return known === undefined ? [] : [[id, known] as const];
    }),
  );
  const decisions = new Map(earlier);
  for (const one of group) {
    const found = conflicts.filter(({ id, file }) => (one.cut === true ? file === one.file : id === one.id));
    if (found.length === 0) return changedSince(one);
    if (side === 'both' && found.some((conflict) => conflict.both !== true)) return notBoth(one);
    for (const { id } of found) decisions.set(id, side);
  }
  const before = earlier.size === 0 ? first : await merge(earlier);
  if ('kind' in before) return before;
  const after = await merge(decisions);
  if ('kind' in after) return after;
  const settled = await content.settle({ before: before.files, after: after.files, current }, signal);
  const [met] = settled.conflicts;
  if (met !== undefined) return changedSince(met);
  const known = new Set(before.notes?.map(({ file, message }) => `${file}: ${message}`));
  const notes = (after.notes ?? []).filter(({ file, message }) => !known.has(`${file}: ${message}`));
  return { files: settled.files, notes };
}

function notBoth({ number, path }: OpenConflict): Refusal {
  return refuse(
    'not-both',
    `conflict ${number}${path === '' ? '' : ` (${shown(path)})`} cannot keep both: it is not one place to which both sides only added`,
    'Choose `upstream` or `local`, or settle it with a commit.',
  );
}

function changedSince({ file, path }: Conflict): Refusal {
  const place = path === '' ? shown(file) : `${shown(path)} in ${shown(file)}`;
  return refuse(
    'conflict-changed',
    `${place} has changed since the merge`,
    'Settle this conflict with a commit that changes this field. Other conflicts can be settled by number.',
  );
}

interface Settling extends InPackage {
  readonly before: PackageFiles;
  readonly now: PackageFiles;
}

/** A field whose value would not stand, because a function overwrites it. */
async function overwrittenIn(
  { ports, access: { git }, signal }: RepositoryWork,
  { config, base, writable }: ProposalSnapshot,
  { directory, conflicts, before, now }: Settling,
): Promise<OpenConflict | undefined> {
  const fields = conflicts.filter(({ path }) => path !== '');
  if (fields.length === 0) return undefined;
  const path = packagePathOf(config.directory, directory) ?? directory;
  const render = await packageRenderer(ports, { git, config, base, path, writable }, signal);
  const [first, second] = [await render(before), await render(now)];
  // A package that does not render has a failing check, which says so.
  return first.ok && second.ok ? samePlaces(fields, first.files, second.files)[0] : undefined;
}

/** Nothing is recorded as settled for a side while another value stands. */
function rendered({ file, path, taken }: OpenConflict): Refusal {
  return refuse(
    'conflict-rendered',
    `functions of the package overwrite ${shown(path)} in ${shown(file)}, whichever side is taken`,
    `Change the configuration of the functions, and settle this conflict with ${taken}.`,
  );
}
