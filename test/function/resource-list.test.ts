import { expect, test } from 'vitest';

import { readResourceList } from '../../src/function/resource-list.ts';

const many = 3_000_000;

test.each([
  ['lines', `items:\n${'\n'.repeat(many)}`],
  ['lists', `items: [${'[],'.repeat(many / 2)}]\n`],
])('an answer of millions of %s is not read', (_what, text) => {
  expect(readResourceList(`kind: ResourceList\n${text}`, [])).toContain('more than two million parts');
});

test('a long message is cut', () => {
  const list = readResourceList(
    `kind: ResourceList\nitems: []\nresults: [{message: ${'m'.repeat(100_000)}}]\n`,
    [],
  );
  expect(list).toMatchObject({ results: [{ message: `${'m'.repeat(8192 - 1)}…` }] });
});

test('a long answer without comments is read in linear time', () => {
  // This took minutes when each line was searched for a comment to the end of the text.
  const list = readResourceList(
    `kind: ResourceList\nitems: []\nresults:\n${'- message: m\n'.repeat(100_000)}`,
    [],
  );
  expect(list).toMatchObject({ items: [] });
});
