/** Pure: what is done about a text as a whole, and about each command in it. */
import { codeSpan } from '../text/markdown.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { authorize } from './authorize.ts';
import type { CommandState } from './command-state.ts';
import { CONTEXTS, worksIn, type Command, type Decision } from './command.ts';
import { guardProblem } from './guard.ts';
import { allowedCommands } from './help.ts';
import { parseIssueForm } from './issue-form.ts';
import { parseComment, type CommandLine, type CommentParse } from './parse.ts';
import { refusalText, refuse, type Refusal } from './refusal.ts';
import { unknownCommand } from './suggest.ts';
import { commandNamed, commands } from './table.ts';

/** What is done about a comment, a review, a form or an opening text. */
export type CommentDecision =
  /** It holds no command, or a bot wrote it. */
  | { readonly do: 'nothing' }
  /** Nothing of it is carried out. */
  | { readonly do: 'refuse'; readonly text: string }
  /** Its commands are carried out in order, up to the first that is not done. */
  | { readonly do: 'obey'; readonly commands: readonly CommandLine[] };

/** What holds the commands: a comment, a review, a form, the text that opens a pull request, or a comment on lines. */
export type CommentKind = 'comment' | 'review' | 'form' | 'opening' | 'line';

interface Text {
  readonly kind: CommentKind;
  readonly body: string;
  readonly authorIsBot: boolean;
  /** Changed since it was written. */
  readonly edited: boolean;
}

export function decideComment({ kind, body, authorIsBot, edited }: Text): CommentDecision {
  if (authorIsBot) return { do: 'nothing' };
  const parsed = kind === 'form' ? parseForm(body) : parseComment(body);
  const commands = parsed.kind === 'commands' ? parsed.commands : [];
  if (parsed.kind === 'commands' && commands.length === 0) return { do: 'nothing' };
  const where = BELONGS_ELSEWHERE.get(kind);
  if (where !== undefined) return refused(inComments(where, commands));
  if (parsed.kind === 'refuse') return refused(refusalText(parsed));
  return edited ? refused(EDITED) : { do: 'obey', commands };
}

function refused(text: string): CommentDecision {
  return { do: 'refuse', text };
}

/** True for texts of which anybody may write many: answers in words are rationed. */
export function isRationed({ kind }: Pick<Text, 'kind'>): boolean {
  return kind === 'comment' || BELONGS_ELSEWHERE.has(kind);
}

/** Texts of which nothing is carried out, as people call them. */
const BELONGS_ELSEWHERE: ReadonlyMap<CommentKind, string> = new Map([
  ['opening', 'the description of a pull request or an issue'],
  ['line', 'review comments on lines'],
]);

function inComments(where: string, commands: readonly CommandLine[]): string {
  const lines = commands.map(
    ({ text, problem }) => `- ${codeSpan(text)}${problem === undefined ? '' : `: ${problem.hint}`}`,
  );
  return [
    `Commands in ${where} are not run. Write each command in a new comment in the conversation, at the start of a line.`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}

/** Whoever may write here can change the words of others. */
const EDITED =
  'This text was edited before Portico read it, so its commands were not run: anyone with write access can edit what others wrote. Write the command again in a new comment.';

function parseForm(body: string): CommentParse {
  const line = parseIssueForm(body);
  return { kind: 'commands', commands: line === undefined ? [] : [line] };
}

/** Why it ended here, and that the rest was not done. */
export function ended(why: Pick<Refusal, 'message' | 'hint' | 'reasons'>, left: number): string {
  const rest =
    left === 0
      ? ''
      : `\n\n${left === 1 ? 'The command after it was' : `The ${left} commands after it were`} not run.`;
  return `${refusalText(why)}${rest}`;
}

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
  if (!worksIn(command, state.place)) {
    const here = state.place.kind === 'issue' ? 'an issue' : 'a pull request';
    const message = `\`/portico ${command.name}\` works only in ${CONTEXTS[command.contexts]}, and this is ${here}`;
    return refuse(
      'wrong-place',
      message,
      `Run it in ${command.contexts === 'pull' ? 'the pull request' : 'an issue'}.`,
    );
  }
  const args = readArguments(line.rest, command.accepts);
  if ('kind' in args) return { ...args, hint: `${args.hint} Usage: \`/portico ${command.usage}\`.` };
  return guardProblem(state, command.guard, args.commit) ?? run(command, state, args);
}

function run(command: Command, state: CommandState, args: Arguments): Decision {
  if (command.contexts !== 'pull') return command.decide(state, args);
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
