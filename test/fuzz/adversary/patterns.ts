/** Globs and regular expressions, with the texts that they are held against. */
import { words, type Rule } from './choices.ts';

const globPiece = words(
  'a',
  '*a',
  'a*',
  '*',
  '**',
  '**/',
  '*/',
  '?',
  '/',
  '{a,b}',
  '{1..9999999}',
  '{a..z}',
  '{{a,b},{c,d}}',
  '[a-z]',
  '[!a]',
  '[[:alpha:]]',
  '!(a|b)',
  '+(a|aa)',
  '*(a|b)',
  '@(a|',
  ')',
  '\\',
  '.',
  '..',
  '!',
  '#',
  'é',
);

export const glob: Rule = (choices) =>
  choices.one([
    globPiece,
    (c) => c.some(globPiece),
    (c) => `${c.long(globPiece(c))}${globPiece(c)}`,
    (c) => `${globPiece(c)}${c.long(globPiece(c))}b`,
    (c) => c.nested('{a,', 'b', '}'),
    (c) => c.nested('+(', 'a', ')'),
    (c) => c.nested('*(a|', 'b', ')'),
  ]);

const atom = words(
  'a',
  '.',
  'a?',
  'a*',
  'a+',
  '(a|a)',
  '(a*)*',
  '(a|aa)+',
  '[a-z]',
  '[^b]',
  '\\w',
  '\\p{L}',
  '(?i)a',
  '\\b',
  '^',
  '$',
  'a{0,1000}',
  'a{1000}',
  '(?:a{0,30}){0,30}',
  '(?:(?:a{0,1000})){0,20}',
  '(?=a)',
  '\\1',
  '(',
  ')',
  '[',
  '{',
  '\\',
  '[\\s\\S]*',
  '.*',
  '(?P<n>a)',
  '\\x{10ffff}',
);

export const pattern: Rule = (choices) =>
  choices.one([
    atom,
    (c) => c.some(atom),
    (c) => `^${c.some(atom)}$`,
    (c) => `^${c.long(atom(c))}b$`,
    (c) => c.nested('(', atom(c), ')'),
    (c) => c.nested('(?:', atom(c), '){0,9}'),
    (c) => c.nested('(?:', atom(c), ')*'),
    (c) => c.many((at) => `a${at}`, '|'),
    (c) => `(${c.many((at) => 'a'.repeat(at % 50), '|')})*b`,
    (c) => `[${c.long('a-z')}]+b`,
  ]);

/** What patterns of both kinds have to be held against: long, and nearly fitting. */
export const subject: Rule = (choices) =>
  choices.one([
    words('a', '', 'b', 'aaaaaaaaaaaaaaaaaaaab', 'é', '\u{1F600}'),
    (c) => c.long('a'),
    (c) => `${c.long('a')}b`,
    (c) => `${c.long('a/')}b`,
    (c) => c.long('ab'),
    (c) => c.long('a\n'),
    (c) => c.long(' '),
  ]);
