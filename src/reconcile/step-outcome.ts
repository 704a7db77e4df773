/** A command that somebody gave, and what became of one of its steps. */

import type { Refusal } from '../command/refusal.ts';
import type { RepositoryRef } from './ports.ts';

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
  /** Present where it was said in another repository than the one that it is about. */
  readonly from?: {
    readonly repository: RepositoryRef;
    /** The repository that it is about, as `owner/name`. */
    readonly about: string;
    /** The conversation, as `owner/name#5`, where readers of the repository that it is about may know it. */
    readonly mention?: string;
  };
}

/** A package as a command names it where this one was said. */
export function nameWhereAsked({ from }: Pick<CommandRequest, 'from'>, path: string): string {
  return from === undefined ? path : `${from.about}:${path}`;
}

/** A step that a rule of commands forbids. */
export function refusedBy({ message, hint }: Pick<Refusal, 'message' | 'hint'>): StepOutcome {
  return { kind: 'refused', message, hint };
}
