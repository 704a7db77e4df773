import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type Accepts, readArguments, shown } from '../../src/command/arguments.ts';
import { splitWords } from '../../src/command/words.ts';

const code = (rest: string, accepts: Accepts): string => {
  const read = readArguments(rest, accepts);
  return 'kind' in read ? read.code : 'ok';
};

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

describe('words are split as a shell splits them', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['a  b', ['a', 'b']],
    [`'a b' "c d"`, ['a b', 'c d']],
    [`a'b'"c"d`, ['abcd']],
    [`""`, ['']],
    [`'' x`, ['', 'x']],
    [String.raw`a\ b`, ['a b']],
    [String.raw`"a\"b\\c\d"`, [String.raw`a"b\c\d`]],
    [String.raw`'a\b'`, [String.raw`a\b`]],
    ['24 $(id)'.slice(3), ['$(id)']],
    ['`id` ~ * ; | && > x #y ${HOME}', ['`id`', '~', '*', ';', '|', '&&', '>', 'x', '#y', '${HOME}']],
  ])('%j', (text, words) => expect(splitWords(text)).toEqual(words));

  test.each([`don't`, '"', `'a`, 'a\\'])('%j is refused', (text) =>
    expect(splitWords(text)).toMatchObject({ code: 'bad-quoting' }),
  );
  test('too many', () => expect(splitWords('a '.repeat(41))).toMatchObject({ code: 'too-many-words' }));
  test('too long', () => expect(splitWords('a'.repeat(401))).toMatchObject({ code: 'word-too-long' }));

  test('what is quoted comes back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 10 }), (words) => {
        expect(splitWords(words.map(quoted).join(' '))).toEqual(words);
      }),
    );
  });
});

describe('arguments', () => {
  test('of every kind', () => {
    const accepts: Accepts = {
      positional: 2,
      commit: true,
      values: true,
      options: { anyway: 'flag', match: 'value' },
    };
    const read = readArguments('web @1A2B3C4 team=a key="b c" --anyway --match "x y" v3', accepts);
    expect(read).toEqual({
      positional: ['web', 'v3'],
      text: '',
      commit: '1a2b3c4',
      options: new Map<string, string | true>([
        ['anyway', true],
        ['match', 'x y'],
      ]),
      values: new Map([
        ['team', 'a'],
        ['key', 'b c'],
      ]),
    });
  });

  test('text is taken as it stands', () => {
    expect(readArguments(`don't --merge $(id) @1a2b3c4`, { text: true })).toMatchObject({
      text: `don't --merge $(id) @1a2b3c4`,
    });
  });

  test.each<[string, string, Accepts, string]>([
    ['24 an option nobody declared', '--upload-pack=x', { positional: 1 }, 'unknown-option'],
    ['24 a short option', '-O', { positional: 1 }, 'unknown-option'],
    ['24 a quoted option is an option', `'--upload-pack=x'`, { positional: 1 }, 'unknown-option'],
    ['24 an option with spaces in front', `'--exec=id' x`, { positional: 2 }, 'unknown-option'],
    ['24 two dashes', '--', { positional: 1 }, 'unknown-option'],
    ['24 substitution where nothing is expected', '$(id)', {}, 'unexpected-argument'],
    ['an inherited name is no option', '--constructor', { options: {} }, 'unknown-option'],
    ['prototype', '--__proto__=x', { options: {} }, 'unknown-option'],
    ['too many', 'a b', { positional: 1 }, 'unexpected-argument'],
    ['values where none are declared', 'a=b', {}, 'unexpected-argument'],
    ['a flag with a value', '--anyway=yes', { options: { anyway: 'flag' } }, 'unexpected-value'],
    ['an option without value', '--match', { options: { match: 'value' } }, 'missing-value'],
    [
      'an option whose value is an option',
      '--match --anyway',
      { options: { match: 'value', anyway: 'flag' } },
      'missing-value',
    ],
    ['an option twice', '--anyway --anyway', { options: { anyway: 'flag' } }, 'repeated'],
    ['a value twice', 'a=1 a=2', { values: true }, 'repeated'],
    ['a commit twice', '@1a2b3c4 @1a2b3c4', { commit: true }, 'repeated'],
    ['a commit too short', '@1a2b3c', { commit: true, positional: 1 }, 'bad-commit'],
    ['a commit too long', `@${'a'.repeat(41)}`, { commit: true, positional: 1 }, 'bad-commit'],
    ['a commit that is a name', '@alice', { commit: true, positional: 1 }, 'bad-commit'],
    ['a commit where none is taken', '@1a2b3c4', {}, 'unexpected-argument'],
    ['the value of an option may hold =', '--match=a=b', { options: { match: 'value' } }, 'ok'],
    ['an empty value', 'a=', { values: true }, 'ok'],
  ])('%s', (_name, rest, accepts, want) => expect(code(rest, accepts)).toBe(want));

  test.each([
    ['--anywy', 'Did you mean `--anyway`? Available options: --anyway, --workspace.'],
    ['-workspace=x', 'Did you mean `--workspace`? Available options: --anyway, --workspace.'],
    ['--force', 'Available options: --anyway, --workspace.'],
  ])('an unknown option is answered with what was meant: %s', (rest, hint) =>
    expect(readArguments(rest, { options: { anyway: 'flag', workspace: 'value' } })).toMatchObject({ hint }),
  );

  test('never throws', () => {
    const accepts: Accepts = {
      positional: 2,
      commit: true,
      values: true,
      options: { a: 'flag', b: 'value' },
    };
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (rest) => void readArguments(rest, accepts)));
  });
});

test('a word in a message cannot leave its code span', () => {
  expect(shown('`@org/team` x')).toBe("`'@org/team' x`");
  expect(shown('x'.repeat(100))).toHaveLength(62);
});
