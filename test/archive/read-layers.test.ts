import { describe, expect, test } from 'vitest';

import { ARCHIVE_LIMITS, type ArchiveLimits } from '../../src/archive/archive-limits.ts';
import { readLayers } from '../../src/archive/read-layers.ts';
import { tar, type TarEntry } from './archives.ts';

/** The tree as `PATH content`, or the code of the refusal. */
function read(
  layers: readonly (readonly TarEntry[])[],
  limits: ArchiveLimits = ARCHIVE_LIMITS,
  directory?: string,
): unknown {
  const reading = readLayers(
    layers.map((entries) => tar(...entries)),
    limits,
    directory,
  );
  if ('refused' in reading) return reading.refused.code;
  return [...reading.files].map(([path, { bytes }]) => `${path} ${Buffer.from(bytes).toString()}`);
}

const file = (name: string, body = name): TarEntry => ({ name, body });
const directory = (name: string): TarEntry => ({ name, type: '5' });
const link = (name: string): TarEntry => ({ name, type: '2' });

describe('layers', () => {
  test.each<[string, TarEntry[][], string[]]>([
    ['none', [], []],
    ['files of all', [[file('a')], [file('b/c')]], ['a a', 'b/c b/c']],
    ['the later of two', [[file('a', '1')], [file('a', '2')]], ['a 2']],
    ['a file taken away', [[file('d/a'), file('d/b')], [file('d/.wh.a')]], ['d/b d/b']],
    ['a directory taken away', [[file('d/a'), file('d/e/f'), file('x')], [file('.wh.d')]], ['x x']],
    ['one taken away and made anew', [[file('d/a')], [file('.wh.d'), file('d/b')]], ['d/b d/b']],
    // A whiteout is for the layers below, in whichever order the layer has it.
    ['one made anew before', [[file('d/a')], [file('d/b'), file('.wh.d')]], ['d/b d/b']],
    ['what is in the same layer', [[file('a'), file('.wh.a')]], ['a a']],
    [
      'an opaque directory',
      [
        [file('d/a'), file('x')],
        [file('d/b'), file('d/.wh..wh..opq')],
      ],
      ['d/b d/b', 'x x'],
    ],
    ['an opaque root', [[file('a')], [file('.wh..wh..opq'), file('b')]], ['b b']],
    [
      'nothing to take away',
      [[file('a')], [file('no/.wh.b'), file('.wh.c'), file('q/.wh..wh..opq')]],
      ['a a'],
    ],
    ['a file in place of a directory', [[file('d/a')], [file('d')]], ['d d']],
    ['a directory in place of a file', [[file('d')], [file('d/a')]], ['d/a d/a']],
    ['an empty directory in place of a file', [[file('d')], [directory('d')]], []],
    ['a directory that was there', [[file('d/a')], [directory('d/')]], ['d/a d/a']],
    ['another case after the first was taken away', [[file('A')], [file('.wh.A'), file('a')]], ['a a']],
    ['names that look like whiteouts', [[file('a.wh.b'), file('wh.a')]], ['a.wh.b a.wh.b', 'wh.a wh.a']],
  ])('%s', (_name, layers, wanted) => expect(read(layers)).toEqual(wanted));

  test.each<[string, TarEntry[][], string]>([
    ['the directory above', [[file('d/.wh...')]], 'ARCHIVE_PATH'],
    ['the directory itself', [[file('d/.wh..')]], 'ARCHIVE_PATH'],
    ['nothing', [[file('.wh.')]], 'ARCHIVE_PATH'],
    ['a driver of storage', [[file('.wh..wh.plnk')]], 'ARCHIVE_ENTRY'],
    ['what leads out', [[file('../.wh.a')]], 'ARCHIVE_PATH'],
    ['an absolute path', [[file('/etc/.wh.passwd')]], 'ARCHIVE_PATH'],
    ['a backslash', [[file('.wh.a\\b')]], 'ARCHIVE_PATH'],
    ['the name of git', [[file('.wh..git')]], 'ARCHIVE_PATH'],
  ])('whiteouts of %s are refused', (_name, layers, code) => expect(read(layers)).toBe(code));

  test.each<[string, TarEntry[][], string]>([
    ['links', [[file('a')], [{ name: 'b', type: '2' }]], 'ARCHIVE_ENTRY'],
    ['devices', [[{ name: 'null', type: '3' }]], 'ARCHIVE_ENTRY'],
    ['two files of one name in a layer', [[file('a'), file('a')]], 'ARCHIVE_COLLISION'],
    ['two cases of one name in two layers', [[file('readme')], [file('README')]], 'ARCHIVE_COLLISION'],
    ['directories of two cases in two layers', [[file('d/a')], [file('D/b')]], 'ARCHIVE_COLLISION'],
  ])('%s are refused', (_name, layers, code) => expect(read(layers)).toBe(code));

  test.each<[string, TarEntry[][], unknown]>([
    [
      'is read whatever else the image holds',
      [
        [link('bin'), { name: 'dev/null', type: '3' }, file('etc/a\\x2d.slice'), file('LICENSE', 'free')],
        [
          directory('b/'),
          directory('b/c/'),
          file('./b/c/x.yaml', '1'),
          file('b/d.yaml'),
          file('b/cc/y.yaml'),
        ],
        [file('b/c/x.yaml', '2'), file('usr/B/c'), file('USR/b/c')],
      ],
      ['LICENSE free', 'b/c/x.yaml 2'],
    ],
    [
      'loses what whiteouts name in it and above it',
      [
        [file('b/c/x.yaml'), file('b/c/y.yaml')],
        [file('b/c/.wh.x.yaml'), file('usr/.wh.b')],
      ],
      ['b/c/y.yaml b/c/y.yaml'],
    ],
    ['goes with what it is in', [[file('b/c/x.yaml')], [file('.wh.b')]], []],
    ['goes with an opaque root', [[file('b/c/x.yaml')], [file('.wh..wh..opq')]], []],
    ['is no link', [[link('b/c')]], 'ARCHIVE_ENTRY'],
    ['is not below a link', [[link('b')], [file('b/c/x.yaml')]], 'ARCHIVE_ENTRY'],
    ['holds no link', [[link('b/c/x.yaml')]], 'ARCHIVE_ENTRY'],
    ['holds no hard link', [[{ name: 'b/c/x.yaml', type: '1' }]], 'ARCHIVE_ENTRY'],
    ['has the rules of archives', [[file('b/c/A'), file('b/c/a')]], 'ARCHIVE_COLLISION'],
    ['is not left by ..', [[file('b/c/../../x')]], 'ARCHIVE_PATH'],
  ])('a directory of an image %s', (_name, layers, wanted) =>
    expect(read(layers, ARCHIVE_LIMITS, 'b/c')).toEqual(wanted),
  );

  test('what is passed by outside of the directory is bounded, too', () => {
    const others = Array.from({ length: 51 }, (_, at) => link(`usr/${at}`));
    const limits = { ...ARCHIVE_LIMITS, entries: 5 };
    expect(read([[...others.slice(1), file('b/c/x')]], limits, 'b/c')).toEqual(['b/c/x b/c/x']);
    expect(read([[...others, file('b/c/x')]], limits, 'b/c')).toBe('ARCHIVE_LIMIT');
  });

  test('limits are for all layers together', () => {
    const limits = { ...ARCHIVE_LIMITS, entries: 5, totalBytes: 1000, freeBytes: 1000 };
    const layer = (at: number): TarEntry[] => [file(`a${at}`, 'x'.repeat(300)), file(`b${at}`, '')];
    expect(read([layer(1), layer(2)], limits)).toHaveLength(4);
    expect(read([layer(1), layer(2), layer(3)], limits)).toBe('ARCHIVE_LIMIT');
    // The same file again and again makes no larger tree, and takes memory all the same.
    const again = [file('a', 'x'.repeat(300))];
    expect(read([again, again, again], limits)).toEqual([`a ${'x'.repeat(300)}`]);
    expect(read([again, again, again, again], limits)).toBe('ARCHIVE_LIMIT');
  });
});
