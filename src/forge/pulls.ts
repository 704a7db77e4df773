/** A pull request, in the fields that decide something. */
export interface Pull {
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly merged: boolean;
  readonly mergedAt: string | null;
  readonly mergedBy: string | null;
  /** The merge commit once merged; the forge's test merge before. */
  readonly mergeCommitSha: string | null;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly authorIsBot: boolean;
  readonly labels: readonly string[];
  readonly headRef: string;
  readonly headSha: string;
  /** Null when the fork is gone. */
  readonly headRepositoryId: number | null;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly htmlUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  /** Null until the forge has computed it, and always null in lists. */
  readonly mergeable: boolean | null;
  readonly mergeableState: string | null;
}

export interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean;
}

export interface PullPatch {
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
}

export interface MergeRequest {
  /** The head that was checked; the forge refuses if it moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  readonly title?: string;
  readonly message?: string;
}

export type MergeResult =
  | { readonly ok: true; readonly sha: string }
  | { readonly ok: false; readonly reason: 'moved' | 'not-mergeable' | 'blocked'; readonly message: string };

export type PullHead = { readonly branch: string } | { readonly sha: string };

export interface PullsApi {
  listOpenPulls(signal?: AbortSignal): Promise<Pull[]>;
  /** Null where there is none. With `waitForMergeable`, asks again with growing pauses (some 15 s in all). */
  getPull(
    n: number,
    options?: { readonly waitForMergeable?: boolean },
    signal?: AbortSignal,
  ): Promise<Pull | null>;
  /** Pull requests from this branch of this repository, or with this head commit; open ones unless `state` says 'all'. */
  pullsForHead(
    head: PullHead,
    options?: { readonly state?: 'open' | 'all' },
    signal?: AbortSignal,
  ): Promise<Pull[]>;
  /** Opens one; where an open one for the same head and base exists, that one is returned with `created: false`. */
  createPull(
    pull: NewPull,
    signal?: AbortSignal,
  ): Promise<{ readonly created: boolean; readonly pull: Pull }>;
  updatePull(n: number, patch: PullPatch, signal?: AbortSignal): Promise<Pull>;
  closePull(n: number, signal?: AbortSignal): Promise<void>;
  markReady(nodeId: string, signal?: AbortSignal): Promise<void>;
  convertToDraft(nodeId: string, signal?: AbortSignal): Promise<void>;
  mergePull(n: number, request: MergeRequest, signal?: AbortSignal): Promise<MergeResult>;
  /** Merges the base into the head on the forge's side; 'moved' when the head is not `expectedHeadSha`. */
  updateBranch(
    n: number,
    expectedHeadSha: string,
    signal?: AbortSignal,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: 'moved' | 'blocked'; readonly message: string }
  >;
}
