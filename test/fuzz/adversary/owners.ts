/** CODEOWNERS, as GitHub reads it or not. */
import { type Rule } from './choices.ts';
import { glob } from './patterns.ts';

export const codeOwners: Rule = (choices) =>
  choices.one([
    (c) => c.many((at) => `/m${at}/ @acme/t${at}\n`),
    (c) => `${c.some(glob, ' @b\n')} @a\n${c.long(`${glob(c)} @a\n`)}`,
    (c) => `* ${c.many((at) => `@u${at}`, ' ')}\n`,
    (c) => `${c.long('*a')} @a\n`,
    (c) => `${c.long('**/')} @a\n`,
    (c) => c.many(() => `${'**/'.repeat(150)}b @a\n`),
    (c) => c.many(() => `${'*a'.repeat(240)}b @a\n`),
    (c) => `a${c.long(' ')}@a\n`,
    (c) => c.long(c.pick(['\r', '\t', '#', '\n', '@'])),
  ]);
