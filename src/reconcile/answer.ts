import type { JobData, JobKind } from './job.ts';

/** Why Portico has no business in a repository. */
export type NoBusiness = 'archived' | 'not-registered' | 'no-branch';

/** Why there is nothing to do: in the repository as a whole, or about what the job names. */
export type NothingReason =
  | NoBusiness
  /** The forge has no such pull request, issue, comment or commit any more. */
  | 'absent'
  /** It goes into a branch that is not the registered one, or another branch was pushed. */
  | 'other-branch'
  /** The configuration does not ask for it. */
  | 'not-asked-for'
  /** A comment without a command, or one by a bot. */
  | 'no-command'
  | 'answered';

/** What a reconciler may answer; what keeps it from its work, now or for ever, it throws. */
export type Answer =
  /** All is as it should be. Where it was so before, nothing was written. */
  | { readonly kind: 'done' }
  | { readonly kind: 'nothing'; readonly reason: NothingReason }
  /** It takes longer than its turn, and is to be done where long jobs wait. */
  | { readonly kind: 'put-off' };

/** Does one kind of job. It may run twice, and alongside others. */
export type Reconciler<Kind extends JobKind> = (data: JobData<Kind>, signal?: AbortSignal) => Promise<Answer>;

export const DONE: Answer = { kind: 'done' };
export const PUT_OFF: Answer = { kind: 'put-off' };

/** The answer of a job that had nothing to do. */
export function nothing(reason: NothingReason): Answer {
  return { kind: 'nothing', reason };
}
