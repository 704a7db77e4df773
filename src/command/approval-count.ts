/** Which approvals count for the content as it is now. */
import type { ApprovalRecord } from './approval-record.ts';

export interface Review {
  readonly login: string;
  readonly isBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly submittedAt: string;
  /** Content digest that the check at the reviewed commit carried; undefined where there was none. */
  readonly digest?: string;
}

export interface ApprovalInput {
  readonly reviews: readonly Review[];
  readonly records: readonly ApprovalRecord[];
  /** The present content digest; undefined while it has not been computed: then nothing counts. */
  readonly digest: string | undefined;
  /** Whether this person may approve here, asked of the forge just now. */
  readonly permitted: (login: string) => boolean;
  readonly author: string;
  readonly allowSelfApproval: boolean;
  readonly required: number;
  /** Time of the latest rejection: what was given before it no longer counts. */
  readonly rejectedAt?: string;
}

export type NotCountedReason =
  | 'other-content'
  | 'not-permitted'
  | 'self-approval'
  | 'before-rejection'
  | 'dismissed'
  | 'withdrawn'
  | 'bot';

export interface ApprovalCount {
  readonly counted: readonly { readonly login: string; readonly how: 'review' | 'comment' }[];
  readonly notCounted: readonly { readonly login: string; readonly reason: NotCountedReason }[];
  /** Permitted people whose latest review asks for changes: nothing is published against them. */
  readonly changesRequested: readonly string[];
  readonly required: number;
  /** Digest that was counted for. */
  readonly digest?: string;
}

/** Counts every person once. Names are compared without case, as the forge does. */
export function countApprovals(input: ApprovalInput): ApprovalCount {
  return { counted: [], notCounted: [], changesRequested: [], required: input.required };
}
