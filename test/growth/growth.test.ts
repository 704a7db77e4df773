/**
 * Whatever is done with foreign text takes time in proportion to it. Two tables: functions with the input that is worst
 * for them, and all regular expressions of the folders below with texts made of their own characters. To add a
 * function, add a row; to add a folder, name it in `FOLDERS`.
 */
import { globSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { deriveSetters, isSettled, settersIn } from '../../src/function/builtin/setter-comment.ts';
import { instructionsOf } from '../../src/function/linear-regexp.ts';
import { editDistance } from '../../src/package/closest-word.ts';
import { readGlob } from '../../src/package/glob.ts';
import { readKrmignore } from '../../src/package/krmignore.ts';
import { readResources } from '../../src/package/render/read-resources.ts';
import { habitsOf } from '../../src/package/yaml/layout.ts';
import { readYamlFile } from '../../src/package/yaml/read.ts';
import { withoutEnd, upTo } from '../../src/text/ends.ts';
import { LINEAR, exponentOf, growsAtMost } from './growth.ts';

const PATIENCE = 240_000;

const FOLDERS = 'src/{package,function,cel,config,command,revision,text}/**/*.ts';

type Row = readonly [
  what: string,
  make: (size: number) => string,
  run: (text: string) => unknown,
  most: number,
];

const LARGEST = 1 << 20;

const quietly =
  (run: (text: string) => unknown) =>
  (text: string): unknown => {
    try {
      return run(text);
    } catch (error) {
      return error;
    }
  };

const numbered = (line: (at: number) => string) => (size: number) =>
  Array.from({ length: size }, (_, at) => line(at)).join('');

const yaml = quietly((text) => readResources('a.yaml', text));
const MAX_LINES = 1 << 15;

/** Texts of YAML; what cannot be read has to be refused in as good a time. */
const DOCUMENTS: readonly (readonly [string, (size: number) => string])[] = [
  ['keys', numbered((at) => `k${at}: v\n`)],
  ['one key again and again', (size) => 'a: b\n'.repeat(size)],
  ['a long flow list', (size) => `a: [${'1,'.repeat(size)}1]\n`],
  ['a long flow map', (size) => `a: {${numbered((at) => `k${at}: 1, `)(size)}}\n`],
  ['comments', (size) => `${'# c\n'.repeat(size)}a: b\n`],
  ['comments behind values', numbered((at) => `k${at}: v # c\n`)],
  ['comments at the end', (size) => `a: b\n${'  # c\n'.repeat(size)}`],
  ['blank lines', (size) => `a: |\n  x\n${'\n'.repeat(size)}c: d\n`],
  ['a block scalar', (size) => `a: |\n${'  x\n'.repeat(size)}`],
  ['a folded scalar', (size) => `a: >\n${'  x y\n\n'.repeat(size)}`],
  ['a plain scalar over lines', (size) => `a: x\n${'  x\n'.repeat(size)}`],
  ['quotes that are not closed', (size) => 'a: "x\n'.repeat(size)],
  ['anchors', numbered((at) => `k${at}: &a${at} v\n`)],
  ['tags', numbered((at) => `k${at}: !!str v\n`)],
  ['documents', (size) => '---\na: b\n'.repeat(Math.min(size, 9_000))],
  ['documents with nothing in them', (size) => '...\n'.repeat(size)],
  ['a list of maps', (size) => `a:\n${'- x: y\n  z: w\n'.repeat(size)}`],
  ['explicit keys', (size) => '? a\n: b\n'.repeat(size)],
  ['closing brackets', (size) => `a: ${']'.repeat(size)}\n`],
  ['directives', (size) => '%a\n'.repeat(size)],
  ['JSON', (size) => `{"a": [${'{"b": "c"},'.repeat(size)}1]}`],
  ['Windows line ends', numbered((at) => `k${at}: v\r\n`)],
  ['a long line', (size) => `a: ${'x '.repeat(size)}\n`],
  ['marks of comments and keys in one line', (size) => `a${'#:'.repeat(size)}\n`],
];

const ROWS: readonly Row[] = [
  ...DOCUMENTS.map(([what, make]): Row => [`YAML: ${what}`, make, yaml, MAX_LINES]),
  [
    'the habits of a text',
    (size) => `a${'#:'.repeat(size)}\n`,
    (text) => habitsOf({ text } as never),
    LARGEST,
  ],
  [
    'a glob of stars',
    (size) => 'a'.repeat(size),
    (text) => readGlob('*a*a*a*a*a*a*a*a*a*a*b')?.matches(text.slice(0, 4_000)),
    LARGEST,
  ],
  ['globs of braces', (size) => '{a,b}'.repeat(size), (text) => readGlob(text.slice(0, 1_020)), LARGEST],
  ['a .krmignore of slashes', (size) => `a${'/'.repeat(size)}`, (text) => readKrmignore(text), LARGEST],
  [
    'a .krmignore of lines',
    numbered((at) => `*a${at}*\n`),
    (text) => quietly((path) => readKrmignore(text)(path))('a'.repeat(500)),
    LARGEST,
  ],
  ['setters that are not closed', (size) => '${'.repeat(size), (text) => settersIn(text), LARGEST],
  [
    'setters',
    (size) => '${a}-'.repeat(size),
    (text) => deriveSetters(text, 'x-'.repeat(text.length / 5)),
    LARGEST,
  ],
  [
    'settled setters',
    (size) => '${a}-'.repeat(size),
    (text) => isSettled(text, 'x-'.repeat(text.length / 5), new Map()),
    LARGEST,
  ],
  ['the size of an expression', (size) => '((?P<a[{1'.repeat(size), (text) => instructionsOf(text), LARGEST],
  [
    'the distance of two words',
    (size) => 'ab'.repeat(size),
    (text) => editDistance(text, `b${text}`, 2),
    LARGEST,
  ],
  [
    'slashes at the end',
    (size) => `${'/'.repeat(size)}a`,
    (text) => [withoutEnd(text, '/'), upTo(text, ':@')],
    LARGEST,
  ],
  [
    'the depth of brackets',
    (size) => 'a: \n - - - \n'.repeat(size),
    quietly((text) => readYamlFile(text)),
    MAX_LINES,
  ],
];

describe('what is done with foreign text', () => {
  test.each(ROWS)(
    '%s takes time in proportion',
    (_what, make, run, most) => {
      const exponent = growsAtMost(LINEAR, () => exponentOf<string>(make, run, most));
      expect(exponent).toBeLessThanOrEqual(LINEAR);
    },
    PATIENCE,
  );
});

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** Regular expressions as they stand in the source: those that repeat something, each once. */
function expressions(): Found[] {
  const literal =
    /(?<=^|[\s(=,:;!&|?{}[\]])\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[\s.,;)\]:?]|$)/g;
  const found = new Map<string, Found>();
  for (const file of globSync(FOLDERS)) {
    for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      if (/^\s*(?:\*|\/[*/])/.test(line)) continue;
      for (const [, source = '', flags = ''] of line.matchAll(literal)) {
        if (!/[*+]|\{\d+,\}/.test(source) || !compiles(source, flags)) continue;
        found.set(`${source} ${flags}`, { where: `${file}:${at + 1}`, source, flags });
      }
    }
  }
  return [...found.values()];
}

