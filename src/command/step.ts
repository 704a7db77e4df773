import type { ChannelRequest } from '../channels/change-file.ts';
import type { Bump } from '../revision/numbering.ts';
import type { BulkRequest } from './bulk-request.ts';
import type { Retirement } from './command-state.ts';
import type { DiffEnd } from './diff-end.ts';
import type { DraftChange, DraftRequest } from './draft-request.ts';

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
  | {
      readonly do: 'merge';
      readonly sha: string;
      readonly digest: string;
      readonly bump?: Bump;
      /** Approvals of the same change elsewhere that counted, for the tag to name. */
      readonly approvedElsewhere?: readonly string[];
    }
  /** Commit the values of one side, or of both, for these conflicts, only on this head. */
  | {
      readonly do: 'settle-conflicts';
      readonly numbers: readonly number[];
      readonly side: 'upstream' | 'local' | 'both';
      readonly head: string;
      /** Write into the package that it owns these fields. */
      readonly remember?: true;
    }
  | BulkStep
  /** Open a proposal that removes a package. */
  | { readonly do: 'propose-deletion'; readonly package: string }
  /** Record in the issue that somebody asks to retire a revision. */
  | {
      readonly do: 'request-retirement';
      readonly package: string;
      readonly revision: string;
      readonly login: string;
    }
  /** Take the tag away, only while it is what it was; the ledger keeps the number. */
  | ({ readonly do: 'retire'; readonly approvedBy: string } & Retirement)
  | ({ readonly do: 'reject-retirement'; readonly rejectedBy: string; readonly why: string } & Retirement)
  /** Open or refresh the update pull request of a package; `to` is a revision name. */
  | { readonly do: 'request-update'; readonly package: string; readonly to: string }
  /** Make the branch of a draft and open its pull request; refused where another stands there. */
  | { readonly do: 'create-draft'; readonly draft: DraftRequest }
  /** Add a commit to the branch of the pull request. */
  | { readonly do: 'change-draft'; readonly change: DraftChange }
  | {
      readonly do: 'show-diff';
      readonly packages: readonly string[];
      readonly from: DiffEnd;
      readonly to: DiffEnd;
    }
  | { readonly do: 'pause-updates'; readonly package: string; readonly login: string }
  | { readonly do: 'resume-updates'; readonly package: string }
  /**
   * Record an order about the newest revision of what a rollout is about; of one package alone, and only while that revision is its newest,
   * where these are named.
   */
  | {
      readonly do: 'order-rollout';
      readonly action: 'stop' | 'resume' | 'skip' | 'approve' | 'restart' | 'hold' | 'release';
      readonly rollout: string;
      readonly wave?: string;
      readonly package?: string;
      readonly revision?: string;
      readonly login: string;
    }
  /** Say which wave each downstream is in, and what opens it. */
  | { readonly do: 'plan-rollout'; readonly rollout: string }
  /**
   * Say where each downstream of these revisions would go, and order it: of one package at once, of more only if that was confirmed.
   */
  | {
      readonly do: 'roll-back';
      readonly rollout: string;
      /** Path of the package; absent: all of the rollout. */
      readonly package?: string;
      /** The revision to be withdrawn; absent: the newest. */
      readonly revision?: string;
      readonly isConfirmed: boolean;
      readonly login: string;
    }
  /** Propose one change of a channel file, in this pull request where it is about channels. */
  | { readonly do: 'change-channels'; readonly change: ChannelRequest }
  /** Show what each package downstream gets next: of one package, or of all of the repository. */
  | { readonly do: 'show-plan'; readonly package?: string }
  /** Show which jobs and updates of the pull request wait, or of the repository. */
  | { readonly do: 'show-work' }
  /** Stop the work on the pull request that is running or waiting. */
  | { readonly do: 'cancel-work'; readonly login: string };

export type BulkStep =
  /** Write the plan of one command for many into the issue; a dry run is only told. */
  | { readonly do: 'plan-bulk'; readonly request: BulkRequest; readonly dryRun: boolean }
  /** Carry out a plan of this person in the issue: the one whose digest begins so, else the newest. */
  | { readonly do: 'run-bulk'; readonly login: string; readonly plan?: string };
