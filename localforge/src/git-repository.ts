/** The git side of one repository: a bare repository on disk, driven by git processes with a hermetic environment. */
import type { ChangedPath } from './git-graph.ts';
import type { GitPerson, TreeEntry, GitCommit } from './git-objects.ts';
import type { ObjectType } from './git-objects.ts';
import type { GitTag } from './git-objects.ts';

interface GitObject {
  readonly sha: string;
  readonly type: ObjectType;
  readonly content: Buffer;
}

export interface GitRef {
  /** `refs/heads/main` */
  readonly ref: string;
  readonly sha: string;
  readonly type: ObjectType;
}

export interface DiffFile {
  readonly path: string;
  /** Where it came from, when renamed or copied. */
  readonly previousPath: string | null;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged';
  /** The blob after the change, or before it when removed. */
  readonly sha: string;
  readonly additions: number;
  readonly deletions: number;
  /** Without the file header; undefined for binary files and very large changes. */
  readonly patch: string | undefined;
}

export type MergeResult =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly tree: string; readonly conflicts: readonly string[] };

export interface RefChange {
  readonly ref: string;
  /** null: must not exist. undefined: whatever it is. */
  readonly before: string | null | undefined;
  /** null: delete. */
  readonly after: string | null;
}

export const ZERO_SHA = '0'.repeat(40);

export interface GitRepository {
  readonly directory: string;
  /** Any object by its id (or any revision expression without user input); undefined when absent. */
  object(sha: string): Promise<GitObject | undefined>;
  commit(sha: string): Promise<GitCommit | undefined>;
  tag(sha: string): Promise<GitTag | undefined>;
  /** Only type and size. */
  info(
    sha: string,
  ): Promise<{ readonly sha: string; readonly type: ObjectType; readonly size: number } | undefined>;
  /**
   * The object that a user's word names: a full or abbreviated id, `heads/x`, `tags/x`, `refs/…`, a branch or a tag (branches first).
   * Peels to a commit unless `peel` is false. Undefined when there is none.
   */
  resolve(word: string, options?: { readonly peel?: boolean }): Promise<string | undefined>;
  /** The ref of that full name. */
  ref(name: string): Promise<GitRef | undefined>;
  /** Refs whose full name starts with `prefix`, sorted. */
  refs(prefix: string): Promise<GitRef[]>;
  /** Entries of a tree (id of a tree or a commit). With `recursive`, all below; trees themselves are in it, as GitHub shows them. */
  tree(sha: string, options?: { readonly recursive?: boolean; readonly path?: string }): Promise<TreeEntry[]>;
  /** The entry at a path of a commit or tree; undefined when there is none. */
  entry(sha: string, path: string): Promise<TreeEntry | undefined>;
  /** Paths that differ between two trees (undefined: the empty one), without looking for renames; 3,000 at most. */
  changedPaths(from: string | undefined, to: string | undefined): Promise<readonly ChangedPath[]>;
  writeBlob(content: Buffer): Promise<string>;
  /** A tree of exactly these entries (paths may have slashes), or `base` changed by them (`sha` null removes). */
  writeTree(
    entries: readonly { readonly path: string; readonly mode: string; readonly sha: string | null }[],
    base?: string,
  ): Promise<string>;
  writeCommit(commit: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly message: string;
    readonly author: GitPerson;
    readonly committer: GitPerson;
    readonly signature?: string;
  }): Promise<string>;
  writeTag(tag: {
    readonly object: string;
    readonly type: ObjectType;
    readonly name: string;
    readonly message: string;
    readonly tagger: GitPerson;
  }): Promise<string>;
  /** All or none. Gives the reason when it did not happen. No policy, no events: see `refs.ts` for those. */
  updateRefs(
    changes: readonly RefChange[],
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Best common ancestor; undefined for unrelated histories. */
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** Commits reachable from `include` and not from `exclude`, newest first unless `reverse`. */
  log(options: {
    readonly include: readonly string[];
    readonly exclude?: readonly string[];
    readonly paths?: readonly string[];
    readonly since?: string;
    readonly until?: string;
    readonly author?: string;
    readonly limit?: number;
    readonly offset?: number;
    readonly reverse?: boolean;
    readonly firstParent?: boolean;
  }): Promise<string[]>;
  /** The commits after `base` up to `head`, newest first, if they are few and in a straight line. */
  near(base: string, head: string): Promise<string[] | undefined>;
  /** How many commits `head` is ahead of and behind `base`. */
  aheadBehind(base: string, head: string): Promise<{ readonly ahead: number; readonly behind: number }>;
  /** The change from one commit or tree to another, with renames found; `from` null: everything is new. */
  diff(from: string | null, to: string, options?: { readonly patch?: boolean }): Promise<DiffFile[]>;
  /** `git diff` or `git format-patch` text. */
  diffText(from: string, to: string, format: 'diff' | 'patch'): Promise<string>;
  /** Three-way merge of two commits, with git's own choice of base. Writes the tree, moves nothing. */
  mergeTree(ours: string, theirs: string): Promise<MergeResult>;
  /** Runs a git command there, for what is not above. No argument may come from a user unless it was checked or follows `--`/`--end-of-options`. */
  run(
    args: readonly string[],
    options?: { readonly input?: string | Buffer },
  ): Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: string }>;
  close(): Promise<void>;
}
