/** What the reconcilers need of git. Commits, trees, blobs and tags are named by their full hexadecimal ids. */

import type { FileMode, PackageFiles } from '../package/package.ts';
import type { RepositoryDirectory } from '../revision/package-path.ts';
import type { Content } from './content-port.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Signature extends Person {
  /** ISO 8601, with the offset that the commit carries. */
  readonly date: string;
}

export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface CommitInfo extends Commit {
  /** Id of the repository on the forge that it was read in: what Portico sealed counts there alone. 0: the forge has none. */
  readonly repository: number;
}

/** Commits reachable from `to` and not from `from`, newest first. Both are commit ids or full refs. */
export interface LogRange {
  readonly from?: string;
  readonly to: string;
}

export interface LogOptions {
  /** Only commits that change this file or directory. */
  readonly path?: string;
  /** At most so many; default 1,000. */
  readonly limit?: number;
  readonly firstParent?: boolean;
}

/** A package as it is in a commit. */
export interface ReadPackage {
  /** Git's id of the package's directory: equal ids, equal packages. */
  readonly tree: string;
  /** Every file below the directory, those of subpackages included; bytes are in memory. */
  readonly files: PackageFiles;
  /** Symbolic links and submodules, which are left out. */
  readonly skipped: readonly SkippedEntry[];
}

export interface SkippedEntry {
  readonly path: string;
  readonly reason: 'symlink' | 'submodule';
  /** Git's id of the link, or the commit of the submodule. */
  readonly id: string;
  /** What the link says. */
  readonly target?: string;
}

export interface GitRef {
  /** What the ref points at: a commit, or the object of an annotated tag. */
  readonly oid: string;
  /** The commit behind the ref, annotated tags peeled. */
  readonly commit: string;
}

/** An annotated tag. */
export interface TagInfo {
  readonly object: string;
  readonly message: string;
  readonly tagger: Signature | null;
}

/** One ref to move, by compare-and-swap. */
export interface RefUpdate {
  /** Full name, such as `refs/tags/app/v3`. */
  readonly ref: string;
  /** The new object; null deletes the ref. */
  readonly to: string | null;
  /** What the remote must have now; null: the ref must not exist. */
  readonly expect: string | null;
}

export type PushResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly rejected: readonly RejectedRef[] };

/**
 * Somebody else was faster: `stale`, the ref moved or is gone; `exists`, it was to be created and is there. Refused until a person
 * changes a rule or a permission: `workflows`, no branch holds its workflow files, and the App may not write those; `signatures`, it has
 * no verified signature; `protected`, another rule or a hook of the forge said no; `denied`, the token may not. `other`: read `message`.
 */
export type RejectionReason =
  | 'exists'
  | 'stale'
  | 'protected'
  | 'denied'
  | 'workflows'
  | 'signatures'
  | 'other';

export interface RejectedRef {
  readonly ref: string;
  readonly reason: RejectionReason;
  readonly message: string;
  /** What helps, where the reason tells. */
  readonly hint?: string;
}

/** New content of a path, or null to remove the file (or the whole directory) there. */
export type FileChange = { readonly mode: FileMode; readonly bytes: Uint8Array } | null;
export type FileChanges = ReadonlyMap<string, FileChange>;

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly committer: Person;
  /** Default: the committer. */
  readonly author?: Person;
  /** Both dates; default: now. The same input with the same date is the same commit id. */
  readonly date?: Date;
}

export interface NewTag {
  /** Short name, such as `app/v3`. */
  readonly name: string;
  /** The commit. */
  readonly object: string;
  readonly message: string;
  readonly tagger: Person;
  readonly date?: Date;
}

export interface TreeMerge {
  /** The merged tree; where there are conflicts it holds git's conflict markers and must not be used as content. */
  readonly tree: string;
  /** Paths in conflict, sorted; empty when the merge is clean. */
  readonly conflicts: readonly string[];
}

/** A file that differs between two commits; `after` is null where it is gone. */
export interface PathChange {
  readonly path: string;
  readonly before: { readonly id: string } | null;
  readonly after: { readonly mode: string; readonly id: string } | null;
}

