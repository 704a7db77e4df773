/** A command that somebody gave, and what became of one of its steps. */

import type { Refusal } from '../command/refusal.ts';

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

/** A step that a rule of commands forbids. */
export function refusedBy({ message, hint }: Pick<Refusal, 'message' | 'hint'>): StepOutcome {
  return { kind: 'refused', message, hint };
}
