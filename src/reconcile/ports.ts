/**
 * What the reconcilers need of the world: git, the forge, the queue, a clock. `main.ts` hands in what fits; nothing
 * here knows who implements it. Commits, trees, blobs and tags are named by their full hexadecimal ids.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { FileMode, PackageFiles } from '../package/package.ts';
import type { FunctionRuntime } from '../package/render/function-runtime.ts';

/** A repository as the forge names it; everything is keyed by the numeric id, names may change. */
export interface RepositoryRef {
  readonly installationId: number;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

export interface CommitInfo {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string; readonly date: string };
  readonly message: string;
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
      readonly rejected: readonly {
        readonly ref: string;
        readonly reason: string;
        readonly message: string;
      }[];
    };

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
  readonly directory: string;
  readonly tree: string;
  /** The package above, or null: then this is a package and not a subpackage. */
  readonly parent: string | null;
}

/** The local copy of one repository. Reads answer from it; only `fetch` and `push` reach the forge. */
export interface Git {
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
  treeId(commit: string, path: string, signal?: AbortSignal): Promise<string | null>;
  readFile(commit: string, path: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  readPackage(
    commit: string,
    path: string,
    options?: object,
    signal?: AbortSignal,
  ): Promise<{ readonly tree: string; readonly files: PackageFiles } | null>;
  findPackages(commit: string, directory: string, signal?: AbortSignal): Promise<readonly PackageDir[]>;
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
}

export interface Pull {
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly merged: boolean;
  readonly mergedBy: string | null;
  readonly mergeCommitSha: string | null;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly headRef: string;
  readonly headSha: string;
  /** Null when the fork is gone. */
  readonly headRepositoryId: number | null;
  readonly baseRef: string;
  readonly htmlUrl: string;
  readonly locked: boolean;
  readonly mergedAt: string | null;
}

export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly authorIsBot: boolean;
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly authorIsBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  readonly commitId: string | null;
  readonly submittedAt: string | null;
}

export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
}

export interface CheckInput {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion?: 'success' | 'failure' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
}

export interface CheckRun {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly appId: number | null;
  readonly title: string | null;
  readonly startedAt: string | null;
}

export type MergeAnswer =
  | { readonly ok: true; readonly sha: string }
  | { readonly ok: false; readonly reason: 'moved' | 'not-mergeable' | 'blocked'; readonly message: string };

export type Reaction = 'eyes' | 'rocket' | 'confused' | '-1';

export interface Issue {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly author: string;
  readonly locked: boolean;
  /** Pull requests are issues too. */
  readonly isPull: boolean;
}

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly visibility: 'public' | 'internal' | 'private';
  readonly archived: boolean;
  readonly htmlUrl: string;
  readonly cloneUrl: string;
}

/** The calls made of the forge for one repository. Every write may run twice. */
export interface Forge {
  get(signal?: AbortSignal): Promise<RepositoryFacts>;
  getPull(
    n: number,
    options?: { readonly waitForMergeable?: boolean },
    signal?: AbortSignal,
  ): Promise<Pull | null>;
  listOpenPulls(signal?: AbortSignal): Promise<readonly Pull[]>;
  pullsForHead(
    head: { readonly branch: string },
    options?: { readonly state?: 'open' | 'all' },
    signal?: AbortSignal,
  ): Promise<readonly Pull[]>;
  /** Pull requests that brought this commit to a branch, merged ones included. */
  pullsForCommit(sha: string, signal?: AbortSignal): Promise<readonly Pull[]>;
  createPull(
    pull: { readonly title: string; readonly body: string; readonly head: string; readonly base: string },
    signal?: AbortSignal,
  ): Promise<{ readonly created: boolean; readonly pull: Pull }>;
  updatePull(
    n: number,
    patch: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
    signal?: AbortSignal,
  ): Promise<unknown>;
  closePull(n: number, signal?: AbortSignal): Promise<unknown>;
  markReady(nodeId: string, signal?: AbortSignal): Promise<unknown>;
  convertToDraft(nodeId: string, signal?: AbortSignal): Promise<unknown>;
  mergePull(
    n: number,
    request: {
      readonly sha: string;
      readonly method: 'merge' | 'squash' | 'rebase';
      readonly title?: string;
      readonly message?: string;
    },
    signal?: AbortSignal,
  ): Promise<MergeAnswer>;
  listReviews(n: number, signal?: AbortSignal): Promise<readonly Review[]>;
  listComments(n: number, signal?: AbortSignal): Promise<readonly Comment[]>;
  getComment(id: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  upsertSticky(n: number, marker: string, body: string, signal?: AbortSignal): Promise<unknown>;
  /** Comments of issues and pull requests of the whole repository changed since then, for the sweep. */
  listRecentComments(
    since: Date,
    signal?: AbortSignal,
  ): Promise<readonly (Comment & { readonly issue: number })[]>;
  getIssue(n: number, signal?: AbortSignal): Promise<Issue | null>;
  addReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  removeReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  listReactions(
    target: { readonly commentId: number },
    signal?: AbortSignal,
  ): Promise<readonly { readonly content: string; readonly author: string }[]>;
  permission(login: string, signal?: AbortSignal): Promise<string>;
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
  putCheck(check: CheckInput, signal?: AbortSignal): Promise<unknown>;
  listChecks(sha: string, signal?: AbortSignal): Promise<readonly CheckRun[]>;
  getRelease(tag: string, signal?: AbortSignal): Promise<{ readonly tag: string } | null>;
  upsertRelease(
    release: { readonly tag: string; readonly name: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<unknown>;
}

export interface Access {
  readonly ref: RepositoryRef;
  readonly git: Git;
  readonly forge: Forge;
}

/** A piece of work. Of two with the same kind and key that wait, the newer stays. */
export interface Job {
  readonly kind: string;
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly startAfterSeconds?: number;
  readonly priority?: number;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** `guid` is the same for every attempt, `id` is of the latest. */
export interface FailedDelivery {
  readonly id: number;
  readonly guid: string;
}

export interface World {
  /** The index of all registered repositories. */
  readonly catalog: Catalog;
  open(ref: RepositoryRef, signal?: AbortSignal): Promise<Access>;
  /** Every repository of every installation. */
  repositories(signal?: AbortSignal): Promise<readonly RepositoryRef[]>;
  /** Webhooks since then that never arrived, oldest first. */
  failedDeliveries(since: Date, signal?: AbortSignal): Promise<readonly FailedDelivery[]>;
  /** Asks the forge to send one again. */
  redeliver(id: number, signal?: AbortSignal): Promise<void>;
  enqueue(job: Job): Promise<void>;
  readonly runtime: FunctionRuntime;
  /** Identity of the set of function implementations, part of every digest. */
  readonly runtimeVersion: string;
  readonly app: { readonly id: number; readonly slug: string; readonly botLogin: string };
  /** Keyed digest with a key that only this installation of Portico knows. */
  readonly hmac: (text: string) => string;
  now(): Date;
  readonly log: Log;
}
