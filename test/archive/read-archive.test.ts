/** Archives of other programs, and what stays of a file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readArchive } from '../../src/archive/read-archive.ts';
import { pax, tar, zip } from './archives.ts';

const LONG = `${'directory/'.repeat(20)}file.yaml`;

function texts(archive: Uint8Array): Record<string, string> {
  const read = readArchive(archive);
  if ('refused' in read) throw new Error(read.refused.message);
  return Object.fromEntries(
    [...read.files].map(([path, { bytes, mode }]) => [path, `${mode} ${Buffer.from(bytes).toString()}`]),
  );
}

test.each(['tar', 'tar.gz', 'zip'])('what git archives as %s is what was committed', (format) => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-archive-'));
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-C', directory, ...args], { stdio: 'pipe' });
  git('init', '-q');
  mkdirSync(join(directory, LONG, '..'), { recursive: true });
  writeFileSync(join(directory, LONG), 'kind: Deep\n');
  writeFileSync(join(directory, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(directory, 'ö.yaml'), 'x'.repeat(5_000));
  writeFileSync(join(directory, 'empty'), '');
  git('add', '.');
  git('commit', '-qm', 'files');
  expect(texts(git('archive', `--format=${format}`, 'HEAD'))).toEqual({
    [LONG]: '100644 kind: Deep\n',
    empty: '100644 ',
    'run.sh': '100755 #!/bin/sh\n',
    'ö.yaml': `100644 ${'x'.repeat(5_000)}`,
  });
});

test('headers about an entry are for that entry alone; a mode keeps only whether a file may run', () => {
  const archive = tar(
    { name: './', type: '5' },
    { type: 'x', body: pax('path', 'long/name.yaml') + pax('mtime', '1.5') },
    { name: 'short', body: 'a', mode: 0o4755 },
    { name: './other', body: 'b' },
    { type: 'L', body: 'third/name\0' },
    { name: 'cut', body: 'c' },
  );
  expect(texts(archive)).toEqual({
    'long/name.yaml': '100755 a',
    other: '100644 b',
    'third/name': '100644 c',
  });
});

test('a zip may have a comment, directories and stored files', () => {
  const entries = [
    { name: 'd/', mode: 0o040_755 },
    { name: 'd/a', body: 'stored', method: 0 },
  ];
  expect(texts(zip(entries, { comment: 'hello' }))).toEqual({ 'd/a': '100644 stored' });
});
