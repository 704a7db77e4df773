/** What the reconcilers need of git. Commits, trees, blobs and tags are named by their full hexadecimal ids. */

import type { FileMode, PackageFiles } from '../package/package.ts';
import type { RepositoryDirectory } from '../revision/package-path.ts';
import type { Content } from './content-port.ts';

export interface CommitInfo {
  /** Id of the repository on the forge that it was read in: what Portico sealed counts there alone. 0: the forge has none. */
  readonly repository: number;
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string; readonly date: string };
  readonly message: string;
}

/** A package as it is in a commit. */
export interface ReadPackage {
  readonly tree: string;
  readonly files: PackageFiles;
  /** Symbolic links and submodules, which are left out. */
  readonly skipped: readonly { readonly path: string; readonly reason: 'symlink' | 'submodule' }[];
}

export interface GitRef {
  readonly oid: string;
  /** The commit behind the ref, annotated tags peeled. */
  readonly commit: string;
}

/** An annotated tag. */
export interface TagInfo {
  readonly object: string;
  readonly message: string;
  readonly tagger: { readonly name: string; readonly email: string; readonly date: string } | null;
}

export interface RefUpdate {
  readonly ref: string;
  readonly to: string | null;
  /** What the ref must be for the update to happen; null: it must not exist. */
  readonly expect: string | null;
}

export type PushResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly rejected: readonly RejectedRef[];
    };

/**
 * `exists` and `stale`: somebody else was faster. `protected`, `denied`, `workflows` and `signatures`: refused until a person
 * changes a rule or a permission. `other`: nobody can tell.
 */
export type RejectionReason =
  | 'exists'
  | 'stale'
  | 'protected'
  | 'denied'
  | 'workflows'
  | 'signatures'
  | 'other';

/** `hint`: what helps, where the reason tells. */
export interface RejectedRef {
  readonly ref: string;
  readonly reason: RejectionReason;
  readonly message: string;
  readonly hint?: string;
}

export type FileChanges = ReadonlyMap<string, { readonly mode: FileMode; readonly bytes: Uint8Array } | null>;

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** A file that differs between two commits; `after` is null where it is gone. */
export interface PathChange {
  readonly path: string;
  readonly after: { readonly id: string } | null;
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
  resolve(revision: string, signal?: AbortSignal): Promise<string | null>;
  commit(oid: string, signal?: AbortSignal): Promise<CommitInfo>;
  tag(oidOrRef: string, signal?: AbortSignal): Promise<TagInfo | null>;
  log(
    range: { readonly from?: string; readonly to: string },
    options?: { readonly path?: string; readonly limit?: number; readonly firstParent?: boolean },
    signal?: AbortSignal,
  ): Promise<readonly CommitInfo[]>;
  treeId(commit: string, directory: RepositoryDirectory, signal?: AbortSignal): Promise<string | null>;
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
  isAncestor(ancestor: string, descendant: string, signal?: AbortSignal): Promise<boolean>;
  mergeTrees(
    ours: string,
    theirs: string,
    options?: { readonly base?: string },
    signal?: AbortSignal,
  ): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }>;
  writeTree(base: string | null, changes: FileChanges, signal?: AbortSignal): Promise<string>;
  commitTree(
    commit: {
      readonly tree: string;
      readonly parents: readonly string[];
      readonly message: string;
      readonly committer: Person;
      readonly date?: Date;
    },
    signal?: AbortSignal,
  ): Promise<string>;
  writeTag(
    tag: {
      readonly name: string;
      readonly object: string;
      readonly message: string;
      readonly tagger: Person;
      readonly date?: Date;
    },
    signal?: AbortSignal,
  ): Promise<string>;
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
  readonly content?: Pick<Content, 'configuration' | 'documents' | 'definitions'>;
  /** The repository with the organisation's defaults, as it is now; null where there is none. */
  organization?(signal?: AbortSignal): Promise<{ readonly git: Git; readonly defaultBranch: string } | null>;
}
