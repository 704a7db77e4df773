/** Splits a command's arguments into words. */
import { type Refusal, refuse } from './refusal.ts';

/** Words of one command. */
const MAX_WORDS = 40;
/** Characters of one word. */
const MAX_WORD_LENGTH = 400;

/**
 * Words as a POSIX shell splits them: spaces separate, '…' is literal, "…" knows \" and \\, a backslash takes the
 * next character literally. Nothing is expanded: `$(id)`, `~`, `*` and `;` are characters like any other.
 */
export function splitWords(text: string): string[] | Refusal {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== undefined && character === quote) quote = undefined;
    else if (character === '\\' && quote !== "'") {
      const next = text[at + 1];
      if (next === undefined) return refuse('bad-quoting', 'the command ends with a backslash', 'Remove it.');
      // Inside double quotes a backslash escapes only what it must.
      const escapes = quote === undefined || next === '"' || next === '\\';
      word = (word ?? '') + (escapes ? next : `\\${next}`);
      at++;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (quote === undefined && character === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) {
    return refuse(
      'bad-quoting',
      `a quote (${quote}) is not closed`,
      'Close it, or escape it with a backslash.',
    );
  }
  if (word !== undefined) words.push(word);
  return limited(words);
}

function limited(words: string[]): string[] | Refusal {
  if (words.length > MAX_WORDS) {
    return refuse(
      'too-many-words',
      `the command has ${words.length} words, but at most ${MAX_WORDS} are allowed`,
      'Shorten it.',
    );
  }
  const long = words.find((word) => word.length > MAX_WORD_LENGTH);
  if (long === undefined) return words;
  return refuse(
    'word-too-long',
    `a word is ${long.length} characters long`,
    `Keep each word shorter than ${MAX_WORD_LENGTH} characters.`,
  );
}
