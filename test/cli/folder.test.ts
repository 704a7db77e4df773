import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { writeChanges, writeNewFolder } from '../../src/cli/folder-write.ts';
import { readFolder } from '../../src/cli/folder.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { packageOf } from '../package/diff/package-of.ts';
import { run, scratch } from './run-portico.ts';

function texts(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, { mode, bytes }]) => [
      mode === '100755' ? `${path}*` : path,
      Buffer.from(bytes).toString(),
    ]),
  );
}

describe('reading', () => {
  test('all files, with modes, sorted; never .git', () => {
    using dir = scratch();
    dir.write({
      'p/b/x.sh': '1',
      'p/a.yaml': '2',
      'p/.krmignore': '3',
      'p/.git/config': '4',
      'p/b/.git': 'gitdir: elsewhere',
    });
    chmodSync(dir.path('p/b/x.sh'), 0o750);
    const files = readFolder(dir.path('p'));
    expect(texts(files)).toEqual({ '.krmignore': '3', 'a.yaml': '2', 'b/x.sh*': '1' });
    expect([...files.keys()]).toEqual(['.krmignore', 'a.yaml', 'b/x.sh']);
  });

  test('installed libraries are left out at every level, and it is said once for each', () => {
    using dir = scratch();
    const library = { 'x/package.json': '{}', 'x/node_modules/y/crd.yaml': 'kind: [', 'x/a\\b.yaml': '1' };
    dir.write({ 'p/a.yaml': '1', 'p/sub/b.yaml': '2', 'p/node_modules.yaml': '3' });
    for (const at of ['p', 'p/sub'])
      for (const [path, text] of Object.entries(library)) dir.write({ [`${at}/node_modules/${path}`]: text });
    const warnings: string[] = [];
    const files = readFolder(dir.path('p'), { warn: (message) => warnings.push(message) });
    expect([...files.keys()]).toEqual(['a.yaml', 'node_modules.yaml', 'sub/b.yaml']);
    expect(warnings).toEqual(
      expect.arrayContaining([
        'node_modules holds installed libraries and is skipped',
        'sub/node_modules holds installed libraries and is skipped',
      ]),
    );
    expect(warnings).toHaveLength(2);
  });

  test('links and pipes are left out, and it is said', async () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '1', 'secret/s.yaml': '2' });
    symlinkSync(dir.path('secret'), dir.path('p/link'));
    symlinkSync('a.yaml', dir.path('p/twin.yaml'));
    await run('mkfifo', [dir.path('p/pipe.yaml')]);
    const warnings: string[] = [];
    expect(texts(readFolder(dir.path('p'), { warn: (message) => warnings.push(message) }))).toEqual({
      'a.yaml': '1',
    });
    expect(warnings.sort()).toEqual([
      'link is a symbolic link and is skipped',
      'pipe.yaml is not a regular file and is skipped',
      'twin.yaml is a symbolic link and is skipped',
    ]);
  });

  test.each([
    ['a back-slash', 'a\\b.yaml', 'PACKAGE_PATH'],
    ['a control character', 'a\nb.yaml', 'PACKAGE_PATH'],
    ['another spelling of .git', '.GIT/config', 'PACKAGE_PATH'],
    ["git's short name on Windows", 'git~1/config', 'PACKAGE_PATH'],
  ])('%s is refused', (_, path, code) => {
    using dir = scratch();
    dir.write({ [`p/${path}`]: 'x' });
    expect(() => readFolder(dir.path('p'))).toThrow(
      expect.objectContaining({ code, hint: expect.any(String) }),
    );
  });

  test('names that differ in case only are refused', () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '1', 'p/A.yaml': '2' });
    expect(() => readFolder(dir.path('p'))).toThrow(expect.objectContaining({ code: 'PACKAGE_PATH' }));
  });

  test('a file past the limit is refused before it is read', () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '' });
    writeFileSync(dir.path('p/a.yaml'), Buffer.alloc(17 * 1024 * 1024));
    expect(() => readFolder(dir.path('p'))).toThrow(expect.objectContaining({ code: 'PACKAGE_LIMIT' }));
  });

  test('directories without end are refused', () => {
    using dir = scratch();
    mkdirSync(dir.path(`p/${'d/'.repeat(120)}`), { recursive: true });
    expect(() => readFolder(dir.path('p'))).toThrow(expect.objectContaining({ code: 'PACKAGE_LIMIT' }));
  });

  test('a missing directory and a file are told apart', () => {
    using dir = scratch();
    dir.write({ f: '' });
    expect(() => readFolder(dir.path('none'))).toThrow(/ does not exist$/);
    expect(() => readFolder(dir.path('f'))).toThrow(/not a directory/);
  });
});

