/**
 * Pure: what Portico remembers about a commit that it made on somebody's branch, as the last line of its message. The
 * seal is a keyed digest over the repository, the record, the tree and the parents, so neither a commit by somebody who
 * calls himself the bot, nor a record that was moved to another commit, nor one that Portico made in another repository
 * is taken for its word.
 */

import type { ChannelChange } from '../../channels/change-file.ts';
import type { Conflict } from '../../package/merge/conflict.ts';
import type { Keyring } from '../../revision/keyring.ts';
import { repositoryDirectory, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { decodeRecord, openRecord, sealRecord, type SealedPlace } from '../../revision/sealed-record.ts';
import type { CommitInfo } from '../git-port.ts';
import type { MergeNotes } from '../text/merge-notes.ts';

/** The forge's number of the account of `by`; absent in records that were made before it was kept. */
type ById = number | undefined;

/** The registered branch's packages were merged into a proposal's. */
export interface MergeRecord {
  readonly kind: 'merge';
  /** Package directories from the top of the repository. */
  readonly directories: readonly RepositoryDirectory[];
  /** The commit that both sides came from. */
  readonly base: string;
  /** The side that stands in it where both changed the same field; in merges of older versions the registered branch's. */
  readonly taken?: 'local';
  /** `<directory>:<id>` of conflicts in fields that functions write: they are settled with those that they follow from. */
  readonly following?: readonly string[];
}

/** Conflicts that a person settled by command. */
export interface SettleRecord {
  readonly kind: 'settle';
  /** `<directory>:<id>` of each. */
  readonly settled: readonly string[];
  readonly side: 'upstream' | 'local' | 'both';
  readonly by: string;
  readonly byId?: ById;
  /** The comment with the command. */
  readonly comment: number;
}

/** A package's directory was removed. */
export interface DeletionRecord {
  readonly kind: 'deletion';
  readonly directory: RepositoryDirectory;
  readonly by: string;
  readonly byId?: ById;
  readonly comment: number;
}

/** Which command made a commit: a command that was carried out is known again by it. */
interface ByCommand {
  readonly directory: RepositoryDirectory;
  readonly by: string;
  readonly byId?: ById;
  /** The comment with the command, and its place among the commands there. */
  readonly comment: number;
  readonly index: number;
  /** It took content of a registered repository that no one published: its authors are unknown. */
  readonly unpublished?: true;
}

/** The first commit of a draft that was made by command. */
export interface DraftRecord extends ByCommand {
  readonly kind: 'draft';
  readonly source: 'init' | 'clone' | 'copy' | 'edit' | 'rollback';
  /** Revision or upstream that the content is from. */
  readonly from?: string;
  /** Somebody who may approve wanted it although it fails today's guardrails. */
  readonly anyway?: true;
}

/** A commit that a command added to a branch. */
export interface ChangeRecord extends ByCommand {
  readonly kind: 'change';
  readonly what: 'eval' | 'init' | 'clone' | 'remove';
}

/** A package was moved onto another upstream; the conflicts have their values where those fit. */
export interface RebaseRecord extends ByCommand {
  readonly kind: 'rebase';
  readonly to: string;
  readonly conflicts: readonly Conflict[];
  /** True where the values of conflicts were left out. */
  readonly bare?: true;
  /** What the merge decided by itself; absent where there is nothing, and in commits of older versions. */
  readonly notes?: MergeNotes;
}

/** Channel files were changed. */
export interface ChannelsRecord extends Omit<ByCommand, 'directory'> {
  readonly kind: 'channels';
  /** In their order; several where they were put onto another base together. */
  readonly changes: readonly AskedChange[];
  /** The branch begins anew with it: what stands below it counts no more. */
  readonly anew?: true;
}

/** A change, and who asked for it where. */
export interface AskedChange {
  readonly change: ChannelChange;
  /** Of the operator in the revision that changes, such as `13.0.1`. */
  readonly version?: string;
  readonly by: string;
  readonly byId?: ById;
  /** Issue or pull request; absent where Portico began by itself. */
  readonly askedIn?: number;
  /** `2026-08-01`, of the command. */
  readonly day: string;
}

/** The file that registers a repository was offered. */
export interface OnboardingRecord {
  readonly kind: 'onboarding';
}

/** What a check's button committed. */
export interface FixRecord {
  readonly kind: 'fix';
  readonly check: string;
  readonly by: string;
  readonly byId?: ById;
}

export type CommandRecord = DraftRecord | ChangeRecord | RebaseRecord;

export type CommitRecord =
  | OnboardingRecord
  | MergeRecord
  | SettleRecord
  | DeletionRecord
  | FixRecord
  | ChannelsRecord
  | CommandRecord;

const TRAILER = 'Portico-Commit: ';

/** The whole message of a commit that is not made yet. */
export function sealedCommitMessage(
  title: string,
  record: CommitRecord,
  commit: SealedPlace,
  seals: Keyring,
): string {
  return `${title}\n\n${TRAILER}${sealRecord({ of: 'commit', at: commit }, record, seals)}\n`;
}

/** The record of a commit of ours; null for everybody else's. */
export function readCommitRecord(commit: CommitInfo, seals: Keyring): CommitRecord | null {
  const line = commit.message.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith(TRAILER)) return null;
  const record = openRecord({ of: 'commit', at: commit }, line.slice(TRAILER.length), seals);
  // The seal says that this is what sealedCommitMessage wrote.
  return record === undefined ? null : inOneSpelling(record as CommitRecord);
}

/** Older versions wrote '' for the top of the repository. */
function inOneSpelling(record: CommitRecord): CommitRecord {
  switch (record.kind) {
    case 'merge': {
      const { directories, following } = record;
      const known = { ...record, directories: directories.map(repositoryDirectory) };
      return following === undefined ? known : { ...known, following: following.map(conflictKey) };
    }
    case 'settle':
      return { ...record, settled: record.settled.map(conflictKey) };
    case 'deletion':
    case 'draft':
    case 'change':
    case 'rebase':
      return { ...record, directory: repositoryDirectory(record.directory) };
    case 'onboarding':
    case 'fix':
    case 'channels':
      return record;
  }
}

/** `<directory>:<id>` */
function conflictKey(written: string): string {
  return written.startsWith(':') ? `${TOP}${written}` : written;
}

/**
 * Packages in which a commit says to have recorded conflicts, though no known key sealed it: nobody knows whether those
 * are settled. A commit that was only carried elsewhere (rebased, cherry-picked) brings its words along, but no merge.
 */
export function unreadConflicts(commit: CommitInfo): readonly string[] {
  const line = commit.message.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith(TRAILER)) return [];
  const claim = claimIn(line.slice(TRAILER.length).split(' ', 1)[0] ?? '');
  if (claim['kind'] === 'merge') return commit.parents.length > 1 ? texts(claim['directories']) : [];
  const { kind, conflicts } = claim;
  return kind === 'rebase' && Array.isArray(conflicts) && conflicts.length > 0
    ? texts([claim['directory']])
    : [];
}

/** Anybody may have written it. */
function claimIn(text: string): Readonly<Record<string, unknown>> {
  const value = decodeRecord(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function texts(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((one): one is string => typeof one === 'string') : [];
}

/** The record of a commit that a command made; null for every other. */
export function commandRecord(commit: CommitInfo, seals: Keyring): CommandRecord | null {
  const record = readCommitRecord(commit, seals);
  if (record === null) return null;
  return record.kind === 'draft' || record.kind === 'change' || record.kind === 'rebase' ? record : null;
}
