import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const page = readFileSync('docs/who-can-do-what.md', 'utf8');
const [matrix = '', list = ''] = page.split('## The tests');
const tests = [...list.matchAll(/^(\d+)\. `(.+?)`: (.+)$/gm)].map(
  ([, number = '', file = '', title = '']) => ({
    number: Number(number),
    file,
    title,
  }),
);

/** Cells of the tables whose first column names a command or a document, the first two columns left out. */
const cells = matrix
  .split(/^## /m)
  .filter((part) => part.startsWith('Commands') || part.startsWith('Documents'))
  .flatMap((part) => part.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('|---')))
  .filter((line) => !/^\| (?:command|document) \|/.test(line))
  .flatMap((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .slice(2)
      .map((cell) => ({ line, cell })),
  );

test('every right that the page speaks of is under test', () => {
  expect(cells.length).toBeGreaterThan(40);
  const named = new Set([...matrix.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  expect([...named].toSorted((a, b) => a - b)).toEqual(tests.map(({ number }) => number));
  const bare = cells.filter(({ cell }) => cell !== '–' && !/\[\d+\]/.test(cell));
  expect(bare).toEqual([]);
});

test.each(tests)('$number is there: $title', ({ file, title }) => {
  expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title);
});
