import { createHash, createHmac } from 'node:crypto';

import { expect, test } from 'vitest';

import { createKeyring } from '../../src/revision/keyring.ts';
import {
  isSealOf,
  openRecord,
  sealOf,
  sealRecord,
  type SealedSubject,
} from '../../src/revision/sealed-record.ts';

const seals = createKeyring(['secret']);
const key = createHash('sha256').update('portico seal 1\nsecret').digest();
const mac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');

const at = { repository: 7, tree: 't', parents: ['p', 'q'] };
const SUBJECTS: [SealedSubject, string][] = [
  [{ of: 'commit', at }, 'commit@7 word t p q'],
  [{ of: 'update', at }, 'update@7 word t p q'],
  [{ of: 'render', at }, 'render@7 word t p q'],
  [{ of: 'comment', kind: 'bulk', place: '7#3' }, 'comment bulk 7#3 word'],
  [{ of: 'ref', repository: 7, ref: 'refs/portico/paused/web' }, 'ref 7 refs/portico/paused/web word'],
  [{ of: 'conflicts', pull: '7:portico/update/web/1' }, 'conflicts 7:portico/update/web/1 word'],
  [{ of: 'merge', repository: 7, pull: 3, head: 'h' }, 'merge 7#3 h word'],
  [{ of: 'approval' }, 'portico record 1\nword'],
];

test.each(SUBJECTS)('%j is sealed as on every forge there is', (subject, signed) => {
  expect(sealOf(subject, 'word', seals)).toBe(mac(signed));
  for (const [other] of SUBJECTS) {
    expect(isSealOf(other, 'word', mac(signed), seals)).toBe(other === subject);
  }
  expect(isSealOf(subject, 'ward', mac(signed), seals)).toBe(false);
});

test.each(['commit', 'update', 'render'] as const)(
  'a %s that an earlier version sealed without its repository counts',
  (of) => {
    expect(isSealOf({ of, at }, 'word', mac(`${of} word t p q`), seals)).toBe(true);
    expect(isSealOf({ of, at }, '', mac(`${of} t p q`), seals)).toBe(true);
    expect(isSealOf({ of, at: { ...at, tree: 'u' } }, 'word', mac(`${of} word t p q`), seals)).toBe(false);
  },
);

test('a record is read where it was sealed, and nowhere else', () => {
  const [[here], [there]] = SUBJECTS as [[SealedSubject, string], [SealedSubject, string]];
  const value = { by: 'alice', list: ['ü', 1, null] };
  const sealed = sealRecord(here, value, seals);
  expect(sealed).toMatch(/^[\w-]+ [0-9a-f]{64}$/);
  expect(openRecord(here, sealed, seals)).toEqual(value);
  expect(openRecord(there, sealed, seals)).toBeUndefined();
  expect(openRecord(here, sealed, createKeyring(['another']))).toBeUndefined();
  for (const text of ['', 'x', sealed.replace(/ .*/, ''), `x${sealed}`])
    expect(openRecord(here, text, seals)).toBeUndefined();
  const broken = `e30x ${sealOf(here, 'e30x', seals)}`;
  expect(openRecord(here, broken, seals)).toBeUndefined();
});