function compiles(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Texts of what the expression speaks of, repeated: a beginning, what is repeated, an end that does not fit. */
function attacks(source: string): (readonly [string, string, string])[] {
  const alphabet = new Set(['a', ' ']);
  if (/\\[sn]|\[\^/.test(source)) alphabet.add('\n');
  if (/\\d|0-9/.test(source)) alphabet.add('1');
  for (const character of source.replaceAll(/\\[a-zA-Z]|[()[\]^$*+?|\\]/g, '')) {
    if (alphabet.size < 9) alphabet.add(character);
  }
  for (const [, character = ''] of source.matchAll(/\\([^a-zA-Z0-9])/g)) alphabet.add(character);
  const all = [...alphabet].slice(0, 11);
  const pairs = all.flatMap((one, at) => all.slice(at + 1).map((other) => one + other));
  return [...all, ...pairs].flatMap((pump) => [
    ['', pump, '\n!'] as const,
    ['', pump, '!'] as const,
    [all[2] ?? '', pump, ''] as const,
  ]);
}

/** Which attack makes the time grow faster than the text. Sticky expressions look at one place alone. */
function slowest({ source, flags }: Found): string | undefined {
  const sticky = flags.includes('y');
  const expression = new RegExp(source, sticky || flags.includes('g') ? flags : `${flags}g`);
  const run = (text: string): void => {
    expression.lastIndex = 0;
    if (sticky) expression.exec(text);
    else for (const _match of text.matchAll(expression));
  };
  return attacks(source)
    .map(([before, pump, after]) => ({
      name: JSON.stringify([before, pump, after]),
      make: (size: number) => before + pump.repeat(size) + after,
    }))
    .find(({ make }) => growsAtMost(LINEAR, () => exponentOf(make, run, 1 << 14)) > LINEAR)?.name;
}

describe('regular expressions over foreign text', () => {
  const all = expressions();

  test('are found', () => expect(all.length).toBeGreaterThan(150));

  test(
    'an expression whose time grows with the square is seen',
    () => {
      expect(slowest({ where: 'here', source: '\\s+$', flags: '' })).toBeDefined();
      expect(slowest({ where: 'here', source: '^\\s+', flags: '' })).toBeUndefined();
    },
    PATIENCE,
  );

  test(
    'take time in proportion to it',
    () => {
      const slow = all.flatMap((one) => {
        const text = slowest(one);
        return text === undefined ? [] : [`${one.where} /${one.source}/ ${text}`];
      });
      expect(slow).toEqual([]);
    },
    PATIENCE,
  );
});
