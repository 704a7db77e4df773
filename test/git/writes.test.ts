import { describe, expect, test } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import type { FileChange } from '../../src/reconcile/git-port.ts';
import { BOT, file, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;

describe('writes', () => {
  test('a tree changes where it was told to, and empty directories vanish', async () => {
    const commit = seed(at.origin, {
      'keep/x': '1',
      'gone/only': '1',
      'dir/a': '1',
      'dir/b': '1',
      'was-file': '1',
    });
    mirror = await at.open();
    const tree = await mirror.writeTree(
      commit,
      new Map<string, FileChange>([
        ['gone/only', null],
        ['dir', null],
        ['was-file', null],
        ['was-file/now/dir', file('2')],
        ['new "quoted" ünï.yaml', file('3')],
        ['tool', { mode: '100755' as const, bytes: new Uint8Array([0, 10, 255]) }],
      ]),
    );
    expect((await mirror.list(tree)).map((e) => `${e.mode} ${e.path}`)).toEqual([
      '100644 keep/x',
      '100644 new "quoted" ünï.yaml',
      '100755 tool',
      '100644 was-file/now/dir',
    ]);
    expect([...(await mirror.readBlob((await mirror.list(tree))[2]!.id))]).toEqual([0, 10, 255]);
    expect(await mirror.writeTree(commit, new Map())).toBe(git(at.origin, ['rev-parse', `${commit}^{tree}`]));
    expect(await mirror.writeTree(tree, new Map([['absent/x', null]]))).toBe(tree);
    expect((await mirror.list(await mirror.writeTree(null, new Map([['a/b', file('1')]])))).length).toBe(1);
    expect([...(await mirror.refs()).keys()]).toEqual(['refs/heads/main']);
  });

  test('emptying everything gives the empty tree, which can be pushed', async () => {
    const commit = seed(at.origin, { x: '1' });
    mirror = await at.open();
    const tree = await mirror.writeTree(commit, new Map([['x', null]]));
    const next = await mirror.commitTree({ tree, parents: [commit], message: 'Empty\n', committer: BOT });
    const result = await mirror.push([{ ref: 'refs/heads/main', to: next, expect: commit }]);
    expect(result).toEqual({ ok: true, unchanged: [] });
    expect(git(at.origin, ['ls-tree', '-r', 'main'])).toBe('');
  });

  test.each(['../x', '/x', '.git/config', 'a/.GIT/x', 'a//b', 'a\nb', ''])(
    'writing %j is refused',
    async (path) => {
      mirror = await at.open();
      const writing = mirror.writeTree(null, new Map([[path, file('x')]]));
      await expect(writing).rejects.toMatchObject({ code: 'INVALID_PATH' });
    },
  );

  test('a path cannot be file and directory', async () => {
    mirror = await at.open();
    const changes = new Map([
      ['a', file('1')],
      ['a/b', file('2')],
    ]);
    await expect(mirror.writeTree(null, changes)).rejects.toMatchObject({ code: 'INVALID_PATH' });
  });

  test('commits and tags are the same for the same input, and hold no foreign header', async () => {
    const parent = seed(at.origin, { x: '1' });
    mirror = await at.open();
    const tree = (await mirror.treeId(parent, ''))!;
    const date = new Date(1_700_000_000_000);
    const evil = { name: 'A <b>\nparent x', email: 'a@b>\nc' };
    const input = {
      tree,
      parents: [parent],
      message: '-F /etc/passwd\n',
      committer: evil,
      author: BOT,
      date,
    };
    const commit = await mirror.commitTree(input);
    expect(await mirror.commitTree(input)).toBe(commit);
    expect(await mirror.commit(commit)).toMatchObject({
      parents: [parent],
      message: '-F /etc/passwd\n',
      author: { ...BOT, date: '2023-11-14T22:13:20+00:00' },
      committer: { name: 'A  b parent x', email: 'a@b c' },
    });
    const tag = { name: 'a/v1', object: commit, message: 'app@v1\n\nPackage: a', tagger: evil, date };
    const oid = await mirror.writeTag(tag);
    expect(await mirror.writeTag(tag)).toBe(oid);
    expect(await mirror.tag(oid)).toMatchObject({
      object: commit,
      name: 'a/v1',
      message: 'app@v1\n\nPackage: a\n',
    });
    await expect(mirror.writeTag({ ...tag, name: 'a..b' })).rejects.toMatchObject({ code: 'INVALID_REF' });
  });

  test('merges as git does, with the common or a chosen base', async () => {
    const base = seed(at.origin, { a: '1\n2\n3\n4\n5\n', b: '1\n' });
    git(at.origin, ['branch', 'other', base]);
    const ours = seed(at.origin, { a: 'X\n2\n3\n4\n5\n' });
    const theirs = seed(at.origin, { a: '1\n2\n3\n4\nY\n', c: 'new' }, { branch: 'other' });
    const clash = seed(at.origin, { a: 'Z\n2\n3\n4\nY\n' }, { branch: 'other' });
    mirror = await at.open();
    const clean = await mirror.mergeTrees(ours, theirs);
    expect(clean.conflicts).toEqual([]);
    const merged = (await mirror.list(clean.tree)).find((e) => e.path === 'a')!;
    expect(new TextDecoder().decode(await mirror.readBlob(merged.id))).toBe('X\n2\n3\n4\nY\n');
    expect((await mirror.mergeTrees(ours, clash)).conflicts).toEqual(['a']);
    // Over `clash` as base, "ours" changed it back and "theirs" is what stands there.
    const chosen = await mirror.mergeTrees(ours, clash, { base: clash });
    expect(chosen).toEqual({ tree: await mirror.treeId(ours, ''), conflicts: [] });
  });
});
