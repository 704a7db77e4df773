import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cutLine, cutText } from '../../src/text/cut-text.ts';

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

  test('one line', () => {
    expect(cutLine('a\n b', 10)).toBe('a b');
    expect(cutLine('abcdefg', 6)).toBe('abc…');
    expect(cutLine('ab🚀def', 8)).toBe('ab…');
  });
});
