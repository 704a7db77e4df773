import type { Bump } from '../revision/numbering.ts';

/**
 * What a decision asks the shell to do, in order. Each can be done again without harm; each carries the value that
 * must still hold when it is done.
 */
export type Step =
  /** Draft pull request → ready for review. */
  | { readonly do: 'mark-ready' }
  | { readonly do: 'convert-to-draft' }
  /** Render the head again, even if nothing seems to have changed. */
  | { readonly do: 'render' }
  /** Post the caller's approval as a record, see approval-record.ts. */
  | { readonly do: 'record-approval'; readonly login: string; readonly digest: string; readonly head: string }
  /** Post the rejection as a record: approvals given before it count no more. */
  | { readonly do: 'record-rejection'; readonly login: string; readonly why: string; readonly head: string }
  /** Merge the pull request, only if its head is `sha` and its content `digest`. */
  | { readonly do: 'merge'; readonly sha: string; readonly digest: string; readonly bump?: Bump }
  /** Commit one side's values for these conflicts, only on this head. */
  | {
      readonly do: 'settle-conflicts';
      readonly numbers: readonly number[];
      readonly side: 'upstream' | 'local';
      readonly head: string;
    }
  /** Open or refresh the update pull request of a package; `to` is a revision name. */
  | { readonly do: 'request-update'; readonly package: string; readonly to: string };
