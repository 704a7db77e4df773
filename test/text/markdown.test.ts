import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cell, codeSpan, fence, inert, inertSentence } from '../../src/text/markdown.ts';
import { liveParts } from '../fuzz/live-markdown.ts';

describe('foreign text', () => {
  test.each([
    ['a mention', 'thanks @alice and @acme/team', /@[a-z]/i],
    ['a closing reference', 'Fixes #12, closes acme/x#3, GH-4', /#\d|GH-\d/],
    ['an image', '![](http://example.com/x.png)', /!\[/],
    ['a comment', 'a <!-- portico:summary --> b <!-- open', /<!--/],
    ['HTML', '<details><img src=x></details>', /<[a-z/]/i],
    ['a task', '- [ ] tick me\n* [x] and me', /^[-*] \[[ x]\]/m],
    [
      'a link that mentions',
      'https://github.com/acme/x/issues/1 https://ghe.acme.com/a/b/pull/3',
      /:\/\/(?:github|ghe)\S+\/\d/,
    ],
    ['a mention spelled with an entity', 'thanks &#64;alice, &#x40;bob and &commat;carol', /&(?=#|commat)/],
    ['a reference spelled with an entity', 'Fixes &#35;12, &num;4, GH&#45;4', /&(?=#|num)/],
    ['a reference with a backslash', String.raw`closes GH\-4`, /GH\\-\d/],
    ['direction overrides', 'a\u202eb\u0000c', /\u202e/],
  ])('%s is inert', (_, text, live) => {
    expect(text).toMatch(live);
    expect(inert(text)).not.toMatch(live);
  });

  test.each([
    '/portico publish',
    '  /portico publish',
    '> /portico publish',
    '- /portico publish',
    '1. > /x',
    'a\r/portico x',
    'a\r\n/portico x',
  ])('the command in %j is none', (text) => {
    const lines = inert(text)
      .split('\n')
      .map((line) => line.replace(/^[\s>\-\d.]+/, ''));
    expect(lines.filter((line) => line.startsWith('/'))).toEqual([]);
    expect(inert(text)).toContain(String.raw`\/`);
  });

  test('fences do not open', () => {
    for (const opening of ['```', '````yaml', '~~~', '> ```', '- ~~~~']) {
      expect(inert(`${opening}\n/portico x`)).not.toMatch(/^(?:[\s>-]*)(?:`{3}|~{3})/m);
    }
  });

  test('entities that are only characters stay', () => {
    const text = 'a &amp; b &gt; c &nbsp;&copy;&hellip;&mdash; AT&T R&D; x&y=1';
    expect(inert(text)).toBe(text.replace('R&D;', 'R&amp;D;'));
  });

  test('and the rest reads as before', () => {
    const text =
      '## v2.0\n\n- **adds** `replicas`, see [docs](https://example.com/docs)\n- a | b\n\n    code\n';
    expect(inert(text)).toBe(text);
  });

  test('a block cannot be left', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('`', '``', '```', '````', '~~~', '\n', 'x', ' ', '<!--'))
          .map((p) => p.join('')),
        (text) => {
          const [opening = '', ...rest] = fence(text, 'yaml').split('\n');
          const closing = rest.pop();
          expect(opening).toBe(`${closing}yaml`);
          expect(rest.filter((line) => line.trim().startsWith(closing!))).toEqual([]);
          expect(rest.join('\n')).not.toContain('<!--');
        },
      ),
    );
  });

  test('inline code holds any text', () => {
    expect(codeSpan('a`b``c')).toBe('```a`b``c```');
    expect(codeSpan('`a`')).toBe('`` `a` ``');
    expect(codeSpan('a\n/portico x')).not.toContain('\n');
    expect(codeSpan(' ')).toBe('`   `');
  });
});

/** Each stands in every place where we put text of others. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['ends a code span in a cell', '`|@acme/platform and `|'],
  ['ends a cell with a backslash of its own', '\\|@acme/platform|'],
  ['ends a cell with two', '\\\\|@acme/platform|'],
  ['ends a code span', '`` ` `` @alice `'],
  ['ends a fence', '```\n@alice\n~~~\n````\n@bob'],
  ['mentions', 'thanks @alice and @acme/team'],
  ['mentions by an entity', '&#64;alice &commat;bob &#x40;carol'],
  ['closes issues', 'Fixes #12, closes acme/x#3, GH-4, GH\\-5, &#35;6'],
  ['links to the forge', 'https://github.com/acme/x/issues/1 https://ghe.acme.com/a/b/pull/3'],
  ['shows an image', '![x](http://example.com/x.png)'],
  ['is HTML', '</code></td></tr></table><img src=x><details>'],
  ['is a comment of ours', '<!-- portico:summary --> <!-- open'],
  ['is a command', '/portico approve'],
  ['is a command on a line of its own', 'x\r/portico approve\n> /portico approve'],
  ['turns its direction round', 'safe\u202e@evil\u2066|\u2069'],
  ['hides a space of no width', '/por\u200btico approve @\u200balice \u2060#\u20601'],
  ['is a task', '- [ ] tick me'],
];

const row = (text: string): string => `| ${cell(text)} | last |`;

/** As the forge cuts a row: backslashes go in pairs with what follows them, and code spans count for nothing. */
function cellsOf(line: string): string[] {
  const cells = [...line.matchAll(/((?:\\.|[^|\\])*)\|/gs)].map(([, inside = '']) => inside.trim());
  return cells.slice(1);
}

describe('the attacks on Markdown of ours', () => {
  const places: readonly (readonly [string, (text: string) => string])[] = [
    ['a block', inert],
    ['a sentence', inertSentence],
    ['a code span', (text) => codeSpan(text)],
    ['a fence', (text) => fence(text, 'text')],
    ['a cell', (text) => `| a | b |\n|---|---|\n${row(inertSentence(text))}`],
    ['code in a cell', (text) => `| a | b |\n|---|---|\n${row(codeSpan(text))}`],
  ];

  test.each(ATTACKS)('what %s does nothing in any place (74)', (_name, text) => {
    for (const [place, make] of places) {
      const markdown = make(text);
      expect(liveParts(markdown), `${place}: ${markdown}`).toEqual([]);
      expect(markdown, place).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
    for (const made of [codeSpan(text), inertSentence(text)]) {
      expect(cellsOf(row(made)), row(made)).toEqual([expect.any(String), 'last']);
    }
  });
});
