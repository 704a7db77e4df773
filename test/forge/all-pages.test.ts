import { describe, expect, test } from 'vitest';

import { allPages } from '../../src/forge/octokit.ts';

const NEXT = '<https://forge.example/next>; rel="next"';

function pages(count: number, item: unknown) {
  return ({ page }: { readonly page: number }) =>
    Promise.resolve({
      data: Array.from({ length: 100 }, () => item),
      headers: page < count ? { link: NEXT } : {},
    });
}

describe('a list of the forge', () => {
  test('is read to its end', async () => {
    await expect(allPages(pages(100, { body: 'short' }))).resolves.toHaveLength(10_000);
  });

  test('is refused past so many items: nobody decides by a part of it', async () => {
    await expect(allPages(pages(101, { body: '' }))).rejects.toMatchObject({ code: 'FORGE_TOO_MANY' });
  });

  test('is refused past so much text, before it fills the memory', async () => {
    let asked = 0;
    const longest = pages(100, { body: 'x'.repeat(65_536) });
    const load = (at: { readonly page: number }) => {
      asked += 1;
      return longest(at);
    };
    await expect(allPages(load)).rejects.toMatchObject({ code: 'FORGE_TOO_MANY' });
    expect(asked).toBe(6);
  });
});
