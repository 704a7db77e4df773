import { describe, expect, test } from 'vitest';

import { createKeyring } from '../../src/revision/keyring.ts';

describe('a keyring', () => {
  const old = createKeyring(['old']);
  const both = createKeyring(['new', 'old']);

  test('signs with the newest key and accepts the seals of all', () => {
    expect(both.sign('text')).toBe(createKeyring(['new']).sign('text'));
    expect(both.verify('text', old.sign('text'))).toBe(true);
    expect(both.verify('text', both.sign('text'))).toBe(true);
  });

  test('takes no seal of a key that was taken out, nor of another text', () => {
    expect(createKeyring(['new']).verify('text', old.sign('text'))).toBe(false);
    expect(both.verify('other', both.sign('text'))).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['a beginning of it', createKeyring(['key']).sign('text').slice(0, 62)],
    ['more than it', `${createKeyring(['key']).sign('text')}00`],
    ['capitals', createKeyring(['key']).sign('text').toUpperCase()],
    ['something else', 'x'.repeat(64)],
  ])('takes no seal that is %s', (_name, seal) => {
    expect(createKeyring(['key']).verify('text', seal)).toBe(false);
  });

  test('there is none without a key', () => {
    expect(() => createKeyring([])).toThrow('at least one key');
  });
});
