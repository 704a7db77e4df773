/**
 * What Portico remembers about an update, kept where the update is: a sealed trailer on each commit it makes on an
 * update branch, and the open conflicts in the pull request's body. The seal is a keyed digest, so neither a commit
 * by somebody who calls himself the bot nor an edited body is taken for Portico's word.
 */

import type { Account } from '../../command/account.ts';
import type { Conflict } from '../../package/merge/conflict.ts';
import type { Keyring } from '../../revision/keyring.ts';
import { repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import {
  encodeRecord,
  isSealOf,
  openRecord,
  sealOf,
  sealRecord,
  type SealedPlace,
} from '../../revision/sealed-record.ts';
import { counted } from '../../text/counted.ts';
import { shortenValue } from '../../text/cut-text.ts';
import type { CommitInfo, Git } from '../git-port.ts';

/** What an update brings to one package. */
export interface UpdatedPackage {
  /** Package directory in the downstream repository. */
  readonly directory: RepositoryDirectory;
  /** `owner/name:directory` of the upstream. */
  readonly upstream: string;
  /** Revision that the update brings. */
  readonly to: string;
  /** Which variant it is made for, and the digest of what that asks for. */
  readonly variant?: { readonly uid: string; readonly digest: string };
  /** A person asked for this revision by command: no rollout holds it. */
  readonly asked?: true;
}

export interface UpdateRecord extends UpdatedPackage {
  /** Commit of the registered branch that it was made for. */
  readonly base: string;
  /** Packages beside the first, where a group is updated together. */
  readonly others?: readonly UpdatedPackage[];
  /** Seal of the list of conflicts in the pull request's body; absent where there are none. */
  readonly conflicts?: string;
  /** Who asked for one of these revisions; absent where nobody did. */
  readonly by?: readonly string[];
  /** The forge's numbers of their accounts, in the same order; null where it is unknown. */
  readonly byIds?: readonly (number | null)[];
  /** It was made to come without a pull request. */
  readonly direct?: DirectRecord;
}

export interface DirectRecord {
  /** What each of the packages was at, in their order; null of one that the update makes. */
  readonly from: readonly (string | null)[];
  /** Digest of the guardrails, exemptions included, that have to judge it. */
  readonly rules: string;
}

const TRAILER = 'Portico-Update: ';

/** Who asked for one of the revisions of an update. */
export function askersOfUpdate({ by = [], byIds = [] }: Pick<UpdateRecord, 'by' | 'byIds'>): Account[] {
  return by.map((login, at) => ({ login, id: byIds[at] ?? undefined }));
}

/** Every package that an update speaks of. */
export function packagesOf(record: UpdateRecord): readonly UpdatedPackage[] {
  return [record, ...(record.others ?? [])];
}

/** A conflict of one of the packages of a group, which its directory tells. */
export interface UpdateConflict extends Conflict {
  /** Absent where the update brings one package alone. */
  readonly directory?: RepositoryDirectory;
  /** Stands for every conflict of its file: there was no room for each. */
  readonly cut?: true;
}

/** A commit message that ends in the sealed record; the seal covers repository, tree and parents, so it cannot be moved. */
export function sealedMessage(
  title: string,
  record: UpdateRecord,
  commit: SealedPlace,
  seals: Keyring,
): string {
  return `${title}\n\n${TRAILER}${sealRecord({ of: 'update', at: commit }, record, seals)}\n`;
}

/** The record of a commit of ours, or null for everybody else's. */
export function readSealed(commit: CommitInfo, seals: Keyring): UpdateRecord | null {
  const line = commit.message.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith(TRAILER)) return null;
  const record = openRecord({ of: 'update', at: commit }, line.slice(TRAILER.length), seals);
  return record === undefined || record === null ? null : inOneSpelling(record as UpdateRecord);
}

/** Older versions wrote '' for the top of the repository. */
function inOneSpelling<Part extends UpdatedPackage>(record: Part & Pick<UpdateRecord, 'others'>): Part {
  const directory = repositoryDirectory(record.directory);
  const { others } = record;
  return { ...record, directory, ...(others && { others: others.map((one) => inOneSpelling(one)) }) };
}

/** True for a commit that says to be one of ours, whether or not it is. */
export function claimsUpdate(commit: CommitInfo): boolean {
  return (commit.message.trimEnd().split('\n').at(-1) ?? '').startsWith(TRAILER);
}

/** True for a body with a list of conflicts, whoever wrote it. */
export function claimsConflicts(body: string): boolean {
  return BODY.test(body);
}

/** A commit of ours, and what it says. */
export interface SealedCommit {
  readonly commit: CommitInfo;
  readonly record: UpdateRecord;
}

/** Commits of a branch that are searched for ours. */
const SEARCHED = 200;

/**
 * The newest commit of ours that a branch has beside its base, below whatever people pushed on top, in whichever order their merges
 * name it. Null where there is none, and where it cannot be told: two stand side by side, or there are more commits than are searched.
 * A branch without one of its own, such as one that is merged, has the one that it came from, as it has without `base`.
 */
