import type { CommandState } from './command-state.ts';
/** From one command line to what to do about it: the only door the reconciler needs. */
import type { Decision } from './command.ts';
import type { CommandLine } from './parse.ts';
import { refuse } from './refusal.ts';

export type Answer = Decision | { readonly kind: 'ignore'; readonly code: string };

/** Decides on one line: known verb, right place, allowed caller, nothing moved, arguments that make sense, then the verb. */
export function decideCommand(line: CommandLine, _state: CommandState): Answer {
  return refuse('unknown-command', line.verb, '');
}

/** Key under which a command is done once, whatever is delivered twice. */
export function commandKey(repositoryId: number, commentId: number, index: number): string {
  return `command:${repositoryId}:${commentId}:${index}`;
}
