import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cutLine, cutText, inert, inertBlock, inertCode } from '../../src/forge/markdown.ts';

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
    for (const fence of ['```', '````yaml', '~~~', '> ```', '- ~~~~']) {
      expect(inert(`${fence}\n/portico x`)).not.toMatch(/^(?:[\s>-]*)(?:`{3}|~{3})/m);
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
          const [fence = '', ...rest] = inertBlock(text, 'yaml').split('\n');
          const closing = rest.pop();
          expect(fence).toBe(`${closing}yaml`);
          expect(rest.filter((line) => line.trim().startsWith(closing!))).toEqual([]);
          expect(rest.join('\n')).not.toContain('<!--');
        },
      ),
    );
  });

  test('inline code holds any text', () => {
    expect(inertCode('a`b``c')).toBe('```a`b``c```');
    expect(inertCode('`a`')).toBe('`` `a` ``');
    expect(inertCode('a\n/portico x')).not.toContain('\n');
    expect(inertCode(' ')).toBe('``` ```');
  });
});

describe('cutting', () => {
  test('what fits stays', () => expect(cutText('abc', 3)).toBe('abc'));

  test('70,000 characters of diff fit, the fence is closed, and the rest is counted', () => {
    const text = `Changes:\n\n\`\`\`\`diff\n${'+ a line of the diff 🚀\n'.repeat(4_000)}\`\`\`\`\n`;
    const cut = cutText(text, 65_535);
    expect(cut.length).toBeLessThanOrEqual(65_535);
    expect(cut.length).toBeGreaterThan(65_000);
    expect(cut.split('\n').filter((line) => line.startsWith('````'))).toHaveLength(2);
    expect(cut).toMatch(/\n````\n\n\*\(\d+ characters are left out here\.\)\*$/);
  });

  test('what is folded or commented out is closed', () => {
    const cut = cutText(
      `<details><summary>x</summary>\n\n${'word '.repeat(300)}\n<!-- ${'y '.repeat(300)} -->`,
      1_800,
    );
    expect(cut).toContain('</details>');
    expect(cut).not.toContain('<!--');
  });

  test('never too long, never half a character', () => {
    const piece = fc.constantFrom(
      '🚀',
      'a',
      '```\n',
      '````\n',
      '~~~\n',
      '\n',
      '<details>',
      '<!--',
      '-->',
      '</details>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), fc.integer({ min: 100, max: 400 }), (parts, limit) => {
        const cut = cutText(parts.join(''), limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  test('one line', () => {
    expect(cutLine('a\n b', 10)).toBe('a b');
    expect(cutLine('abcdef', 4)).toBe('abc…');
    expect(cutLine('ab🚀def', 4)).toBe('ab…');
  });
});
