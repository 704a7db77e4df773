import type { RepositoryFacts } from './repository.ts';

/** A pull request, in the fields that decide something. */
export interface Pull {
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly merged: boolean;
  readonly mergedBy: string | null;
  /** The merge commit once merged; the forge's test merge before. */
  readonly mergeCommitSha: string | null;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly headRef: string;
  readonly headSha: string;
  /** Null when the fork is gone. */
  readonly headRepositoryId: number | null;
  /** `owner/name` of it. */
  readonly headRepository?: string | null;
  readonly baseRef: string;
  /** The repository that it goes into, as it was when the pull request was read; labels are not told here. */
  readonly baseRepository?: Omit<RepositoryFacts, 'labels'>;
  readonly htmlUrl: string;
  /** Only those with write access may comment. */
  readonly locked: boolean;
  readonly labels: readonly string[];
  readonly mergedAt: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** What the forge says of merging it: `clean`, `blocked`, `behind` and others; null while it computes. */
  readonly mergeableState?: string | null;
}

export interface PullPatch {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
}

/** Pull requests: read, opened, changed. Every write may run twice. */
export interface PullsPort {
  /** Null where there is none. */
  getPull(n: number, signal?: AbortSignal): Promise<Pull | null>;
  listOpenPulls(signal?: AbortSignal): Promise<readonly Pull[]>;
  /** Pull requests from this branch of this repository; open ones unless `state` says 'all'. */
  pullsForHead(
    head: { readonly branch: string },
    options?: { readonly state?: 'open' | 'all' },
    signal?: AbortSignal,
  ): Promise<readonly Pull[]>;
  /**
   * Branch of this repository → what came from it, newest first: all that were not merged, and at least the last one that was. It is one
   * call for all branches, of another kind than `pullsForHead`, where the forge has one.
   */
  pullsOfBranches(
    branches: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Pull[]>>;
  /** Pull requests, merged ones included, that this commit is the head of or that brought it to a branch. */
  pullsForCommit(sha: string, signal?: AbortSignal): Promise<readonly Pull[]>;
  /** Opens one; where an open one for the same head and base exists, that one is returned with `created: false`. */
  createPull(
    pull: {
      readonly title: string;
      readonly body: string;
      readonly head: string;
      readonly base: string;
      readonly draft?: boolean;
    },
    signal?: AbortSignal,
  ): Promise<{ readonly created: boolean; readonly pull: Pull }>;
  updatePull(n: number, patch: PullPatch, signal?: AbortSignal): Promise<unknown>;
  closePull(n: number, signal?: AbortSignal): Promise<unknown>;
  markReady(nodeId: string, signal?: AbortSignal): Promise<unknown>;
  convertToDraft(nodeId: string, signal?: AbortSignal): Promise<unknown>;
}
