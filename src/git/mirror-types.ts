import type {
  Commit,
  Git,
  GitRef,
  LogOptions,
  LogRange,
  PackageDir,
  PushResult as Pushed,
  ReadPackage,
  RefUpdate,
  TagInfo,
} from '../reconcile/git-port.ts';

/** A ref of the mirror. Refs that lead to no commit are left out. */
export interface MirrorRef extends GitRef {
  /** True for an annotated tag. */
  readonly tag: boolean;
}

/** How a ref moved during a fetch; null stands for "was not there" and "is gone". */
export interface RefChange {
  readonly before: string | null;
  readonly after: string | null;
}

export interface FetchOptions {
  /** Full refspecs such as `+refs/pull/7/head:refs/pull/7/head`, or commit ids. Default: heads, tags, refs/portico. */
  readonly refspecs?: readonly string[];
  /** Drop refs that the remote no longer has. Default: true with the default refspecs, else false. */
  readonly prune?: boolean;
}

/** An annotated tag object. */
export interface Tag extends TagInfo {
  readonly oid: string;
  readonly name: string;
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

export interface PathChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly before: { readonly mode: string; readonly id: string } | null;
  readonly after: { readonly mode: string; readonly id: string } | null;
}

/** `unchanged` lists refs that stood at their new value already: a repeated push is no error. */
export type PushResult =
  | { readonly ok: true; readonly unchanged: readonly string[] }
  | Extract<Pushed, { ok: false }>;

/** A bare copy of one repository. Every `commit` parameter takes a commit id or a full ref; ids are full hex ids. */
export interface Mirror
  extends
    AsyncDisposable,
    Pick<
      Git,
      | 'resolve'
      | 'readFile'
      | 'mergeBase'
      | 'mergeBases'
      | 'isAncestor'
      | 'mergeTrees'
      | 'writeTree'
      | 'commitTree'
      | 'writeTag'
    > {
  readonly dir: string;
  /** Brings the mirror up to date; returns the refs that changed. Concurrent calls for the same refs share one fetch. */
  fetch(options?: FetchOptions, signal?: AbortSignal): Promise<ReadonlyMap<string, RefChange>>;
  /** Asks the remote, without fetching. Patterns are full refs, `*` allowed; none means all. */
  remoteRefs(patterns?: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, GitRef>>;
  /** The mirror's refs below a prefix such as `refs/tags/`, in git's order. */
  refs(prefix?: string, signal?: AbortSignal): Promise<ReadonlyMap<string, MirrorRef>>;
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
  /**
   * The package in a directory; null where there is no such directory. Throws PACKAGE_UNSAFE_PATH and
   * PACKAGE_TOO_LARGE (blame user).
   */
  readPackage(
    commit: string,
    path: string,
    options?: { readonly limits?: Partial<PackageLimits> },
    signal?: AbortSignal,
  ): Promise<ReadPackage | null>;
  /** All directories with a Kptfile below `directory` ('/' or '' is the top), sorted by path. */
  findPackages(commit: string, directory: string, signal?: AbortSignal): Promise<PackageDir[]>;
  /** Differing files between two commits or trees, sorted; null stands for the empty tree. */
  changedPaths(a: string | null, b: string | null, signal?: AbortSignal): Promise<PathChange[]>;
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
