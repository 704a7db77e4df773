/** From one command line to what to do about it: the only door the reconciler needs. */
import { type Arguments, readArguments } from './arguments.ts';
import { authorize } from './authorize.ts';
import type { CommandState } from './command-state.ts';
import type { Command, Decision } from './command.ts';
import { guardProblem } from './guard.ts';
import { allowedCommands } from './help.ts';
import type { CommandLine } from './parse.ts';
import { refuse } from './refusal.ts';
import { unknownCommand } from './suggest.ts';
import { commandNamed, commands } from './table.ts';

/** `ignore`: no answer at all, not even a reaction. */
export type Answer = Decision | { readonly kind: 'ignore'; readonly code: string };

/** Decides on one line: readable, known, allowed, in the right place, sound arguments, nothing moved, then the verb. */
export function decideCommand(line: CommandLine, state: CommandState): Answer {
  if (state.caller.isBot) return { kind: 'ignore', code: 'bot' };
  if (line.problem !== undefined) return line.problem;
  const command = commandNamed(line.verb);
  if (command === undefined) return unknown(line.verb, state);
  const authorization = authorize(state.config, command, state.caller);
  if (authorization.kind !== 'allowed') return authorization;
  if (command.contexts === 'pull' && state.place.kind === 'issue') {
    const message = `\`/portico ${command.name}\` works only in pull requests, and this is an issue`;
    return refuse('wrong-place', message, 'Run it in the pull request.');
  }
  const args = readArguments(line.rest, command.accepts);
  if ('kind' in args) return { ...args, hint: `${args.hint} Usage: \`/portico ${command.usage}\`.` };
  return guardProblem(state, command.guard, args.commit) ?? run(command, state, args);
}

function run(command: Command, state: CommandState, args: Arguments): Decision {
  if (command.contexts === 'pull-or-issue') return command.decide(state, args);
  const { place } = state;
  if (place.kind === 'pull') return command.decide(state, args, place);
  return refuse('wrong-place', 'this is an issue', 'Run it in the pull request.');
}

function unknown(verb: string, state: CommandState): Decision {
  return unknownCommand(
    verb,
    allowedCommands(commands, state).map(({ name }) => name),
  );
}
