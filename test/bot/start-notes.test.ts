import { expect, test } from 'vitest';

import { startNotes } from '../../src/bot/start-notes.ts';

test('a server that has everything has nothing to say', () => {
  expect(
    startNotes({ sealKeys: ['k'.repeat(32)] }, { bubblewrap: true, needsSandbox: true, containers: true }),
  ).toEqual([]);
});

test.each([
  [
    'no keys of seals',
    { sealKeys: [] },
    { bubblewrap: true, needsSandbox: true, containers: true },
    'SEAL_KEYS',
  ],
  [
    'no bubblewrap',
    { sealKeys: ['k'] },
    { bubblewrap: false, needsSandbox: true, containers: true },
    'are refused',
  ],
  [
    'no bubblewrap where none is needed',
    { sealKeys: ['k'] },
    { bubblewrap: false, needsSandbox: false, containers: true },
    'do not deny the network',
  ],
  [
    'no containers',
    { sealKeys: ['k'] },
    { bubblewrap: true, needsSandbox: true, containers: false },
    'are refused',
  ],
])('%s is said', (_name, environment, machine, words) => {
  expect(startNotes(environment, machine)).toEqual([expect.stringContaining(words)]);
});