export async function newestSealed(
  git: Git,
  { head, base }: { readonly head: string; readonly base?: string | undefined },
  seals: Keyring,
  signal?: AbortSignal,
): Promise<SealedCommit | null> {
  const own = base === undefined ? [] : await git.log({ from: base, to: head }, { limit: SEARCHED }, signal);
  const [newest, ...earlier] = sealedIn(own, seals);
  for (const { commit } of earlier)
    if (newest && !(await git.isAncestor(commit.oid, newest.commit.oid, signal))) return null;
  if (own.length >= SEARCHED) return null;
  if (newest !== undefined) return newest;
  const line = await git.log({ to: head }, { firstParent: true, limit: SEARCHED }, signal);
  return sealedIn(line, seals)[0] ?? null;
}

/** Newest first, as the commits are. */
function sealedIn(log: readonly CommitInfo[], seals: Keyring): SealedCommit[] {
  return log.flatMap((commit) => {
    const record = readSealed(commit, seals);
    return record === null ? [] : [{ commit, record }];
  });
}

const BODY = /<!-- portico:conflicts ([A-Za-z0-9_-]*) ([0-9a-f]+) -->/;

/** A record longer than this would not leave a body room for anything else. */
const MAX_RECORD_LENGTH = 24_000;

/** The conflicts of an update, for the top of the pull request's body; '' where there are none. */
export function conflictRecord(
  pullKey: string,
  conflicts: readonly UpdateConflict[],
  seals: Keyring,
): string {
  if (conflicts.length === 0) return '';
  const text = recordText(conflicts);
  return `<!-- portico:conflicts ${text} ${sealOf({ of: 'conflicts', pull: pullKey }, text, seals)} -->`;
}

/** What the sealed commit says of that record, so that taking it out of the body does not settle anything. */
export function conflictSeal(
  pullKey: string,
  conflicts: readonly UpdateConflict[],
  seals: Keyring,
): string | undefined {
  if (conflicts.length === 0) return undefined;
  return sealOf({ of: 'conflicts', pull: pullKey }, recordText(conflicts), seals);
}

/** True when a seal is of this list of conflicts; with none, when there is no seal. */
export function isConflictSeal(
  pullKey: string,
  conflicts: readonly UpdateConflict[],
  seal: string | undefined,
  seals: Keyring,
): boolean {
  if (seal === undefined || conflicts.length === 0) return seal === undefined && conflicts.length === 0;
  return isSealOf({ of: 'conflicts', pull: pullKey }, recordText(conflicts), seal, seals);
}

/** True when the body holds the list that the commit speaks of. */
export function holdsConflicts(
  pullKey: string,
  body: string,
  { conflicts }: Pick<UpdateRecord, 'conflicts'>,
  seals: Keyring,
): boolean {
  if (conflicts === undefined) return true;
  const [, text = '', mac = ''] = BODY.exec(body) ?? [];
  // Each may have been made with a key of its own.
  return [conflicts, mac].every((seal) => isSealOf({ of: 'conflicts', pull: pullKey }, text, seal, seals));
}

/** The conflicts that Portico wrote into a pull request's body; a changed record is none. */
export function readConflicts(pullKey: string, body: string, seals: Keyring): readonly UpdateConflict[] {
  const match = BODY.exec(body);
  if (match === null) return [];
  const [, text, mac] = match;
  const found = openRecord({ of: 'conflicts', pull: pullKey }, `${text} ${mac}`, seals);
  // The seal says that this is what conflictRecord wrote.
  return (found as readonly UpdateConflict[] | null | undefined) ?? [];
}

/** As much as fits: with values, without, one for each file. Never fewer files, because those are what is settled. */
function recordText(conflicts: readonly UpdateConflict[]): string {
  const bare = conflicts.map(({ id, file, path, taken, directory }) => ({
    id,
    file,
    resource: null,
    path,
    taken,
    ...(directory !== undefined && { directory }),
  }));
  const files = [
    ...new Map(
      bare.map((one) => [`${one.directory ?? ''}:${one.file}`, { ...one, path: '', cut: true }]),
    ).values(),
  ];
  const forms = [() => conflicts.map(shortened), () => bare, () => files].map(
    (form) => () => encodeRecord(form()),
  );
  for (const form of forms) {
    const text = form();
    if (text.length <= MAX_RECORD_LENGTH) return text;
  }
  // A conflict without a file cannot be settled by a commit: what cannot be listed stays open.
  const first = files.slice(0, 50).map((one) => ({ ...one, file: one.file.slice(0, 200) }));
  const rest = {
    id: 'more',
    file: '',
    resource: null,
    path: counted(files.length - 50, 'more file'),
    taken: 'upstream',
  };
  return encodeRecord([...first, rest]);
}

/** Values only as far as a table shows them: the record must fit into a body. */
function shortened(conflict: UpdateConflict): UpdateConflict {
  return {
    ...conflict,
    base: short(conflict.base),
    upstream: short(conflict.upstream),
    local: short(conflict.local),
  };
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= 200 ? value : shortenValue(text, 200);
}
