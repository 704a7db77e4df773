export type MergeAnswer =
  | { readonly ok: true; readonly sha: string }
  | {
      readonly ok: false;
      /**
       * 'queue': the branch takes what comes through its merge queue alone. 'forbidden': the App may not, as where a workflow
       * changes. 'busy': the forge was not done with the branches, each time that it was asked. 'stack': only the whole stack
       * that it is part of can be merged.
       */
      readonly reason: 'moved' | 'not-mergeable' | 'blocked' | 'queue' | 'forbidden' | 'busy' | 'stack';
      readonly message: string;
    };

export interface MergeRequest {
  /** The head that was checked; the forge refuses if it moved. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase';
  readonly title?: string;
  readonly message?: string;
  /** Asked before each further try, where the forge only needed a moment: whether what was checked still stands. Absent: it does. */
  readonly isStillValid?: (signal?: AbortSignal) => Promise<boolean>;
}

/** Whom GitHub names for what its merge queue merged. */
export const MERGE_QUEUE = 'github-merge-queue[bot]';

/** How a pull request gets to its base, and a commit that the forge signs. Every write may run twice. */
export interface MergingPort {
  mergePull(n: number, request: MergeRequest, signal?: AbortSignal): Promise<MergeAnswer>;
  /** Puts it into the merge queue of its base, only with this head. Whatever waits there already stays where it is. */
  enqueuePull(
    nodeId: string,
    sha: string,
    signal?: AbortSignal,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: 'moved' | 'blocked' | 'forbidden'; readonly message: string }
  >;
  /** A commit of a tree that the forge has, in the bot's name and signed by the forge. Answers its id; moves no ref. */
  createCommit(
    commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
    signal?: AbortSignal,
  ): Promise<string>;
}
