import type { FileMode, PackageFiles } from '../package/package.ts';
import type { RepositoryDirectory } from '../revision/package-path.ts';

/** A ref of the mirror. Refs that lead to no commit are left out. */
export interface MirrorRef {
  /** What the ref points at: a commit, or the object of an annotated tag. */
  readonly oid: string;
  /** The commit behind it; equal to `oid` unless this is an annotated tag. */
  readonly commit: string;
  /** True for an annotated tag. */
  readonly tag: boolean;
}

/** How a ref moved during a fetch; null stands for "was not there" and "is gone". */
export interface RefChange {
  readonly before: string | null;
  readonly after: string | null;
}

/** A ref as the remote tells it; `commit` is the peeled object of an annotated tag. */
export interface RemoteRef {
  readonly oid: string;
  readonly commit: string;
}

export interface FetchOptions {
  /** Full refspecs such as `+refs/pull/7/head:refs/pull/7/head`, or commit ids. Default: heads, tags, refs/portico. */
  readonly refspecs?: readonly string[];
  /** Drop refs that the remote no longer has. Default: true with the default refspecs, else false. */
  readonly prune?: boolean;
}

interface Person {
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

/** An annotated tag object. */
export interface Tag {
  readonly oid: string;
  readonly object: string;
  readonly name: string;
  readonly tagger: Signature | null;
  readonly message: string;
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

export interface TreeEntry {
  /** Relative to the listed directory, `/`-separated. */
  readonly path: string;
  /** 100644, 100755, 120000 (symlink) or 160000 (submodule). */
  readonly mode: string;
  readonly type: 'blob' | 'commit';
  readonly id: string;
  /** Bytes; 0 for a submodule. */
  readonly size: number;
}

export interface PackageLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export interface SkippedEntry {
  readonly path: string;
  readonly reason: 'symlink' | 'submodule';
}

/** A package as it stands in a commit. */
export interface PackageTree {
  /** Git's id of the package's directory: equal ids, equal packages. */
  readonly tree: string;
  /** Every file below the directory, those of subpackages included; bytes are in memory. */
  readonly files: PackageFiles;
  /** What is in the tree but is no regular file. */
  readonly skipped: readonly SkippedEntry[];
}

/** A directory that holds a Kptfile. */
export interface PackageDir {
  /** Below the directory that was asked for, which is '.' itself. */
  readonly path: string;
  readonly directory: RepositoryDirectory;
  /** Git's id of the directory. */
  readonly tree: string;
  /** The package path of the nearest package above, or null: then this is a package and not a subpackage. */
  readonly parent: string | null;
}

export interface PathChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly before: { readonly mode: string; readonly id: string } | null;
  readonly after: { readonly mode: string; readonly id: string } | null;
}

export interface TreeMerge {
  /** The merged tree; where there are conflicts it holds git's conflict markers and must not be used as content. */
  readonly tree: string;
  /** Paths in conflict, sorted; empty when the merge is clean. */
  readonly conflicts: readonly string[];
}

/** New content of a path, or null to remove the file (or the whole directory) there. */
export type FileChange = { readonly mode: FileMode; readonly bytes: Uint8Array } | null;
export type TreeChanges = ReadonlyMap<string, FileChange>;

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

/** One ref to move, by compare-and-swap. */
export interface RefUpdate {
  /** Full name, such as `refs/tags/app/v3`. */
  readonly ref: string;
  /** The new object; null deletes the ref. */
  readonly to: string | null;
  /** What the remote must have now; null: the ref must not exist. */
  readonly expect: string | null;
}

export interface RejectedRef {
  readonly ref: string;
  /**
   * stale: the ref moved or is gone; exists: it was to be created and is there; workflows: no branch holds its workflow
   * files, and the App may not write those; signatures: it has no verified signature; protected: another rule or a hook of
   * the forge said no; denied: the token may not; other: read `message`.
   */
  readonly reason: 'stale' | 'exists' | 'workflows' | 'signatures' | 'protected' | 'denied' | 'other';
  readonly message: string;
  /** What helps, where the reason tells. */
  readonly hint?: string;
}

/** `unchanged` lists refs that stood at their new value already: a repeated push is no error. */
export type PushResult =
  | { readonly ok: true; readonly unchanged: readonly string[] }
  | { readonly ok: false; readonly rejected: readonly RejectedRef[] };

/** A bare copy of one repository. Every `commit` parameter takes a commit id or a full ref; ids are full hex ids. */
export interface Mirror extends AsyncDisposable {
  readonly dir: string;
  /** Brings the mirror up to date; returns the refs that changed. Concurrent calls for the same refs share one fetch. */
  fetch(options?: FetchOptions, signal?: AbortSignal): Promise<ReadonlyMap<string, RefChange>>;
  /** Asks the remote, without fetching. Patterns are full refs, `*` allowed; none means all. */
  remoteRefs(patterns?: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, RemoteRef>>;
  /** The mirror's refs below a prefix such as `refs/tags/`, in git's order. */
  refs(prefix?: string, signal?: AbortSignal): Promise<ReadonlyMap<string, MirrorRef>>;
  /** The commit behind an id, a full ref, or a branch or tag name (in that order); null when there is none. */
  resolve(rev: string, signal?: AbortSignal): Promise<string | null>;
  commit(oid: string, signal?: AbortSignal): Promise<Commit>;
  /** The annotated tag with this object id or full ref; null where there is none or the tag is lightweight. */
  tag(oidOrRef: string, signal?: AbortSignal): Promise<Tag | null>;
  log(range: LogRange, options?: LogOptions, signal?: AbortSignal): Promise<Commit[]>;
  /** Id of the directory at `path` ('' is the top), or null where there is no directory. */
  treeId(commit: string, path: string, signal?: AbortSignal): Promise<string | null>;
  /** Every file below, recursively; an absent path gives []. `treeish` may also be a tree id. */
  list(treeish: string, path?: string, signal?: AbortSignal): Promise<TreeEntry[]>;
  readBlob(id: string, signal?: AbortSignal): Promise<Uint8Array>;
  readBlobs(ids: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Uint8Array>>;
  /** Content of one regular file; null where there is none. */
  readFile(commit: string, path: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  /**
   * The package in a directory; null where there is no such directory. Throws PACKAGE_UNSAFE_PATH and
   * PACKAGE_TOO_LARGE (blame user).
   */
  readPackage(
    commit: string,
    path: string,
    options?: { readonly limits?: Partial<PackageLimits> },
    signal?: AbortSignal,
  ): Promise<PackageTree | null>;
  /** All directories with a Kptfile below `directory` ('/' or '' is the top), sorted by path. */
  findPackages(commit: string, directory: string, signal?: AbortSignal): Promise<PackageDir[]>;
  /** Differing files between two commits or trees, sorted; null stands for the empty tree. */
  changedPaths(a: string | null, b: string | null, signal?: AbortSignal): Promise<PathChange[]>;
  mergeBase(a: string, b: string, signal?: AbortSignal): Promise<string | null>;
  isAncestor(ancestor: string, descendant: string, signal?: AbortSignal): Promise<boolean>;
  /** Git's own three-way merge. With `base`, all three may be commits or trees; without, both must be commits. */
  mergeTrees(
    ours: string,
    theirs: string,
    options?: { readonly base?: string },
    signal?: AbortSignal,
  ): Promise<TreeMerge>;
  /** The tree id of `base` (commit, tree, or null for nothing) with the changes made. */
  writeTree(base: string | null, changes: TreeChanges, signal?: AbortSignal): Promise<string>;
  commitTree(commit: NewCommit, signal?: AbortSignal): Promise<string>;
  /** Writes the tag object (no ref); the same input with the same date gives the same id. */
  writeTag(tag: NewTag, signal?: AbortSignal): Promise<string>;
  /**
   * Moves all refs or none, each only if it stands where expected. Refusals are values; a transport error throws, and
   * then the push may or may not have happened: fetch and look.
   */
  push(updates: readonly RefUpdate[], signal?: AbortSignal): Promise<PushResult>;
}

/** What the remote did not take. */
export interface RefusedToken {
  readonly token: string;
  /** How often in a row, from 1. */
  readonly times: number;
  /** 401: git does not tell it from 403. */
  readonly status: 401;
}

/** Judges a host before git connects to it, each time. */
export interface Reach {
  /** The IP addresses that git connects to, and to no other; none: whatever the name leads to. What it throws ends the work. */
  addresses(url: URL): Promise<readonly string[]>;
  /** Asks something by HTTP where git would, without following a redirect. */
  ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

export interface MirrorOptions {
  /** Directory of the mirror; made when absent, deleted and cloned anew when damaged. */
  readonly dir: string;
  /** `https://host/owner/name.git`, without credentials. */
  readonly url: string;
  /** Whose token it is. Default: x-access-token, as GitHub wants it of Apps. */
  readonly username?: string | undefined;
  /**
   * The token for the remote; asked before every network operation, and after a refusal for what to try next: null where
   * nothing would help.
   */
  readonly token?: (refused?: RefusedToken) => Promise<string | null>;
  /** Protocols that may be used beside https: 'http' for a forge on http, 'file' for the command line. */
  readonly protocols?: readonly ('http' | 'file')[];
  readonly limits?: Partial<PackageLimits>;
  /** What the mirror may hold, in bytes of packs; past it a clone or fetch is broken off with GIT_TOO_LARGE. Default: anything. */
  readonly maxBytes?: number;
  /**
   * Where the repository is at another address of its origin now: 'followed', the default, or 'told' as GIT_MOVED, for whoever judges each
   * address.
   */
  readonly moves?: 'followed' | 'told';
  /** Of a host that somebody else named: what may be connected to. Without it, whatever the name leads to. */
  readonly reach?: Reach;
  /** Signs commits and tags that are made here; in repositories with SHA-1 alone. */
  readonly signer?: ((payload: Uint8Array) => string) | undefined;
  readonly signal?: AbortSignal;
}
