/** Finds the commands in a comment. One parser for comments and reviews, and for every verb. */
import { shortenValue } from '../text/cut-text.ts';
import { nearCommand } from './near-command.ts';
import { ownLines, type AuthoredLine } from './own-lines.ts';
import { type Refusal, refuse } from './refusal.ts';

/** One command as written. `problem` is set where the line is ours but cannot be read. */
export interface CommandLine {
  /** Place among the commands of the comment, from 0: part of the idempotency key. */
  readonly index: number;
  /** 1-based line in the comment. */
  readonly line: number;
  /** The whole line, for quoting back. */
  readonly text: string;
  /** Lower case; `help` where the line is the prefix alone, and empty where the prefix is misspelt. */
  readonly verb: string;
  /** Everything after the verb, trimmed. */
  readonly rest: string;
  readonly problem?: Refusal;
}

export type CommentParse = { readonly kind: 'commands'; readonly commands: readonly CommandLine[] } | Refusal;

/** Commands of one comment; more are refused as a whole. */
export const MAX_COMMANDS = 10;
/** Characters of a comment, as many as GitHub takes bytes. */
const MAX_BODY_LENGTH = 262_144;
/** Characters of the line of a command. */
const MAX_LINE_LENGTH = 1000;

/** Case does not count (telephones capitalise); look-alike letters are not ours. A no-break space is a space. */
const PREFIX = /^\/portico(?=[ \t\u00A0]|$)/i;

/** Control, format, private and unassigned characters, and spaces other than the three: nobody can see what they do. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?![ \u00A0])\p{Zs}/u;

/** Emoji that are joined into one by a joiner that cannot be seen alone. */
const JOINED_EMOJI = /\p{ExtPict}(?:\uFE0F?\p{EMod}?\u200D\p{ExtPict})+/gu;

/**
 * Reads all commands of a new comment or review body; never throws, in time linear in the length. More than ten
 * commands refuse the whole comment. A comment without commands has an empty list and deserves no answer.
 */
export function parseComment(body: string): CommentParse {
  if (body.length > MAX_BODY_LENGTH) return { kind: 'commands', commands: [] };
  const lines = ownLines(body, mentionsPortico);
  if (lines === null) {
    return refuse(
      'comment-too-intricate',
      'the comment contains too many links, so its commands were not read',
      'Write the commands in a separate comment.',
    );
  }
  if (lines.length > MAX_COMMANDS) {
    return refuse(
      'too-many-commands',
      `the comment contains ${lines.length} commands, but at most ${MAX_COMMANDS} are allowed, so none was run`,
      `Split it into comments of ${MAX_COMMANDS} commands or fewer.`,
    );
  }
  return { kind: 'commands', commands: lines.map((line, index) => readLine(line, index)) };
}

/** True for a line that is a command, and for one that misses the prefix by little: its writer is told. */
function mentionsPortico(text: string): boolean {
  return PREFIX.test(text) || nearCommand(text) !== undefined;
}

/** Whether a text may hold commands: cheap, and true for every text in which `parseComment` finds one. */
export function mayHoldCommands(body: string): boolean {
  return body.length <= MAX_BODY_LENGTH && body.split(/[\r\n]/).some(mentionsPortico);
}

function readLine({ number, text }: AuthoredLine, index: number): CommandLine {
  const meant = nearCommand(text);
  if (meant !== undefined) return misspelt(number, text, index, meant);
  const words = text
    .replace(PREFIX, '')
    .replaceAll(/[\t\u00A0]/g, ' ')
    .trim();
  const space = words.indexOf(' ');
  const verb = (space < 0 ? words : words.slice(0, space)).toLowerCase();
  const rest = space < 0 ? '' : words.slice(space + 1).trim();
  const problem = lineProblem(text, words);
  return {
    index,
    line: number,
    text: problem === undefined ? text.trimEnd() : visible(text),
    verb: verb === '' ? 'help' : verb,
    rest,
    ...(problem && { problem }),
  };
}

function misspelt(line: number, text: string, index: number, meant: string): CommandLine {
  const problem = refuse(
    'misspelt-prefix',
    'a command must start with `/portico` and a space, at the beginning of a line',
    `Did you mean \`/portico ${meant}\`? Write it in a new comment; edited comments are not read.`,
  );
  return { index, line, text: visible(text), verb: '', rest: '', problem };
}

function lineProblem(text: string, words: string): Refusal | undefined {
  if (text.length > MAX_LINE_LENGTH) {
    const message = `the command is ${text.length} characters long, but at most ${MAX_LINE_LENGTH} are allowed`;
    return refuse('command-too-long', message, 'Write a shorter command.');
  }
  const unseen = UNSEEN.exec(words.replaceAll(JOINED_EMOJI, ''))?.[0];
  if (unseen === undefined) return undefined;
  const code = (unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const message = `the command contains the invisible character U+${code}`;
  return refuse('unseen-character', message, 'Type the command again instead of pasting it.');
}

/** The line as it can be shown: unseen characters named, and short. */
function visible(text: string): string {
  const short = shortenValue(text, 200);
  return short
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
    .trimEnd();
}
