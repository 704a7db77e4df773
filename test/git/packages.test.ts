import { describe, expect, test } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import { KPTFILE, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;

describe('packages', () => {
  test('are found with their subpackages', async () => {
    const commit = seed(at.origin, {
      'pkgs/app/Kptfile': KPTFILE,
      'pkgs/app/deep/db/Kptfile': KPTFILE,
      'pkgs/app-two/Kptfile': KPTFILE,
      'pkgs/none/x.yaml': '',
      'pkgs/link/Kptfile': { mode: '120000', text: '../app/Kptfile' },
      'other/Kptfile': KPTFILE,
      // Would take the configuration for its own.
      '.github/Kptfile': KPTFILE,
      '.github/portico/channels/Kptfile': KPTFILE,
    });
    mirror = await at.open();
    const found = await mirror.findPackages(commit, '/pkgs/');
    expect(found.map((p) => [p.path, p.directory, p.parent])).toEqual([
      ['app', 'pkgs/app', null],
      ['app-two', 'pkgs/app-two', null],
      ['app/deep/db', 'pkgs/app/deep/db', 'app'],
    ]);
    expect(found[2]!.tree).toBe(git(at.origin, ['rev-parse', `${commit}:pkgs/app/deep/db`]));
    expect((await mirror.findPackages(commit, '/')).map((p) => p.path)).toEqual([
      'other',
      'pkgs/app',
      'pkgs/app-two',
      'pkgs/app/deep/db',
    ]);
    expect(await mirror.findPackages(commit, '.github')).toEqual([]);
    expect(await mirror.findPackages(commit, 'nowhere')).toEqual([]);
  });

  test('a Kptfile at the top is a package with the path `.`', async () => {
    const commit = seed(at.origin, { Kptfile: KPTFILE, 'sub/Kptfile': KPTFILE });
    mirror = await at.open();
    expect((await mirror.findPackages(commit, '')).map((p) => [p.path, p.directory, p.parent])).toEqual([
      ['.', '.', null],
      ['sub', 'sub', '.'],
    ]);
  });

  test('symlinks and submodules are left out and named', async () => {
    const commit = seed(at.origin, {
      'a/Kptfile': KPTFILE,
      'a/run.sh': { mode: '100755', text: 'x' },
      'a/link': { mode: '120000', text: '/etc/passwd' },
      'a/mod': { mode: '160000', text: '1'.repeat(40) },
    });
    mirror = await at.open();
    const found = (await mirror.readPackage(commit, 'a'))!;
    expect([...found.files.keys()]).toEqual(['Kptfile', 'run.sh']);
    expect(found.files.get('run.sh')).toMatchObject({
      mode: '100755',
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(found.skipped).toEqual([
      { path: 'link', reason: 'symlink', target: '/etc/passwd', id: expect.any(String) },
      { path: 'mod', reason: 'submodule', id: '1'.repeat(40) },
    ]);
    expect(await mirror.readPackage(commit, 'none')).toBeNull();
  });

  test.each([
    ['../x', '".." part'],
    ['.git/config', '.git'],
    ['.GIT/config', '.git'],
    ['git~1/x', '.git'],
    ['x/.git. /y', '.git'],
    ['.g\u200cit/x', '.git'],
    ['.git::$INDEX_ALLOCATION/x', '.git'],
    ['..\\x', 'back-slash'],
    ['a\tb', 'control character'],
    ['C:x', 'absolute'],
    ['n'.repeat(256), 'longer'],
  ])('the path %j is refused', async (path, why) => {
    // mktree takes what fast-import would not.
    const blob = git(at.origin, ['hash-object', '-w', '--stdin'], 'x');
    const tree = path
      .split('/')
      .reduceRight(
        (child, name, depth, all) =>
          git(
            at.origin,
            ['mktree', '-z'],
            `${depth === all.length - 1 ? '100644 blob' : '040000 tree'} ${child}\t${name}\0`,
          ),
        blob,
      );
    const top = git(at.origin, ['mktree', '-z'], `040000 tree ${tree}\tpkg\0`);
    git(at.origin, ['update-ref', 'refs/heads/main', git(at.origin, ['commit-tree', '-m', 'x', top])]);
    mirror = await at.open();
    await expect(mirror.readPackage('refs/heads/main', 'pkg')).rejects.toMatchObject({
      code: 'PACKAGE_UNSAFE_PATH',
      message: expect.stringContaining(why),
    });
  });

  test.each([
    [{ 'a/App.yaml': '1', 'a/app.yaml': '2' }],
    [{ 'a/D/x': '1', 'a/d/y': '2' }],
    [{ 'a/\u00e9': '1', 'a/e\u0301': '2' }],
  ])('names that differ only in case or composition are refused', async (files) => {
    seed(at.origin, files);
    mirror = await at.open();
    await expect(mirror.readPackage('refs/heads/main', 'a')).rejects.toMatchObject({
      code: 'PACKAGE_UNSAFE_PATH',
    });
  });

  test('limits are told before anything is read', async () => {
    const commit = seed(at.origin, { 'a/1': 'x'.repeat(100), 'a/2': 'y' });
    mirror = await at.open();
    const reading = (limits: Record<string, number>) => mirror.readPackage(commit, 'a', { limits });
    for (const limits of [{ maxFiles: 1 }, { maxFileBytes: 99 }, { maxTotalBytes: 100 }]) {
      await expect(reading(limits)).rejects.toMatchObject({
        code: 'PACKAGE_TOO_LARGE',
        hint: expect.any(String),
      });
    }
    expect((await reading({ maxFiles: 2, maxFileBytes: 100, maxTotalBytes: 101 }))!.files.size).toBe(2);
  });
});
