import { expect, test } from 'vitest';

import { nothingSent, receiveFiles, sendPackages } from '../../src/isolation/wire-files.ts';
import type { PackageFile, PackageFiles } from '../../src/package/package.ts';

const file = (id: string, text: string): PackageFile => ({ mode: '100644', id, bytes: Buffer.from(text) });
const KPTFILE = file('a'.repeat(40), 'kind: Kptfile\n');

/** One process, and all that it was sent. */
function wire(): (files: PackageFiles) => PackageFiles {
  const sent = nothingSent();
  const kept = new Map<string, Uint8Array>();
  return (files) => {
    const { sets, contents } = sendPackages({ input: files }, sent);
    for (const [name, bytes] of contents.flat()) kept.set(name, bytes);
    return receiveFiles(sets['input']!, kept);
  };
}

test.each([
  ['an empty file alone', new Map([['a', file('e'.repeat(40), '')]])],
  [
    'an empty file without a name in git',
    new Map([['a', { mode: '100644' as const, bytes: Buffer.alloc(0) }]]),
  ],
  [
    'an empty file beside what was sent before',
    new Map([
      ['.gitkeep', file('e'.repeat(40), '')],
      ['Kptfile', KPTFILE],
    ]),
  ],
  [
    'what fills a message, and an empty file',
    new Map([
      ['a', file('b'.repeat(40), 'x'.repeat(3 << 20))],
      ['b', file('e'.repeat(40), '')],
    ]),
  ],
])('%s arrives', (_what, files) => {
  const send = wire();
  send(new Map([['Kptfile', KPTFILE]]));
  for (const _again of [1, 2]) expect(send(files)).toEqual(files);
});
