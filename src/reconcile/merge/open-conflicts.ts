import { contentAt } from '../../package/merge/conflict-place.ts';
import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import type { PackageFiles } from '../../package/package.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { CommitInfo } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import {
  readCommitRecord,
  unreadConflicts,
  type MergeRecord,
  type RebaseRecord,
} from '../seal/commit-seal.ts';
import {
  claimsConflicts,
  claimsUpdate,
  holdsConflicts,
  newestSealed,
  readConflicts,
} from '../seal/update-record.ts';
import { joinedNotes, NO_NOTES, type MergeNotes } from '../text/merge-notes.ts';
import { toldByMerge } from './concurrent-draft.ts';

/** A conflict of a proposal. */
export interface OpenConflict extends Conflict {
  /** By which people name it, from 1; a number stays its own while others are settled. */
  readonly number: number;
  /** Of the package, from the top of the repository. */
  readonly directory: RepositoryDirectory;
  /** The record had no room for its values. */
  readonly bare?: true;
  /** Stands for every conflict of its file: the record had no room for each. */
  readonly cut?: true;
}

export interface OpenConflicts {
  readonly conflicts: readonly OpenConflict[];
  /** How many there were, settled ones included. */
  readonly listed: number;
  /** Why nobody knows what is open and what is settled; false where it is known. */
  readonly lost: Lost | false;
  /** The commits whose merges they come from, by name; those of the update itself have none. */
  readonly origins: ReadonlyMap<string, MergeCommit>;
  /** For which side conflicts were settled by command, by name. */
  readonly decided: ReadonlyMap<string, Choice>;
  /** What those merges decided by themselves; what the update itself did stands in its description. */
  readonly notes: MergeNotes;
}

/** A commit of ours that holds a merge. */
export interface MergeCommit {
  readonly commit: CommitInfo;
  readonly record: MergeRecord | RebaseRecord;
}

/** Why the conflicts of a proposal cannot be told, and what helps. */
export interface Lost {
  readonly title: string;
  /** What is wrong, as a part of a sentence. */
  readonly message: string;
  /** A sentence. */
  readonly hint: string;
}

const TAKEN_OUT: Lost = {
  title: 'The list of conflicts is missing',
  message: "the list of conflicts was removed from the pull request's description",
  hint: 'Portico restores it at the next check. To decline the update, close the pull request.',
};

const UNKNOWN_SEAL: Lost = {
  title: 'A record of conflicts cannot be read',
  message:
    "a commit says that Portico recorded conflicts in it, but none of Portico's current keys sealed that record: the key was removed, the commit was rewritten, it was made in another repository, or two states of an update stand side by side",
  hint: 'Ask the operator of Portico to restore the key (SEAL_KEYS, PRIVATE_KEY_PREVIOUS), or close this pull request and make the change again on a new branch.',
};

const TOO_MANY: Lost = {
  title: 'Too many commits',
  message: 'the branch has more commits of its own than Portico searches for open conflicts',
  hint: 'Squash its commits into fewer, or make the change again on a new branch.',
};

/**
 * The conflicts of a pull request that nobody has settled: those of an update, or those of merges that Portico made of
 * the registered branch. A commit by a person that changes the place settles it, and so does one that
 * `/portico resolve` made.
 */