/** A directory with a Kptfile: its path below the registered directory, from the top, and its tree. */
export interface PackageDir {
  readonly path: string;
  readonly directory: RepositoryDirectory;
  readonly tree: string;
  /** The package above, or null: then this is a package and not a subpackage. */
  readonly parent: string | null;
}

/** Another repository of the same installation. */
export interface SiblingRepository {
  readonly git: Git;
  readonly facts: { readonly defaultBranch: string; readonly visibility: 'public' | 'internal' | 'private' };
}

/** The local copy of one repository. Reads answer from it; only `fetch` and `push` reach the forge. */
export interface Git {
  /** Its id on the forge; 0 where Portico is not in it. */
  readonly repository: number;
  fetch(options?: { readonly refspecs?: readonly string[] }, signal?: AbortSignal): Promise<unknown>;
  refs(prefix?: string, signal?: AbortSignal): Promise<ReadonlyMap<string, GitRef>>;
  /** The commit behind an id, a full ref, or a branch or tag name (in that order); null when there is none. */
  resolve(revision: string, signal?: AbortSignal): Promise<string | null>;
  commit(oid: string, signal?: AbortSignal): Promise<CommitInfo>;
  tag(oidOrRef: string, signal?: AbortSignal): Promise<TagInfo | null>;
  log(range: LogRange, options?: LogOptions, signal?: AbortSignal): Promise<readonly CommitInfo[]>;
  treeId(commit: string, directory: RepositoryDirectory, signal?: AbortSignal): Promise<string | null>;
  /** Content of one regular file; null where there is none. */
  readFile(commit: string, path: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  readPackage(
    commit: string,
    directory: RepositoryDirectory,
    options?: object,
    signal?: AbortSignal,
  ): Promise<ReadPackage | null>;
  findPackages(
    commit: string,
    directory: RepositoryDirectory,
    signal?: AbortSignal,
  ): Promise<readonly PackageDir[]>;
  changedPaths(from: string | null, to: string | null, signal?: AbortSignal): Promise<readonly PathChange[]>;
  mergeBase(a: string, b: string, signal?: AbortSignal): Promise<string | null>;
  /** Several where two branches were merged into each other; a merge then takes all of them into account. */
  mergeBases(a: string, b: string, signal?: AbortSignal): Promise<readonly string[]>;
  isAncestor(ancestor: string, descendant: string, signal?: AbortSignal): Promise<boolean>;
  /** Git's own three-way merge. With `base`, all three may be commits or trees; without, both must be commits. */
  mergeTrees(
    ours: string,
    theirs: string,
    options?: { readonly base?: string },
    signal?: AbortSignal,
  ): Promise<TreeMerge>;
  /** The tree id of `base` (commit, tree, or null for nothing) with the changes made. */
  writeTree(base: string | null, changes: FileChanges, signal?: AbortSignal): Promise<string>;
  commitTree(commit: NewCommit, signal?: AbortSignal): Promise<string>;
  /** Writes the tag object (no ref); the same input with the same date gives the same id. */
  writeTag(tag: NewTag, signal?: AbortSignal): Promise<string>;
  push(updates: readonly RefUpdate[], signal?: AbortSignal): Promise<PushResult>;
  /**
   * True where pushes of this process alone began the branch (its full ref) and brought it to this commit. Absent, and false
   * where nobody can tell: then the forge is asked who pushed.
   */
  movedOnlyByUs?(ref: string, head: string): boolean;
  /**
   * Another repository of the installation, `owner/name`, as it is now. Null where there is none, and where its content
   * may not come into this one: nothing of it may be told here.
   */
  siblingRepository?(name: string, signal?: AbortSignal): Promise<SiblingRepository | null>;
  /** Reads what stands in its files, which anybody may have written; absent, whoever asks reads it himself. */
  readonly content?: Pick<Content, 'configuration' | 'documents' | 'definitions' | 'channels'>;
  /** The repository with the organisation's defaults, as it is now; null where there is none. */
  organization?(signal?: AbortSignal): Promise<{ readonly git: Git; readonly defaultBranch: string } | null>;
}
