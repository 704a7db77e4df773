/** Pure: what is done about a text as a whole. What each command in it does is decided by `decideCommand`. */
import { parseIssueForm } from '../../command/issue-form.ts';
import { parseComment, type CommandLine, type CommentParse } from '../../command/parse.ts';
import { refusalText, type Refusal } from '../../command/refusal.ts';
import type { CommentSource } from '../comment-source.ts';
import { code } from '../text/markdown-blocks.ts';
import type { CommandOutcome } from './comment-reply.ts';

/** What is done about a comment, a review, a form or an opening text. */
export type CommentDecision =
  /** It holds no command, or a bot wrote it. */
  | { readonly do: 'nothing' }
  /** Nothing of it is carried out. */
  | { readonly do: 'refuse'; readonly outcome: CommandOutcome }
  /** Its commands are carried out in order, up to the first that is not done. */
  | { readonly do: 'obey'; readonly commands: readonly CommandLine[] };

type Text = Pick<CommentSource, 'kind' | 'body' | 'authorIsBot' | 'edited'>;

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
  return { do: 'refuse', outcome: { outcome: 'refused', text } };
}

/** True for texts of which anybody may write many: answers in words are rationed. */
export function isRationed({ kind }: Pick<CommentSource, 'kind'>): boolean {
  return kind === 'comment' || BELONGS_ELSEWHERE.has(kind);
}

/** Texts of which nothing is carried out, as people call them. */
const BELONGS_ELSEWHERE: ReadonlyMap<CommentSource['kind'], string> = new Map([
  ['opening', 'the description of a pull request or an issue'],
  ['line', 'review comments on lines'],
]);

function inComments(where: string, commands: readonly CommandLine[]): string {
  const lines = commands.map(
    ({ text, problem }) => `- ${code(text)}${problem === undefined ? '' : `: ${problem.hint}`}`,
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
