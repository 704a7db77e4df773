import { describe, expect, test } from 'vitest';

import type { Source } from '../../../src/package/yaml/node.ts';
import { quickRead } from '../../../src/package/yaml/quick-read.ts';
import type { YamlDocument } from '../../../src/package/yaml/read.ts';
import { readAnyYaml } from '../../../src/package/yaml/read.ts';
import { families } from '../../corpus/read-cases.ts';
import { yamlTexts } from '../../corpus/yaml-texts.ts';

const LONG = process.env['PORTICO_LONG'] === '1';

/** What the quick reader gives, after holding it against the library; undefined where it leaves the text to it. */
function readTwice(text: string): readonly YamlDocument[] | undefined {
  const source: Source = { text, eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const quick = quickRead(source);
  if (quick === undefined) return undefined;
  let slow: readonly YamlDocument[] | string;
  try {
    slow = readAnyYaml(source).documents;
  } catch (error) {
    slow = String(error);
  }
  if (plain(quick) !== plain(slow)) expect({ text, read: quick }).toEqual({ text, read: slow });
  return quick;
}

/** Trees as text, without the text that they were read from. */
function plain(documents: unknown): string {
  return JSON.stringify(documents, (key, value: unknown) => {
    if (key === 'source') return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

describe('the quick reader', () => {
  test.each([
    ['plain', 'a: b\nc:\n  d: 1 # one\n  e: "x"\n'],
    ['marker', '---\na: b\n---\nc: d\n'],
    ['comment before the marker', '# head\n--- # here\na: b\n'],
    ['lists', 'a:\n- b\n- c: 1\n  d:\n  - e\n- \n-\nf:\n  - "g"\n  - [h, "i"]\n'],
    ['literal', 'a: |\n  x\n   y\n\n  z\n\n\nb: |-\n  x\nc: |\n  # no comment\n\n# a comment\nd: 1\n'],
    ['literal in a list', 'a:\n- |\n x\n- b: |+\n    y\n'],
    ['flow', 'a: []\nb: {}\nc: [ 1, "two", three four ]\nd: { e: f, "g": [h], i: { j: k } }\n'],
    ['empty values', 'a:\nb: # c\nc:\n'],
    ['escapes', 'a: "x\\n\\"y\\" \\\\"\nb: \'it\'\'s\'\n'],
    ['quoted keys', '"a b": c\n\'d\': e\n"f" : g\nh : i\n'],
    ['odd plain scalars', 'a: -1\nb: --x\nc: :d\ne: f:g\nh: i#j\nk: [l]m\n'],
    ['words', 'a: yes\nb: 0777\nc: 1_000\nd: .inf\ne: 12345678901234567890\n~: f\n1: g\n'],
    ['no line break at the end', 'a:\n  b: c'],
    ['blanks at line ends', 'a:   \n  b: c   \n  d:   # e  \n   \n'],
  ])('reads %s as the library does', (_name, text) => {
    readTwice(text);
  });

  test.each([
    ['tabs', 'a:\tb\n'],
    ['anchors', 'a: &x b\nc: *x\n'],
    ['tags', 'a: !!str 1\n'],
    ['scalars on several lines', 'a: b\n  c\n'],
    ['quotes over several lines', 'a: "b\n  c"\n'],
    ['folded text', 'a: >\n  b\n'],
    ['explicit keys', '? a\n: b\n'],
    ['a repeated key', 'a: 1\nb: 2\na: 3\n'],
    ['wrong indentation', 'a:\n    b: 1\n  c: 2\n'],
    ['two colons', 'a: b: c\n'],
    ['an open bracket', 'a: [b\n'],
    ['CRLF', 'a: b\r\n'],
    ['a byte order mark', '\uFEFFa: b\n'],
    ['directives', '%YAML 1.2\n---\na: b\n'],
    ['a document end', 'a: b\n...\n'],
    ['an empty document', 'a: b\n---\n'],
    ['text', 'a\n'],
    ['nothing', ''],
    ['deep nesting', '['.repeat(200)],
    ['deep maps', Array.from({ length: 80 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
  ])('leaves %s to the library', (_name, text) => {
    expect(readTwice(text)).toBeUndefined();
  });

  test('reads most files of the golden cases, and all as the library does', { timeout: 600_000 }, () => {
    const texts = yamlTexts(LONG ? families() : ['packages', 'render']);
    const quick = texts.filter((text) => readTwice(text) !== undefined).length;
    expect(texts.length).toBeGreaterThan(200);
    expect(quick / texts.length).toBeGreaterThan(0.6);
  });

  test('never reads a damaged file otherwise than the library', { timeout: 900_000 }, () => {
    const texts = yamlTexts(['packages', 'render']).filter((text) => text.length < 3_000);
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const pieces = [
      ' ',
      '  ',
      '\n',
      ': ',
      '- ',
      '#',
      ' # x',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '|',
      '|-\n',
      '\\',
      '---\n',
      '-',
      ':',
      'a',
      '1',
      '>',
      '?',
      '&a',
      '*a',
      '!',
      '%',
      '\n\n',
      '\n  ',
      'a: b\n',
      '~',
      '<<: ',
      '. . .',
      '...',
    ];
    let quick = 0;
    for (let run = 0; run < (LONG ? 100_000 : 2_000); run += 1) {
      let text = texts[random(texts.length)] ?? '';
      // A short piece makes it likelier that damage meets damage.
      const lines = text.split('\n');
      const from = random(lines.length);
      text = `a:\n${lines.slice(from, from + 1 + random(12)).join('\n')}\n`.slice(random(2) * 3);
      for (let times = 1 + random(3); times > 0; times -= 1) {
        const at = random(text.length + 1);
        text = text.slice(0, at) + (pieces[random(pieces.length)] ?? '') + text.slice(at + random(3));
      }
      if (readTwice(text) !== undefined) quick += 1;
    }
    expect(quick).toBeGreaterThan(100);
  });
});
