import { expect, test } from 'vitest';

import { markedPart, partIn, withoutPart, withPart } from '../../src/text/marked-part.ts';

const text = `before\n\n${markedPart('first', 'one')}\n\nbetween\n\n${markedPart('last', '')}\n\nafter`;

test('a part is written anew, and the rest stays', () => {
  const now = withPart(withPart(text, 'first', 'two $& lines\n\nof it'), 'last', 'end');
  expect(now).toBe(
    `before\n\n${markedPart('first', 'two $& lines\n\nof it')}\n\nbetween\n\n${markedPart('last', 'end')}\n\nafter`,
  );
  expect([partIn(now, 'first'), partIn(text, 'last'), partIn(text, 'none')]).toEqual([
    'two $& lines\n\nof it',
    '',
    '',
  ]);
  expect(withPart(now, 'first', 'one')).not.toBe(now);
  expect(withPart(withPart(now, 'first', 'one'), 'last', '')).toBe(text);
});

test('without its marks a text stays as it is', () => {
  for (const body of ['plain', text.replace('end of first', 'gone')]) {
    expect(withPart(body, 'first', 'two')).toBe(body);
    expect(partIn(body, 'first')).toBe('');
  }
});

test('what is left out is left out to the end where its end is gone', () => {
  expect(withoutPart(text, 'first')).toBe(text.replace(markedPart('first', 'one'), ''));
  expect(withoutPart(text.replace('end of first', 'gone'), 'first')).toBe('before\n\n');
  expect(withoutPart('plain', 'first')).toBe('plain');
});
