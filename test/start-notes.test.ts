import { expect, test } from 'vitest';

import { startNotes } from '../src/start-notes.ts';

test('a server that has everything has nothing to say', () => {
  expect(startNotes({ sealKeys: ['k'.repeat(32)] }, { bubblewrap: true, containers: true })).toEqual([]);
});

test.each([
  ['no keys of seals', { sealKeys: [] }, { bubblewrap: true, containers: true }, 'SEAL_KEYS'],
  ['no bubblewrap', { sealKeys: ['k'] }, { bubblewrap: false, containers: true }, 'bubblewrap'],
  ['no containers', { sealKeys: ['k'] }, { bubblewrap: true, containers: false }, 'are refused'],
])('%s is said', (_name, environment, machine, words) => {
  expect(startNotes(environment, machine)).toEqual([expect.stringContaining(words)]);
});
