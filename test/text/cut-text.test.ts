import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cutText, shorten } from '../../src/text/cut-text.ts';

describe('cutting', () => {
  test('what fits stays', () => expect(cutText('abc', { bytes: 3 })).toBe('abc'));

  test.each([
    [{ characters: 65_535 }, (cut: string) => cut.length],
    [{ bytes: 65_535 }, (cut: string) => Buffer.byteLength(cut)],
  ] as const)(
    '70,000 characters of diff fit into %j, the fence is closed, and the rest is counted',
    (limit, size) => {
      const text = `Changes:\n\n\`\`\`\`diff\n${'+ a line of the diff 🚀\n'.repeat(4_000)}\`\`\`\`\n`;
      const cut = cutText(text, limit);
      expect(size(cut)).toBeLessThanOrEqual(65_535);
      expect(size(cut)).toBeGreaterThan(65_000);
      expect(cut.split('\n').filter((line) => line.startsWith('````'))).toHaveLength(2);
      expect(cut).toMatch(/\n````\n\n\*\(\d+ characters are omitted here\.\)\*$/);
    },
  );

  test('a fence that ends in a carriage return is closed', () => {
    const cut = cutText(`~~~\r\n${'a line\n'.repeat(300)}`, { characters: 1_000 });
    expect(cut).toMatch(/\n~~~\n\n\*\(/);
  });

  test('what is folded or commented out is closed', () => {
    const cut = cutText(
      `<details><summary>x</summary>\n\n${'word '.repeat(300)}\n<!-- ${'y '.repeat(300)} -->`,
      { characters: 1_800 },
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
        const cut = cutText(parts.join(''), { characters: limit });
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        const inBytes = cutText(parts.join(''), { bytes: limit });
        expect(Buffer.byteLength(inBytes)).toBeLessThanOrEqual(limit);
        expect(inBytes.isWellFormed()).toBe(true);
      }),
    );
  });

  test('a sentence ends before the clause that has no room, and never within a word', () => {
    const refused =
      'fn.example.com/fix:v1 cannot run here: it is not built in, and the repository does not allow it.';
    for (let most = 1; most < refused.length; most += 1) {
      const short = shorten(refused, most);
      expect(short.length).toBeLessThanOrEqual(most);
      expect(short).not.toMatch(/(?:is|does|can|repository)…$/);
    }
    expect(shorten(refused, 90)).toBe('fn.example.com/fix:v1 cannot run here: it is not built in…');
    expect(shorten('All checks of the package pass, except the one of privileges', 50)).toBe(
      'All checks of the package pass, except the one…',
    );
    expect(shorten('The repository of the platform team does not allow it', 40)).toBe(
      'The repository of the platform team…',
    );
  });

  test('a proposal for a misspelt word moves to the front before it is cut off', () => {
    const text = `The function ${'x'.repeat(60)} is not known here. Did you mean set-labels? Correct it.`;
    expect(shorten(text, 60)).toMatch(/^Did you mean set-labels\? /);
    expect(shorten(text, 200)).toBe(text);
  });

  test.for([1, 100, 1_000, 60_000])('%i characters are cut to the limit, on one line', (length) => {
    for (const text of [
      'x'.repeat(length),
      'word, '.repeat(length).slice(0, length),
      '🚀\n'.repeat(length / 3),
    ]) {
      for (const most of [1, 2, 120, 255]) {
        expect(shorten(text, most).length).toBeLessThanOrEqual(most);
        const short = shorten(text, { bytes: Math.max(most, 3) });
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(Math.max(most, 3));
        expect(short.isWellFormed()).toBe(true);
        expect(short).not.toContain('\n');
      }
    }
  });

  test('a value without words is cut anywhere, between code points', () => {
    expect(shorten('a\n b', { bytes: 10 })).toBe('a b');
    expect(shorten('abcdefg', { bytes: 6 })).toBe('abc…');
    expect(shorten('ab🚀def', { bytes: 8 })).toBe('ab…');
  });
});
