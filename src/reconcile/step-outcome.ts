/** A command that somebody gave, and what became of one of its steps. */

export type StepOutcome =
  /** `reply` where there is something to read. */
  | { readonly kind: 'done'; readonly reply?: string }
  | { readonly kind: 'refused' | 'failed'; readonly message: string; readonly hint: string };

/** Whose command it is. */
export interface CommandRequest {
  /** Id of the comment. */
  readonly id: number;
  /** Place of the command in it, from 0. */
  readonly index: number;
  readonly login: string;
  /** The forge's number of that account. */
  readonly accountId?: number | undefined;
  readonly at: string;
  /** Issue or pull request. */
  readonly number: number;
}