export async function openConflicts({
  ports,
  access: { git },
  snapshot,
  head,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals' | 'content'>;
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly snapshot: Pick<ProposalSnapshot, 'pull' | 'facts' | 'base'>;
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<OpenConflicts> {
  const { pull, facts, base } = snapshot;
  if (pull.headRepositoryId !== facts.id) return NONE;
  if (parseBranch(pull.headRef)?.kind === 'update') {
    return updateConflicts({ ports, access: { git }, snapshot, head, signal });
  }
  const log = await git.log({ from: base, to: head }, { limit: HISTORY }, signal);
  if (log.length >= HISTORY) return { ...NONE, lost: TOO_MANY };
  return after({ ports, git, first: [], commits: log.toReversed(), signal });
}

/** The same for an update's pull request, where the list stands in its body. */
export async function updateConflicts({
  ports,
  access: { git },
  snapshot: { pull, facts, base },
  head,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals' | 'content'>;
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly snapshot: Pick<ProposalSnapshot, 'pull' | 'facts' | 'base'>;
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<OpenConflicts> {
  const ours = await newestSealed(git, { head, base }, ports.seals, signal);
  if (ours === null) return { ...NONE, lost: await withoutRecord(git, pull, { head, base }, signal) };
  const key = conflictKey(facts.id, pull.headRef);
  if (!holdsConflicts(key, pull.body, ours.record, ports.seals)) return { ...NONE, lost: TAKEN_OUT };
  const listed = ours.record.conflicts === undefined ? [] : readConflicts(key, pull.body, ports.seals);
  if (listed.length === 0) return NONE;
  const { directory } = ours.record;
  const first = listed.map((conflict, at) => ({
    ...conflict,
    directory: conflict.directory ?? directory,
    number: at + 1,
  }));
  const own = await git.log({ from: base, to: head }, { limit: HISTORY }, signal);
  if (own.length >= HISTORY) return { ...NONE, lost: TOO_MANY };
  const range = { from: base, to: ours.commit.oid };
  const below = new Set((await git.log(range, { limit: HISTORY }, signal)).map(({ oid }) => oid));
  const log = own.filter(({ oid }) => !below.has(oid));
  return after({ ports, git, first, on: ours.commit, commits: log.toReversed(), signal });
}

/** An update's branch without a record of ours: somebody's own branch of such a name, or one that is not read any more. */
async function withoutRecord(
  git: RepositoryAccess['git'],
  { body }: ProposalSnapshot['pull'],
  { head, base }: { readonly head: string; readonly base: string },
  signal: AbortSignal | undefined,
): Promise<Lost | false> {
  const log = await git.log({ from: base, to: head }, { limit: HISTORY }, signal);
  if (log.some(claimsUpdate) || claimsConflicts(body)) return UNKNOWN_SEAL;
  return log.length >= HISTORY ? TOO_MANY : false;
}

/** What a conflict record is sealed for, so that it cannot be carried to another pull request. */
export function conflictKey(repository: number, branch: string): string {
  return `${repository} ${branch}`;
}

/** By which a settling commit names a conflict. */
export function conflictName({ directory, id }: Pick<OpenConflict, 'directory' | 'id'>): string {
  return `${directory}:${id}`;
}

const NONE: OpenConflicts = {
  conflicts: [],
  listed: 0,
  lost: false,
  origins: new Map(),
  decided: new Map(),
  notes: NO_NOTES,
};

/** A branch with more commits of its own is not one that people review. */
const HISTORY = 1_000;

/** Plays the commits of a branch, oldest first, over the conflicts that were there before them. */
async function after({
  ports,
  git,
  first,
  on,
  commits,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals' | 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly first: readonly OpenConflict[];
  /** The commit that these are of. */
  readonly on?: CommitInfo;
  readonly commits: readonly CommitInfo[];
  readonly signal: AbortSignal | undefined;
}): Promise<OpenConflicts> {
  let open = [...first];
  let listed = first.length;
  let unread: string[] = [];
  const origins = new Map<string, MergeCommit>();
  const decided = new Map<string, Choice>();
  const notes: MergeNotes[] = [];
  for (const commit of commits) {
    const record = readCommitRecord(commit, ports.seals);
    if (record === null) unread.push(...unreadConflicts(commit));
    if (record?.kind === 'settle') {
      open = open.filter((one) => !record.settled.includes(conflictName(one)));
      for (const name of record.settled) decided.set(name, record.side);
    } else if (record?.kind === 'merge') {
      const merged = await toldByMerge({ ports, git, commit, record, signal });
      notes.push(merged.notes);
      // The newer tells what the sides are now. Parts of one text share its place.
      open = elsewhere(open, merged.conflicts);
      for (const conflict of merged.conflicts) {
        listed += 1;
        origins.set(conflictName(conflict), { commit, record });
        decided.delete(conflictName(conflict));
        open.push({ ...conflict, number: listed });
      }
    } else if (record?.kind === 'rebase') {
      notes.push(rebaseNotes(record));
      const { directory, bare } = record;
      open = elsewhere(
        open,
        record.conflicts.map((conflict) => ({ ...conflict, directory })),
      );
      for (const conflict of record.conflicts) {
        listed += 1;
        const one = { ...conflict, directory, number: listed, ...(bare && { bare }) };
        origins.set(conflictName(one), { commit, record });
        // The same conflict once more: what was decided before is not what stands now.
        decided.delete(conflictName(one));
        open.push(one);
      }
      // What is recorded now stands in the place of what cannot be read.
      unread = unread.filter((directory) => directory !== record.directory);
    } else if (record === null && open.length > 0) {
      const began = (one: OpenConflict): string | undefined =>
        (origins.get(conflictName(one))?.commit ?? on)?.oid;
      open = await withoutSettled({ ports, git, open, began, commit, signal });
    }
  }
  return {
    conflicts: open,
    listed,
    lost: unread.length > 0 && UNKNOWN_SEAL,
    origins,
    decided,
    notes: joinedNotes(notes),
  };
}

/** What a rebase decided by itself, with the directory of the package. */
function rebaseNotes({ directory, notes = NO_NOTES }: RebaseRecord): MergeNotes {
  return { ...notes, listed: notes.listed.map((note) => ({ ...note, directory })) };
}

type Placed = Conflict & { readonly directory: RepositoryDirectory };

/** Those that are not where one of these is. */
function elsewhere(open: readonly OpenConflict[], newer: readonly Placed[]): OpenConflict[] {
  const places = new Set(newer.map(place));
  return open.filter((one) => !places.has(place(one)));
}

function place({ directory, file, resource, path }: Placed): string {
  return JSON.stringify([directory, file, resource, path]);
}

/** Merges by people bring what was decided elsewhere, renders decide nothing, and nothing is decided beside the commit with the conflict. */
async function withoutSettled({
  ports,
  git,
  open,
  began,
  commit,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals' | 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly open: readonly OpenConflict[];
  /** The commit that a conflict is in. */
  readonly began: (one: OpenConflict) => string | undefined;
  readonly commit: CommitInfo;
  readonly signal: AbortSignal | undefined;
}): Promise<OpenConflict[]> {
  const [parent] = commit.parents;
  if (commit.parents.length !== 1 || parent === undefined || isRenderCommit(commit, ports.seals)) {
    return [...open];
  }
  const changed = new Set((await git.changedPaths(parent, commit.oid, signal)).map(({ path }) => path));
  const still: OpenConflict[] = [];
  for (const conflict of open) {
    const path = fileIn(conflict.directory, conflict.file);
    const origin = began(conflict);
    const isChanged = conflict.file !== '' && changed.has(path);
    if (!isChanged || !(origin === undefined || (await git.isAncestor(origin, parent, signal))))
      still.push(conflict);
    else {
      const before = await fileAt({ git, commit: parent, path, name: conflict.file, signal });
      const now = await fileAt({ git, commit: commit.oid, path, name: conflict.file, signal });
      if (contentAt(before, conflict) === contentAt(now, conflict)) still.push(conflict);
    }
  }
  return still;
}

async function fileAt({
  git,
  commit,
  path,
  name,
  signal,
}: {
  readonly git: RepositoryAccess['git'];
  readonly commit: string;
  readonly path: string;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}): Promise<PackageFiles> {
  const bytes = await git.readFile(commit, path, signal);
  return bytes === null ? new Map() : new Map([[name, { mode: '100644', bytes }]]);
}
