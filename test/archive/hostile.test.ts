/** Archives that want to write elsewhere, to be more than they seem, or to be read differently by two programs. */
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { ARCHIVE_LIMITS } from '../../src/archive/archive-limits.ts';
import { readArchive } from '../../src/archive/read-archive.ts';
import { pax, tar, tarEntry, zip } from './archives.ts';

const SMALL = {
  ...ARCHIVE_LIMITS,
  totalBytes: 64 * 1024,
  freeBytes: 64 * 1024,
  fileBytes: 32 * 1024,
  entries: 50,
};
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `f${at}.yaml` }));

/** A zip whose last record says another number, at one place or at two. */
function damagedEnd(at: number, value: number, bytes: 2 | 4, also = at): Buffer {
  const archive = zip([{}]);
  const end = archive.length - 22;
  for (const place of new Set([at, also])) archive.writeUIntLE(value, end + place, bytes);
  return archive;
}

describe('refused, with the reason', () => {
  test.each<[kind: string, archive: Buffer, code: string, words: string]>([
    ['tar: a path with ..', tar({ name: '../etc/passwd' }), 'PATH', 'the part ".."'],
    ['tar: .. in the middle', tar({ name: 'a/../../b' }), 'PATH', 'the part ".."'],
    ['tar: an absolute path', tar({ name: '/etc/passwd' }), 'PATH', 'absolute'],
    ['tar: .. in a prefix', tar({ name: 'b', prefix: '..' }), 'PATH', 'the part ".."'],
    [
      'tar: .. in a pax path',
      tar({ type: 'x', body: pax('path', '../b') }, { name: 'b' }),
      'PATH',
      'the part ".."',
    ],
    ['tar: .. in a long name', tar({ type: 'L', body: '../b\0' }, { name: 'b' }), 'PATH', 'the part ".."'],
    ['tar: .. as a directory', tar({ name: '../x/', type: '5' }), 'PATH', 'the part ".."'],
    ['tar: a backslash', tar({ name: 'a\\..\\b' }), 'PATH', 'backslashes'],
    ['tar: a drive', tar({ name: 'C:x' }), 'PATH', 'absolute'],
    ['tar: a control character', tar({ name: 'a\nb' }), 'PATH', 'control characters'],
    ["tar: git's own directory", tar({ name: '.git/hooks/post-checkout' }), 'PATH', "git's own name"],
    ['tar: no UTF-8', tar({ name: Buffer.from([0x61, 0xff]) }), 'PATH', 'not UTF-8'],
    ['tar: a symbolic link', tar({ type: '2' }), 'ENTRY', 'a symbolic link'],
    ['tar: a hard link', tar({ type: '1' }), 'ENTRY', 'a hard link'],
    ['tar: a character device', tar({ type: '3' }), 'ENTRY', 'a character device'],
    ['tar: a block device', tar({ type: '4' }), 'ENTRY', 'a block device'],
    ['tar: a named pipe', tar({ type: '6' }), 'ENTRY', 'a named pipe'],
    ['tar: a sparse file', tar({ type: 'S' }), 'ENTRY', 'a sparse file'],
    [
      'tar: a sparse file of pax',
      tar({ type: 'x', body: pax('GNU.sparse.realsize', '9') }, {}),
      'ENTRY',
      'not read',
    ],
    ['tar: another volume', tar({ type: 'M' }), 'ENTRY', 'another volume'],
    ['tar: an unknown type', tar({ type: 'Z' }), 'ENTRY', 'unknown type'],
    ['tar: a global path', tar({ type: 'g', body: pax('path', 'x') }, {}), 'ENTRY', 'one path or size'],
    ['tar: a whiteout', tar({ name: 'a/.wh.b' }), 'ENTRY', 'whiteout'],
    ['tar: an opaque whiteout', tar({ name: 'a/.wh..wh..opq' }), 'ENTRY', 'whiteout'],
    ['tar: a file twice', tar({}, {}), 'COLLISION', 'twice'],
    [
      'tar: names that differ in case',
      tar({ name: 'A' }, { name: 'a' }),
      'COLLISION',
      'where case does not count',
    ],
    [
      'tar: directories that differ in case',
      tar({ name: 'D/a' }, { name: 'd/b' }),
      'COLLISION',
      'case does not count',
    ],
    [
      'tar: one letter written in two ways',
      tar({ name: 'é' }, { name: 'e\u0301' }),
      'COLLISION',
      'case does not',
    ],
    [
      'tar: a file as a directory',
      tar({ name: 'a' }, { name: 'a/b' }),
      'COLLISION',
      'a file and a directory',
    ],
    ['tar: a wrong checksum', tar({ checksum: '000001\0 ' }), 'CORRUPT', 'wrong checksum'],
    [
      'tar: a size that is no number',
      tar({ size: '99999999999\0' }),
      'CORRUPT',
      'a size that is not a number',
    ],
    [
      'tar: a negative size',
      tar({ size: `\xff${'\xff'.repeat(11)}` }),
      'CORRUPT',
      'a size that is not a number',
    ],
    ['tar: a size past the end', tar({ size: '00000077777\0' }), 'CORRUPT', 'cut off'],
    ['tar: cut off in a header', tarEntry({}).subarray(0, 300), 'CORRUPT', 'cut off'],
    ['tar: cut off in a file', tarEntry({ body: 'x'.repeat(600) }).subarray(0, 700), 'CORRUPT', 'cut off'],
    ['tar: without its end', tarEntry({ body: 'x' }), 'CORRUPT', 'cut off'],
    [
      'tar: a second archive behind it',
      Buffer.concat([tar({}), tar({ name: 'b' })]),
      'CORRUPT',
      'follows the end',
    ],
    [
      'tar: a pax size past the end',
      tar({ type: 'x', body: pax('size', '4096') }, { body: 'abc' }),
      'CORRUPT',
      'cut off',
    ],
    [
      'tar: a pax size that hides an entry in a file',
      tar({ type: 'x', body: pax('size', '0') }, { body: tarEntry({ name: 'hidden', type: '2' }) }),
      'ENTRY',
      'a symbolic link',
    ],
    [
      'tar: a pax size that is negative',
      tar({ type: 'x', body: pax('size', '-1') }, { body: 'abc' }),
      'CORRUPT',
      'pax header',
    ],
    [
      'tar: two pax paths, the last leads out',
      tar({ type: 'x', body: pax('path', 'a') + pax('path', '../b') }, {}),
      'PATH',
      'the part ".."',
    ],
    [
      'tar: a name with a zero in it',
      tar({ type: 'x', body: pax('path', 'a\0.yaml') }, {}),
      'PATH',
      'control characters',
    ],
    [
      'tar: a large size in base 256',
      tar({ size: `\x80${'\0'.repeat(3)}${'\x7f'.repeat(8)}` }),
      'CORRUPT',
      'not a number',
    ],
    ['tar: pax that is none', tar({ type: 'x', body: '999 path=x\n' }, {}), 'CORRUPT', 'pax header'],
    ['tar: a header about nothing', tar({ type: 'x', body: pax('path', 'x') }), 'CORRUPT', 'about nothing'],
    ['tar: a directory with content', tar({ name: 'd/', type: '5', body: 'x' }), 'CORRUPT', 'has content'],
    ['tar: a large header', tar({ type: 'x', body: 'x'.repeat(70_000) }), 'LIMIT', 'a header has'],
    ['tar: too many entries', tar(...many(51)), 'LIMIT', 'more than 50 entries'],
    ['tar: a large file', tar({ body: 'x'.repeat(33_000) }), 'LIMIT', 'the limit is 32768'],
    [
      'tar: deep directories',
      tar({ type: 'x', body: pax('path', 'd/'.repeat(101) + 'f') }, {}),
      'LIMIT',
      'deeper',
    ],
    ['gzip: a bomb', gzipSync(Buffer.alloc(40_000_000)), 'LIMIT', 'unpacks to more than'],
    ['gzip: cut off', gzipSync(tar({ body: 'abc' })).subarray(0, 60), 'CORRUPT', 'cut off'],
    ['gzip: in gzip', gzipSync(gzipSync(tar({}))), 'FORMAT', 'gzip in gzip'],
    ['zip: a path with ..', zip([{ name: '../a' }]), 'PATH', 'the part ".."'],
    ['zip: an absolute path', zip([{ name: '/a' }]), 'PATH', 'absolute'],
    ['zip: a backslash', zip([{ name: '..\\a' }]), 'PATH', 'backslashes'],
    ['zip: a symbolic link', zip([{ mode: 0o120_777 }]), 'ENTRY', 'a symbolic link'],
    ['zip: a device', zip([{ mode: 0o020_666 }]), 'ENTRY', 'no regular file'],
    ['zip: Zip64 in the directory', damagedEnd(10, 0xffff, 2), 'FORMAT', 'more than one volume'],
    ['zip: Zip64 by its offset', damagedEnd(16, 0xffff_ffff, 4), 'FORMAT', 'Zip64'],
    ['zip: more entries than there are', damagedEnd(8, 2, 2, 10), 'CORRUPT', 'cut off'],
    ['zip: fewer entries than there are', damagedEnd(8, 0, 2, 10), 'CORRUPT', 'more than its entries'],
    ['zip: a directory elsewhere', damagedEnd(16, 1, 4), 'CORRUPT', 'not where it should be'],
    ['zip: encrypted', zip([{ flags: 0x0801 }]), 'ENTRY', 'encrypted'],
    ['zip: another method', zip([{ method: 12 }]), 'ENTRY', 'method 12'],
    ['zip: a second name', zip([{ extra: Buffer.from([0x75, 0x70, 1, 0, 0]) }]), 'ENTRY', 'a second name'],
    [
      'zip: shared content',
      zip([{ body: 'x' }, { name: 'a.yaml', body: 'x', shared: true }]),
      'ENTRY',
      'shares',
    ],
    [
      'zip: names that differ in case',
      zip([{ name: 'A' }, { name: 'a' }]),
      'COLLISION',
      'case does not count',
    ],
    [
      'zip: another name inside',
      zip([{ localName: 'b.yaml' }]),
      'CORRUPT',
      'differs between the directory and the archive',
    ],
    [
      'zip: less than it holds',
      zip([{ body: 'x'.repeat(5_000), size: 10 }]),
      'CORRUPT',
      'more than its declared size',
    ],
    ['zip: more than it holds', zip([{ body: 'x', size: 10 }]), 'CORRUPT', 'not have its declared size'],
    ['zip: a wrong checksum', zip([{ body: 'x', crc: 1 }]), 'CORRUPT', 'wrong checksum'],
    ['zip: something before it', zip([{}], { before: 'PK#!/bin/sh\n' }), 'CORRUPT', 'before the first entry'],
    ['zip: something behind it', zip([{}], { trailer: 'x' }), 'CORRUPT', 'cut off'],
    ['zip: cut off', zip([{ body: 'x'.repeat(99) }]).subarray(0, 80), 'CORRUPT', 'cut off'],
    ['zip: too many entries', zip(many(51)), 'LIMIT', 'more than 50 entries'],
    [
      'zip: a bomb',
      zip(many(3).map((each) => ({ ...each, body: Buffer.alloc(30_000) }))),
      'LIMIT',
      'unpacks to more',
    ],
    ['zip: a large file', zip([{ body: Buffer.alloc(33_000) }]), 'LIMIT', 'the limit is 32768'],
    ['something else', Buffer.from('BZh91AY&SY'), 'FORMAT', 'bzip2'],
    ['nothing', Buffer.alloc(0), 'CORRUPT', 'cut off'],
  ])('%s', (_, archive, code, words) => {
    const read = readArchive(archive, SMALL);
    expect(read).toMatchObject({
      refused: { code: `ARCHIVE_${code}`, message: expect.stringContaining(words) },
    });
  });
});

test('20,000 entries are read, one more is refused', () => {
  const entries = many(20_000).map((entry) => tarEntry(entry));
  const read = readArchive(gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])));
  expect('files' in read && read.files.size).toBe(20_000);
  entries.push(tarEntry({ name: 'last' }));
  const refused = readArchive(gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])));
  expect(refused).toMatchObject({ refused: { code: 'ARCHIVE_LIMIT' } });
});

test('an archive larger than the limit is not looked into', () => {
  expect(readArchive(tar({ body: 'x'.repeat(9_000) }), { ...SMALL, archiveBytes: 9_000 })).toMatchObject({
    refused: { code: 'ARCHIVE_LIMIT' },
  });
});
