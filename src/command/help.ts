/** Help, generated from the table of commands. */
import { closestWord } from '../package/closest-word.ts';
import { cell } from '../text/markdown.ts';
import { shown } from './arguments.ts';
import { authorize, whoMay } from './authorize.ts';
import type { CommandState } from './command-state.ts';
import { CONTEXTS, worksIn, type AnywhereCommand, type Command } from './command.ts';
import { refuse } from './refusal.ts';

/** The verb `help`; it is handed the table, which holds it. */
export function helpCommand(table: () => readonly Command[]): AnywhereCommand {
  return {
    name: 'help',
    usage: 'help [<command>]',
    summary: 'List the commands that you may use here, or explain one of them.',
    examples: [{ line: '/portico help publish', does: 'explains publish' }],
    accepts: { positional: 1 },
    minimumRole: 'read',
    mayAlso: ['author'],
    contexts: 'pull-or-issue',
    guard: 'none',
    decide(state, { positional: [name] }) {
      const allowed = allowedCommands(table(), state);
      if (name === undefined) return { kind: 'do', steps: [], reply: commandList(allowed, state) };
      // To read about a command harms nobody: its help says where it works, and for whom.
      const command = table().find((one) => one.name === name.toLowerCase());
      if (command !== undefined)
        return { kind: 'do', steps: [], reply: commandHelp(command, whoMay(state.config, command)) };
      const near = closestWord(
        name,
        table().map((one) => one.name),
      );
      const hint =
        near === undefined ? 'For the list, write /portico help.' : `Did you mean /portico help ${near}?`;
      return refuse('unknown-command', `${shown(name)} is not a command`, hint);
    },
  };
}

/** Those of the table that this caller may use in this place. */
export function allowedCommands(
  commands: readonly Command[],
  { config, caller, place }: Pick<CommandState, 'config' | 'caller' | 'place'>,
): readonly Command[] {
  return commands.filter(
    (command) => worksIn(command, place) && authorize(config, command, caller).kind === 'allowed',
  );
}

/** Markdown: what fits now, and the rest folded. No line starts with the prefix, so that help is never read as commands. */
function commandList(commands: readonly Command[], state: CommandState): string {
  const fitting = commands.filter(({ fits }) => fits?.(state) === true);
  const opening =
    'Write a command at the start of a line in a new comment. `/portico help <command>` explains one of them.';
  if (fitting.length === 0) return [opening, commandTable(commands)].join('\n\n');
  const rest = commands.filter((command) => !fitting.includes(command));
  return [
    `Commands that you can use here now. ${opening}`,
    commandTable(fitting),
    ...(rest.length === 0
      ? []
      : [`<details><summary>${rest.length} more</summary>\n\n${commandTable(rest)}\n\n</details>`]),
  ].join('\n\n');
}

function commandTable(commands: readonly Command[]): string {
  const lines = commands.map(({ usage, summary }) => `| \`/portico ${cell(usage)}\` | ${cell(summary)} |`);
  return ['| command | what it does |', '|---|---|', ...lines].join('\n');
}

/** Markdown: one command with its examples, and who may use it here. */
function commandHelp({ usage, summary, examples, contexts }: Command, who: string): string {
  const lines = examples.map(({ line, does }) => `- \`${line}\` ${does}`);
  return [
    `\`/portico ${usage}\`: ${summary}`,
    '',
    ...lines,
    '',
    `In ${CONTEXTS[contexts]}, for ${who}.`,
  ].join('\n');
}
