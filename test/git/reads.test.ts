import { describe, expect, test } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import { KPTFILE, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;

describe('reads', () => {
  test('an empty repository has no refs', async () => {
    mirror = await at.open();
    expect(await mirror.refs()).toEqual(new Map());
    expect(await mirror.resolve('main')).toBeNull();
  });

  test('refs are peeled, and names are resolved', async () => {
    const commit = seed(at.origin, { 'a/Kptfile': KPTFILE });
    git(at.origin, ['tag', '-a', 'a/v1', '-m', 'one', commit]);
    git(at.origin, ['tag', '-a', 'outer', '-m', 'a tag of a tag', 'refs/tags/a/v1']);
    git(at.origin, ['tag', 'light', commit]);
    git(at.origin, ['tag', 'a-tree', `${commit}^{tree}`]);
    const tag = git(at.origin, ['rev-parse', 'refs/tags/a/v1']);
    mirror = await at.open();
    const refs = await mirror.refs();
    expect([...refs.keys()]).toEqual([
      'refs/heads/main',
      'refs/tags/a/v1',
      'refs/tags/light',
      'refs/tags/outer',
    ]);
    expect(refs.get('refs/tags/a/v1')).toEqual({ oid: tag, commit, tag: true });
    expect(refs.get('refs/tags/outer')).toMatchObject({ commit, tag: true });
    expect(refs.get('refs/tags/light')).toEqual({ oid: commit, commit, tag: false });
    for (const rev of ['main', 'refs/heads/main', 'a/v1', tag, commit]) {
      expect(await mirror.resolve(rev)).toBe(commit);
    }
    for (const rev of ['nope', 'main~1', '--all', 'main^{tree}', 'a..b', '@{u}', '0'.repeat(40)]) {
      expect(await mirror.resolve(rev)).toBeNull();
    }
    expect([...(await mirror.refs('refs/tags/a/')).keys()]).toEqual(['refs/tags/a/v1']);
    expect(await mirror.tag('refs/tags/a/v1')).toMatchObject({
      oid: tag,
      object: commit,
      name: 'a/v1',
      message: 'one\n',
    });
    expect(await mirror.tag('refs/tags/light')).toBeNull();
  });

  test('commits, logs and ancestors', async () => {
    const first = seed(at.origin, { 'a/x': '1' }, { message: 'First\n\nBody: ünï\n' });
    const second = seed(at.origin, { 'b/x': '1' });
    const third = seed(at.origin, { 'a/x': '2' });
    const side = seed(at.origin, { z: '1' }, { branch: 'side' });
    mirror = await at.open();
    expect(await mirror.commit(first)).toEqual({
      oid: first,
      tree: git(at.origin, ['rev-parse', `${first}^{tree}`]),
      parents: [],
      author: { name: 'Test', email: 'test@example.com', date: '2023-11-15T00:13:20+02:00' },
      committer: { name: 'Test', email: 'test@example.com', date: '2023-11-15T00:13:20+02:00' },
      message: 'First\n\nBody: ünï\n',
    });
    const ids = async (...args: Parameters<Mirror['log']>) => (await mirror.log(...args)).map((c) => c.oid);
    expect(await ids({ to: 'refs/heads/main' })).toEqual([third, second, first]);
    expect(await ids({ from: first, to: third })).toEqual([third, second]);
    expect(await ids({ to: third }, { path: 'a' })).toEqual([third, first]);
    expect(await ids({ to: third }, { limit: 1 })).toEqual([third]);
    expect(await mirror.isAncestor(first, third)).toBe(true);
    expect(await mirror.isAncestor(third, first)).toBe(false);
    expect(await mirror.mergeBase(first, third)).toBe(first);
    expect(await mirror.mergeBase(side, third)).toBeNull();
    await expect(mirror.commit('f'.repeat(40))).rejects.toMatchObject({ code: 'GIT_UNKNOWN_REVISION' });
  });

  test('trees, files and blobs', async () => {
    const commit = seed(at.origin, {
      'a/Kptfile': KPTFILE,
      'a/run.sh': { mode: '100755', text: '#!/bin/sh\n' },
      'a/link': { mode: '120000', text: '/etc/passwd' },
      'a/[x] *.yaml': 'glob',
      'top.yaml': '',
    });
    mirror = await at.open();
    const entries = await mirror.list(commit, 'a');
    expect(entries.map((e) => `${e.mode} ${e.type} ${e.size} ${e.path}`)).toEqual([
      `100644 blob ${KPTFILE.length} Kptfile`,
      '100644 blob 4 [x] *.yaml',
      '120000 blob 11 link',
      '100755 blob 10 run.sh',
    ]);
    expect(await mirror.list(commit, 'none')).toEqual([]);
    expect(await mirror.treeId(commit, 'a/')).toBe(git(at.origin, ['rev-parse', `${commit}:a`]));
    expect(await mirror.treeId(commit, '/')).toBe(git(at.origin, ['rev-parse', `${commit}^{tree}`]));
    expect(await mirror.treeId(commit, 'top.yaml')).toBeNull();
    const read = async (path: string) => {
      const bytes = await mirror.readFile(commit, path);
      return bytes && new TextDecoder().decode(bytes);
    };
    expect(await read('a/[x] *.yaml')).toBe('glob');
    expect(await read('top.yaml')).toBe('');
    expect([await read('a/link'), await read('a'), await read('nope/x'), await read('x')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    await expect(read('../x')).rejects.toMatchObject({ code: 'INVALID_PATH' });
    const blobs = await mirror.readBlobs(entries.map((e) => e.id));
    expect(blobs.size).toBe(4);
    await expect(mirror.readBlob('0'.repeat(40))).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
  });

  test('many blobs, one of them large, come whole and in any order', async () => {
    const large = 'x'.repeat(3_000_000);
    const many = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`f/${n}`, `content ${n}\n`]));
    const commit = seed(at.origin, { ...many, 'f/large': large });
    mirror = await at.open();
    const files = (await mirror.readPackage(commit, 'f'))!.files;
    expect(files.size).toBe(2_501);
    expect(files.get('large')!.bytes.length).toBe(large.length);
    for (const [path, { bytes }] of files) {
      if (path !== 'large') expect(new TextDecoder().decode(bytes)).toBe(`content ${path}\n`);
    }
  });

  test('differences between commits', async () => {
    const before = seed(at.origin, { same: '1', edited: '1', gone: '1', 'to-exec': '#!' });
    const after = seed(at.origin, {
      edited: '2',
      gone: null,
      'ne w': '1',
      'to-exec': { mode: '100755', text: '#!' },
    });
    mirror = await at.open();
    const changes = await mirror.changedPaths(before, after);
    expect(changes.map((c) => `${c.status} ${c.path}`)).toEqual([
      'modified edited',
      'deleted gone',
      'added ne w',
      'modified to-exec',
    ]);
    expect(changes[3]).toMatchObject({ before: { mode: '100644' }, after: { mode: '100755' } });
    expect((await mirror.changedPaths(null, before)).map((c) => c.status)).toEqual([
      'added',
      'added',
      'added',
      'added',
    ]);
    expect(await mirror.changedPaths(after, after)).toEqual([]);
  });
});
