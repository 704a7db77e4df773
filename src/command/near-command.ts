/** Lines that were meant as commands and miss the prefix: they are never carried out, but their writer is told. */
import { closestWord, editDistance } from '../package/closest-word.ts';
import { COMMAND_NAMES } from './table.ts';

const NAME = 'portico';
/** Letters by which a mistyped word may differ. */
const MAX_EDITS = 2;

/** Up to three spaces still begin a paragraph; the word and what stands behind it. Longer words are no misspelling. */
const SLASHED = /^( {0,3})\/(\S{4,24})(?:[ \t\u00A0]+(\S{1,24})(?=[ \t\u00A0]|$))?/;

/** The prefix and a command in one word, as in `/portico-render`. */
const JOINED = /^portico[-:._]?(\S+)$/;

/**
 * The command that a line most likely stands for, as in `/portco aprove`; undefined for commands that can be read, and for
 * all other text. The prefix may be two edits away where the name of a command follows, or what is one edit away from one.
 */
export function nearCommand(line: string): string | undefined {
  const [, indent = '', slashed = '', following] = SLASHED.exec(line) ?? [];
  const word = slashed.toLowerCase();
  if (word === NAME) return indent === '' ? undefined : nearVerb(following);
  const joined = JOINED.exec(word)?.[1];
  if (joined !== undefined && isVerb(joined)) return joined;
  return editDistance(word, NAME, MAX_EDITS) > MAX_EDITS ? undefined : nearVerb(following);
}

/** A short word is a command only as it stands. */
function nearVerb(word: string | undefined): string | undefined {
  const typed = word?.toLowerCase() ?? '';
  if (isVerb(typed)) return typed;
  return typed.length < 5 ? undefined : closestWord(typed, COMMAND_NAMES, 1);
}

function isVerb(word: string): boolean {
  return COMMAND_NAMES.includes(word);
}
