import { expect, test } from 'vitest';

import { counted, isOrAre, notShown } from '../../src/text/counted.ts';

test.each([
  [0, '0 files', 'are', ''],
  [1, '1 file', 'is', '1 more package is not shown.'],
  [2, '2 files', 'are', '2 more packages are not shown.'],
])('%i is counted as %s', (number, files, verb, more) => {
  expect(counted(number, 'file')).toBe(files);
  expect(isOrAre(number)).toBe(verb);
  expect(notShown(number, 'package')).toBe(more);
});

test('a noun may have its own plural, or be left out', () => {
  expect([counted(1, 'entry', 'entries'), counted(2, 'entry', 'entries')]).toEqual(['1 entry', '2 entries']);
  expect([notShown(1), notShown(2)]).toEqual(['1 more is not shown.', '2 more are not shown.']);
});
