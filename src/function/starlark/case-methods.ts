/** String methods that look at letters: they work on text rather than bytes. */
import { positional } from './arguments.ts';
import type { Method } from './method.ts';
import { decodeText, encodeText } from './text.ts';

const CASED = /[\p{Lu}\p{Ll}\p{Lt}]/u;

export const CASE_METHODS: readonly (readonly [string, Method<string>])[] = [
  ['capitalize', changed('capitalize', (text) => mapWords(text, (_, first) => first))],
  ['lower', changed('lower', (text) => mapWords(text, () => false))],
  ['title', changed('title', (text) => mapWords(text, (inWord) => !inWord))],
  ['upper', changed('upper', (text) => mapWords(text, () => true))],
  ['isalnum', asked('isalnum', (text) => /^[\p{L}\p{Nd}]+$/u.test(text))],
  ['isalpha', asked('isalpha', (text) => /^\p{L}+$/u.test(text))],
  ['isdigit', asked('isdigit', (text) => /^\p{Nd}+$/u.test(text))],
  ['isspace', asked('isspace', (text) => /^[\t\n\v\f\r \u0085\u00a0\p{Z}]+$/u.test(text))],
  ['islower', asked('islower', (text) => CASED.test(text) && mapWords(text, () => false) === text)],
  ['isupper', asked('isupper', (text) => CASED.test(text) && mapWords(text, () => true) === text)],
  ['istitle', asked('istitle', (text) => CASED.test(text) && mapWords(text, (inWord) => !inWord) === text)],
];

/** Puts each letter in upper or lower case, as a function of whether a letter is before it and of being the first. */
function mapWords(text: string, upper: (inWord: boolean, first: boolean) => boolean): string {
  let inWord = false;
  let first = true;
  let result = '';
  for (const letter of text) {
    result += one(letter, upper(inWord, first));
    inWord = CASED.test(letter);
    first = false;
  }
  return result;
}

/** One letter stays one letter, as in Go. */
function one(letter: string, upper: boolean): string {
  const changed = upper ? letter.toUpperCase() : letter.toLowerCase();
  return Array.from(changed).length === 1 ? changed : letter;
}

function changed(name: string, change: (text: string) => string): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 0 });
    budget.work(text.length);
    budget.write(text.length);
    return encodeText(change(decodeText(text)));
  };
}

function asked(name: string, ask: (text: string) => boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 0 });
    budget.work(text.length);
    return ask(decodeText(text));
  };
}
