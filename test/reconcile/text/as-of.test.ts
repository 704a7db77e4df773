import { expect, test } from 'vitest';

import { dated, dateOf, undated } from '../../../src/reconcile/text/as-of.ts';

const NOW = new Date('2026-11-23T08:41:59Z');

test.each(['', '; updated after each change, and once a day', ', and unchanged since; renewed every day'])(
  'a text is dated%s, and is the same without the date',
  (more) => {
    const text = dated('| a |\n\nAs of old, it is so.', NOW, more);
    expect(text).toBe(`| a |\n\nAs of old, it is so.\n\nAs of 2026-11-23 08:41 UTC${more}.`);
    expect(undated(text)).toBe('| a |\n\nAs of old, it is so.');
    expect(dateOf(text)).toBe(Date.parse('2026-11-23T08:41:00Z'));
  },
);

test('what earlier versions wrote is read, an empty text has no date, and neither has one that nobody dated', () => {
  const text = 'a\n\nAs of 2026-11-20 01:02 UTC; unchanged since.';
  expect([undated(text), dateOf(text)]).toEqual(['a', Date.parse('2026-11-20T01:02:00Z')]);
  expect(dated('', NOW)).toBe('');
  expect([undated('a'), dateOf('a')]).toEqual(['a', 0]);
});