describe('writing changes', () => {
  test('only what differs is touched; modes stay, emptied directories go', () => {
    using dir = scratch();
    dir.write({
      'p/keep.yaml': 'k',
      'p/a.yaml': '1',
      'p/run.sh': '1',
      'p/d/e/gone.yaml': 'g',
      'p/d/also.yaml': 'g',
    });
    chmodSync(dir.path('p/a.yaml'), 0o600);
    const kept = statSync(dir.path('p/keep.yaml')).ino;
    const before = readFolder(dir.path('p'));
    const after = packageOf({ 'keep.yaml': 'k', 'a.yaml': '2', 'run.sh*': '1', 'n/new.yaml': 'n' });
    writeChanges(dir.path('p'), before, after);
    expect(texts(readFolder(dir.path('p')))).toEqual({
      'a.yaml': '2',
      'keep.yaml': 'k',
      'n/new.yaml': 'n',
      'run.sh*': '1',
    });
    expect(statSync(dir.path('p/keep.yaml')).ino).toBe(kept);
    expect(statSync(dir.path('p/a.yaml')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir.path('p')).sort()).toEqual(['a.yaml', 'keep.yaml', 'n', 'run.sh']);
  });

  test('a directory may become a file and a file a directory', () => {
    using dir = scratch();
    dir.write({ 'p/a/x': '1', 'p/b': '2' });
    writeChanges(dir.path('p'), readFolder(dir.path('p')), packageOf({ a: '3', 'b/y': '4' }));
    expect(texts(readFolder(dir.path('p')))).toEqual({ a: '3', 'b/y': '4' });
  });

  test.each([
    ['behind a link', 'link/x.yaml'],
    ['in place of a link', 'twin.yaml'],
    ['outside', '../x.yaml'],
    ['into .git', '.git/hooks/post-commit'],
  ])('nothing is written %s', (_, path) => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '1', 'out/o.yaml': '1' });
    symlinkSync(dir.path('out'), dir.path('p/link'));
    symlinkSync('a.yaml', dir.path('p/twin.yaml'));
    const before = readFolder(dir.path('p'));
    expect(() => writeChanges(dir.path('p'), before, packageOf({ 'a.yaml': '2', [path]: 'x' }))).toThrow(
      expect.objectContaining({ code: 'PACKAGE_PATH' }),
    );
    expect(dir.read('p')['a.yaml']).toBe('1');
    expect(readdirSync(dir.path('out'))).toEqual(['o.yaml']);
    expect(lstatSync(dir.path('p/twin.yaml')).isSymbolicLink()).toBe(true);
  });

  test('a failure while writing leaves everything as it was', () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '1' });
    const before = readFolder(dir.path('p'));
    const broken = {
      mode: '100644' as const,
      get bytes(): Uint8Array {
        throw new Error('lost');
      },
    };
    const after = new Map(packageOf({ 'a.yaml': '2' })).set('b.yaml', broken);
    expect(() => writeChanges(dir.path('p'), before, after)).toThrow(
      expect.objectContaining({ code: 'PACKAGE_NOT_WRITTEN' }),
    );
    expect(dir.read('p')).toEqual({ 'a.yaml': '1' });
    expect(readdirSync(dir.path('p'))).toEqual(['a.yaml']);
  });
});

describe('writing a new folder', () => {
  test('into nothing, and into an empty directory', () => {
    using dir = scratch();
    mkdirSync(dir.path('empty'));
    for (const name of ['deep/new', 'empty']) {
      writeNewFolder(dir.path(name), packageOf({ 'a.yaml': '1', 'b/run.sh*': '2' }));
      expect(texts(readFolder(dir.path(name)))).toEqual({ 'a.yaml': '1', 'b/run.sh*': '2' });
      expect(statSync(dir.path(name)).mode & 0o777).toBe(0o777 & ~process.umask());
    }
    expect(readdirSync(dir.path('deep'))).toEqual(['new']);
  });

  test('never over something', () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': '1' });
    expect(() => writeNewFolder(dir.path('p'), packageOf({ b: '2' }))).toThrow(
      expect.objectContaining({ code: 'CLI_USAGE' }),
    );
    expect(dir.read('p')).toEqual({ 'a.yaml': '1' });
  });
});
