import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { FileChange, Mirror } from '../../src/git/mirror-types.ts';
import { openMirror } from '../../src/git/mirror.ts';
import type { GitServer } from './http-backend.ts';
import { startGitServer } from './http-backend.ts';
import { git, seed } from './repository.ts';

const BOT = { name: 'Portico', email: 'portico@example.com' };
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\n';

let server: GitServer;
let scratch: string;
let count = 0;
let origin: string;
let url: string;
let mirror: Mirror;
const opened: Mirror[] = [];

const open = async (name: string, options: { url?: string; token?: string } = {}): Promise<Mirror> => {
  const one = await openMirror({
    dir: join(scratch, name),
    url: options.url ?? url,
    protocols: ['http'],
    token: () => Promise.resolve(options.token ?? 'ghs_secret'),
  });
  opened.push(one);
  return one;
};

beforeAll(async () => {
  server = await startGitServer();
  scratch = mkdtempSync(join(tmpdir(), 'portico-mirror-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});
beforeEach(() => {
  count += 1;
  origin = server.create(`repo-${count}`);
  url = `${server.url}/repo-${count}.git`;
  server.token = 'ghs_secret';
  server.intercept = undefined;
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const file = (value: string) => ({ mode: '100644' as const, bytes: text(value) });

const refOf = (ref: string): string => git(origin, ['for-each-ref', '--format=%(objectname)', ref]);
const drop = (ref: string, expected: string) => mirror.push([{ ref, to: null, expect: expected }]);

describe('reads', () => {
  test('an empty repository has no refs', async () => {
    mirror = await open(`m${count}`);
    expect(await mirror.refs()).toEqual(new Map());
    expect(await mirror.resolve('main')).toBeNull();
  });

  test('refs are peeled, and names are resolved', async () => {
    const commit = seed(origin, { 'a/Kptfile': KPTFILE });
    git(origin, ['tag', '-a', 'a/v1', '-m', 'one', commit]);
    git(origin, ['tag', '-a', 'outer', '-m', 'a tag of a tag', 'refs/tags/a/v1']);
    git(origin, ['tag', 'light', commit]);
    git(origin, ['tag', 'a-tree', `${commit}^{tree}`]);
    const tag = git(origin, ['rev-parse', 'refs/tags/a/v1']);
    mirror = await open(`m${count}`);
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
    const first = seed(origin, { 'a/x': '1' }, { message: 'First\n\nBody: ünï\n' });
    const second = seed(origin, { 'b/x': '1' });
    const third = seed(origin, { 'a/x': '2' });
    const side = seed(origin, { z: '1' }, { branch: 'side' });
    mirror = await open(`m${count}`);
    expect(await mirror.commit(first)).toEqual({
      oid: first,
      tree: git(origin, ['rev-parse', `${first}^{tree}`]),
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
    const commit = seed(origin, {
      'a/Kptfile': KPTFILE,
      'a/run.sh': { mode: '100755', text: '#!/bin/sh\n' },
      'a/link': { mode: '120000', text: '/etc/passwd' },
      'a/[x] *.yaml': 'glob',
      'top.yaml': '',
    });
    mirror = await open(`m${count}`);
    const entries = await mirror.list(commit, 'a');
    expect(entries.map((e) => `${e.mode} ${e.type} ${e.size} ${e.path}`)).toEqual([
      `100644 blob ${KPTFILE.length} Kptfile`,
      '100644 blob 4 [x] *.yaml',
      '120000 blob 11 link',
      '100755 blob 10 run.sh',
    ]);
    expect(await mirror.list(commit, 'none')).toEqual([]);
    expect(await mirror.treeId(commit, 'a/')).toBe(git(origin, ['rev-parse', `${commit}:a`]));
    expect(await mirror.treeId(commit, '/')).toBe(git(origin, ['rev-parse', `${commit}^{tree}`]));
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
    const commit = seed(origin, { ...many, 'f/large': large });
    mirror = await open(`m${count}`);
    const files = (await mirror.readPackage(commit, 'f'))!.files;
    expect(files.size).toBe(2_501);
    expect(files.get('large')!.bytes.length).toBe(large.length);
    for (const [path, { bytes }] of files) {
      if (path !== 'large') expect(new TextDecoder().decode(bytes)).toBe(`content ${path}\n`);
    }
  });

  test('differences between commits', async () => {
    const before = seed(origin, { same: '1', edited: '1', gone: '1', 'to-exec': '#!' });
    const after = seed(origin, {
      edited: '2',
      gone: null,
      'ne w': '1',
      'to-exec': { mode: '100755', text: '#!' },
    });
    mirror = await open(`m${count}`);
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

describe('packages', () => {
  test('are found with their subpackages', async () => {
    const commit = seed(origin, {
      'pkgs/app/Kptfile': KPTFILE,
      'pkgs/app/deep/db/Kptfile': KPTFILE,
      'pkgs/app-two/Kptfile': KPTFILE,
      'pkgs/none/x.yaml': '',
      'pkgs/link/Kptfile': { mode: '120000', text: '../app/Kptfile' },
      'other/Kptfile': KPTFILE,
    });
    mirror = await open(`m${count}`);
    const found = await mirror.findPackages(commit, '/pkgs/');
    expect(found.map((p) => [p.path, p.directory, p.parent])).toEqual([
      ['app', 'pkgs/app', null],
      ['app-two', 'pkgs/app-two', null],
      ['app/deep/db', 'pkgs/app/deep/db', 'app'],
    ]);
    expect(found[2]!.tree).toBe(git(origin, ['rev-parse', `${commit}:pkgs/app/deep/db`]));
    expect((await mirror.findPackages(commit, '/')).map((p) => p.path)).toContain('other');
    expect(await mirror.findPackages(commit, 'nowhere')).toEqual([]);
  });

  test('a Kptfile at the top is a package with the empty path', async () => {
    const commit = seed(origin, { Kptfile: KPTFILE, 'sub/Kptfile': KPTFILE });
    mirror = await open(`m${count}`);
    expect((await mirror.findPackages(commit, '')).map((p) => [p.path, p.directory, p.parent])).toEqual([
      ['', '', null],
      ['sub', 'sub', ''],
    ]);
  });

  test('symlinks and submodules are left out and named', async () => {
    const commit = seed(origin, {
      'a/Kptfile': KPTFILE,
      'a/run.sh': { mode: '100755', text: 'x' },
      'a/link': { mode: '120000', text: '/etc/passwd' },
      'a/mod': { mode: '160000', text: '1'.repeat(40) },
    });
    mirror = await open(`m${count}`);
    const found = (await mirror.readPackage(commit, 'a'))!;
    expect([...found.files.keys()]).toEqual(['Kptfile', 'run.sh']);
    expect(found.files.get('run.sh')).toMatchObject({
      mode: '100755',
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(found.skipped).toEqual([
      { path: 'link', reason: 'symlink' },
      { path: 'mod', reason: 'submodule' },
    ]);
    expect(await mirror.readPackage(commit, 'none')).toBeNull();
  });

  test.each([
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
    const blob = git(origin, ['hash-object', '-w', '--stdin'], 'x');
    const tree = path
      .split('/')
      .reduceRight(
        (child, name, at, all) =>
          git(
            origin,
            ['mktree', '-z'],
            `${at === all.length - 1 ? '100644 blob' : '040000 tree'} ${child}\t${name}\0`,
          ),
        blob,
      );
    const top = git(origin, ['mktree', '-z'], `040000 tree ${tree}\tpkg\0`);
    git(origin, ['update-ref', 'refs/heads/main', git(origin, ['commit-tree', '-m', 'x', top])]);
    mirror = await open(`m${count}`);
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
    seed(origin, files);
    mirror = await open(`m${count}`);
    await expect(mirror.readPackage('refs/heads/main', 'a')).rejects.toMatchObject({
      code: 'PACKAGE_UNSAFE_PATH',
    });
  });

  test('limits are told before anything is read', async () => {
    const commit = seed(origin, { 'a/1': 'x'.repeat(100), 'a/2': 'y' });
    mirror = await open(`m${count}`);
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

describe('writes', () => {
  test('a tree changes where it was told to, and empty directories vanish', async () => {
    const commit = seed(origin, {
      'keep/x': '1',
      'gone/only': '1',
      'dir/a': '1',
      'dir/b': '1',
      'was-file': '1',
    });
    mirror = await open(`m${count}`);
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
    expect(await mirror.writeTree(commit, new Map())).toBe(git(origin, ['rev-parse', `${commit}^{tree}`]));
    expect(await mirror.writeTree(tree, new Map([['absent/x', null]]))).toBe(tree);
    expect((await mirror.list(await mirror.writeTree(null, new Map([['a/b', file('1')]])))).length).toBe(1);
    expect([...(await mirror.refs()).keys()]).toEqual(['refs/heads/main']);
  });

  test('emptying everything gives the empty tree, which can be pushed', async () => {
    const commit = seed(origin, { x: '1' });
    mirror = await open(`m${count}`);
    const tree = await mirror.writeTree(commit, new Map([['x', null]]));
    const next = await mirror.commitTree({ tree, parents: [commit], message: 'Empty\n', committer: BOT });
    const result = await mirror.push([{ ref: 'refs/heads/main', to: next, expect: commit }]);
    expect(result).toEqual({ ok: true, unchanged: [] });
    expect(git(origin, ['ls-tree', '-r', 'main'])).toBe('');
  });

  test.each(['../x', '/x', '.git/config', 'a/.GIT/x', 'a//b', 'a\nb', ''])(
    'writing %j is refused',
    async (path) => {
      mirror = await open(`m${count}`);
      const writing = mirror.writeTree(null, new Map([[path, file('x')]]));
      await expect(writing).rejects.toMatchObject({ code: 'INVALID_PATH' });
    },
  );

  test('a path cannot be file and directory', async () => {
    mirror = await open(`m${count}`);
    const changes = new Map([
      ['a', file('1')],
      ['a/b', file('2')],
    ]);
    await expect(mirror.writeTree(null, changes)).rejects.toMatchObject({ code: 'INVALID_PATH' });
  });

  test('commits and tags are the same for the same input, and hold no foreign header', async () => {
    const parent = seed(origin, { x: '1' });
    mirror = await open(`m${count}`);
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
    const base = seed(origin, { a: '1\n2\n3\n4\n5\n', b: '1\n' });
    git(origin, ['branch', 'other', base]);
    const ours = seed(origin, { a: 'X\n2\n3\n4\n5\n' });
    const theirs = seed(origin, { a: '1\n2\n3\n4\nY\n', c: 'new' }, { branch: 'other' });
    const clash = seed(origin, { a: 'Z\n2\n3\n4\nY\n' }, { branch: 'other' });
    mirror = await open(`m${count}`);
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

describe('push', () => {
  let main: string;
  let next: string;
  beforeEach(async () => {
    main = seed(origin, { 'a/Kptfile': KPTFILE });
    mirror = await open(`m${count}`);
    const tree = await mirror.writeTree(main, new Map([['a/x', file('1')]]));
    next = await mirror.commitTree({ tree, parents: [main], message: 'Next\n', committer: BOT });
  });

  test('branch, tag and ledger move together', async () => {
    const tag = await mirror.writeTag({ name: 'a/v1', object: next, message: 'a@v1', tagger: BOT });
    const before = server.requests.length;
    const updates = [
      { ref: 'refs/heads/main', to: next, expect: main },
      { ref: 'refs/tags/a/v1', to: tag, expect: null },
      { ref: 'refs/portico/published/a/v1', to: next, expect: null },
    ];
    expect(await mirror.push(updates)).toEqual({ ok: true, unchanged: [] });
    expect(server.requests.slice(before).filter((r) => r.startsWith('POST'))).toHaveLength(1);
    expect([refOf('refs/heads/main'), refOf('refs/tags/a/v1'), refOf('refs/portico/published/a/v1')]).toEqual(
      [next, tag, next],
    );
    expect(await mirror.resolve('refs/heads/main')).toBe(next);
    expect((await mirror.refs()).get('refs/tags/a/v1')).toEqual({ oid: tag, commit: next, tag: true });
    expect([...(await mirror.fetch()).keys()]).toEqual([]);
    // Again: nothing to do, and no refusal.
    expect(await mirror.push(updates)).toEqual({
      ok: true,
      unchanged: updates.map((u) => u.ref).sort(),
    });
  });

  test('one stale lease moves nothing', async () => {
    const moved = seed(origin, { 'a/y': 'someone else' });
    const result = await mirror.push([
      { ref: 'refs/heads/main', to: next, expect: main },
      { ref: 'refs/tags/a/v1', to: next, expect: null },
    ]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/heads/main', reason: 'stale' }] });
    expect([refOf('refs/heads/main'), refOf('refs/tags/a/v1')]).toEqual([moved, '']);
  });

  test('a tag is made once', async () => {
    git(origin, ['tag', 'a/v1', main]);
    const result = await mirror.push([{ ref: 'refs/tags/a/v1', to: next, expect: null }]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/tags/a/v1', reason: 'exists' }] });
    expect(refOf('refs/tags/a/v1')).toBe(main);
  });

  test('deleting needs the right lease too', async () => {
    git(origin, ['branch', 'old', main]);
    expect(await drop('refs/heads/old', next)).toMatchObject({ ok: false, rejected: [{ reason: 'stale' }] });
    expect(await drop('refs/heads/old', main)).toEqual({ ok: true, unchanged: [] });
    expect(await drop('refs/heads/old', main)).toMatchObject({ ok: false, rejected: [{ reason: 'stale' }] });
    expect(refOf('refs/heads/old')).toBe('');
  });

  test('two at once: one wins', async () => {
    const other = await mirror.commitTree({
      tree: (await mirror.treeId(next, ''))!,
      parents: [main],
      message: 'Other\n',
      committer: BOT,
    });
    const push = (to: string) => mirror.push([{ ref: 'refs/heads/main', to, expect: main }]);
    const results = await Promise.all([push(next), push(other)]);
    expect(results.filter((r) => r.ok)).toHaveLength(1);
    const lost = results.find((r) => !r.ok);
    expect(lost).toMatchObject({ rejected: [{ ref: 'refs/heads/main', reason: 'stale' }] });
  });

  test('a hook that says no is a protection, with its words', async () => {
    writeFileSync(
      join(origin, 'hooks', 'pre-receive'),
      '#!/bin/sh\necho "GH006: Protected branch update failed"\nexit 1\n',
      { mode: 0o755 },
    );
    const result = await mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }]);
    expect(result).toMatchObject({
      ok: false,
      rejected: [{ ref: 'refs/heads/main', reason: 'protected', message: expect.stringContaining('GH006') }],
    });
  });

  test('a branch cannot stand below another', async () => {
    git(origin, ['branch', 'portico', main]);
    const result = await mirror.push([{ ref: 'refs/heads/portico/x', to: next, expect: null }]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/heads/portico/x', reason: 'other' }] });
  });

  test.each([
    '-x',
    'refs/heads/../x',
    'refs/heads/a..b',
    'refs/heads/@{u}',
    'main',
    `refs/heads/${'n'.repeat(256)}`,
    'refs/heads/x:refs/heads/y',
    'refs/heads/a b',
    'refs/heads/x.lock',
    '--mirror',
  ])('the ref %j is refused before git sees it', async (ref) => {
    const before = server.requests.length;
    await expect(mirror.push([{ ref, to: next, expect: null }])).rejects.toMatchObject({
      code: 'INVALID_REF',
    });
    await expect(mirror.fetch({ refspecs: [`+${ref}:refs/heads/x`] })).rejects.toMatchObject({
      code: 'INVALID_REF',
    });
    await expect(mirror.remoteRefs([ref])).rejects.toMatchObject({ code: 'INVALID_REF' });
    expect(server.requests.length).toBe(before);
  });

  test('a lost connection throws', async () => {
    server.intercept = (request) => {
      if (request.method === 'POST') request.socket.destroy();
      return request.method === 'POST';
    };
    const pushing = mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }]);
    await expect(pushing).rejects.toMatchObject({ code: 'GIT_UNREACHABLE', blame: 'forge' });
  });
});

describe('fetch', () => {
  test('tells which refs changed, and forgets deleted ones', async () => {
    const first = seed(origin, { x: '1' });
    git(origin, ['branch', 'drafts/a', first]);
    git(origin, ['update-ref', 'refs/pull/1/head', first]);
    mirror = await open(`m${count}`);
    expect([...(await mirror.refs()).keys()]).toEqual(['refs/heads/drafts/a', 'refs/heads/main']);
    expect(await mirror.fetch()).toEqual(new Map());
    const second = seed(origin, { x: '2' });
    git(origin, ['branch', '-D', 'drafts/a']);
    git(origin, ['branch', 'drafts/a/b', second]);
    expect(await mirror.fetch()).toEqual(
      new Map([
        ['refs/heads/drafts/a', { before: first, after: null }],
        ['refs/heads/drafts/a/b', { before: null, after: second }],
        ['refs/heads/main', { before: first, after: second }],
      ]),
    );
    const pull = '+refs/pull/1/head:refs/pull/1/head';
    expect([...(await mirror.fetch({ refspecs: [pull] })).keys()]).toEqual(['refs/pull/1/head']);
    // What was asked for by name stays until asked again.
    await mirror.fetch();
    expect(await mirror.resolve('refs/pull/1/head')).toBe(first);
    const missing = mirror.fetch({ refspecs: ['+refs/pull/9/head:refs/pull/9/head'] });
    await expect(missing).rejects.toMatchObject({ code: 'GIT_NO_SUCH_REF' });
  });

  test('calls at the same time share one fetch', async () => {
    seed(origin, { x: '1' });
    mirror = await open(`m${count}`);
    const second = await open(`m${count}`);
    const now = seed(origin, { x: '2' });
    const before = server.requests.length;
    await Promise.all([mirror.fetch(), mirror.fetch(), second.fetch(), mirror.fetch()]);
    const advertisements = server.requests.slice(before).filter((r) => r.startsWith('GET'));
    expect(advertisements).toHaveLength(1);
    expect([await mirror.resolve('main'), await second.resolve('main')]).toEqual([now, now]);
  });

  test('remote refs are told without fetching', async () => {
    const commit = seed(origin, { x: '1' });
    git(origin, ['tag', '-a', 'a/v1', '-m', 'one', commit]);
    mirror = await open(`m${count}`);
    const moved = seed(origin, { x: '2' });
    const tag = git(origin, ['rev-parse', 'refs/tags/a/v1']);
    expect(await mirror.remoteRefs(['refs/tags/*'])).toEqual(
      new Map([['refs/tags/a/v1', { oid: tag, commit }]]),
    );
    expect((await mirror.remoteRefs()).get('refs/heads/main')).toEqual({ oid: moved, commit: moved });
    expect(await mirror.resolve('main')).toBe(commit);
  });

  test.each(['objects', 'refs', 'a blob'])('damage (%s) is mended', async (what) => {
    const commit = seed(origin, { 'a/x': '1' });
    mirror = await open(`m${count}`);
    if (what === 'a blob') {
      const blob = git(origin, ['rev-parse', `${commit}:a/x`]);
      rmSync(join(mirror.dir, 'objects', blob.slice(0, 2), blob.slice(2)));
      await expect(mirror.readPackage(commit, 'a')).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
    } else {
      rmSync(join(mirror.dir, what), { recursive: true });
    }
    await mirror.fetch();
    expect((await mirror.readPackage(commit, 'a'))!.files.size).toBe(1);
    rmSync(join(mirror.dir, 'HEAD'));
    const again = await open(`m${count}`);
    expect((await again.readPackage(commit, 'a'))!.files.size).toBe(1);
  });

  test('an abort ends the fetch, and the next one works', async () => {
    seed(origin, { x: '1' });
    mirror = await open(`m${count}`);
    const asked = Promise.withResolvers<void>();
    server.intercept = () => {
      asked.resolve();
      return true; // and never answers
    };
    const stop = new AbortController();
    const fetching = mirror.fetch({}, stop.signal);
    await asked.promise;
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
    server.intercept = undefined;
    await mirror.fetch();
  });
});

describe('the remote is not trusted', () => {
  test('a refused token is asked for afresh, once', async () => {
    seed(origin, { x: '1' });
    const asked: (boolean | undefined)[] = [];
    const token = (refresh?: boolean): Promise<string> => {
      asked.push(refresh);
      return Promise.resolve(refresh === true ? 'ghs_secret' : 'ghs_expired');
    };
    mirror = await openMirror({ dir: join(scratch, `m${count}`), url, protocols: ['http'], token });
    opened.push(mirror);
    expect(asked).toEqual([false, true]);
    expect(await mirror.resolve('main')).not.toBeNull();
  });

  test('a wrong token is an error that does not tell it, and leaves nothing behind', async () => {
    const error = await open(`m${count}`, { token: 'ghs_wrong' }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'GIT_AUTH', blame: 'forge' });
    const told = `${(error as Error).message}${(error as Error).stack}`;
    expect(told).not.toContain('ghs_wrong');
    expect(told).not.toContain(Buffer.from('x-access-token:ghs_wrong').toString('base64'));
    expect(readdirSync(scratch).filter((name) => name.startsWith(`m${count}`))).toEqual([]);
  });

  test('the token is nowhere on disk', async () => {
    seed(origin, { x: '1' });
    mirror = await open(`m${count}`);
    for (const entry of readdirSync(mirror.dir, { recursive: true, withFileTypes: true })) {
      expect(entry.name).not.toContain('ghs_');
    }
    expect(git(mirror.dir, ['config', '--list'])).not.toMatch(/secret|extraheader|http:/i);
  });

  test('a missing repository', async () => {
    await expect(open(`m${count}`, { url: `${server.url}/none.git` })).rejects.toMatchObject({
      code: 'GIT_NOT_FOUND',
    });
  });

  test.each([
    'ext::sh -c id',
    'file:///etc',
    '/etc',
    'ssh://git@example.com/x',
    'git@example.com:x/y.git',
    '--upload-pack=id',
    'https://user:password@example.com/x.git',
  ])('the URL %j is refused', async (bad) => {
    await expect(open(`m${count}`, { url: bad })).rejects.toMatchObject({ code: 'INVALID_URL' });
  });

  test('http is refused where the forge is on https', async () => {
    const opening = openMirror({ dir: join(scratch, `m${count}`), url });
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_URL' });
  });

  test('a redirect is not followed', async () => {
    const reached: string[] = [];
    server.intercept = (request, response) => {
      if (request.url?.startsWith('/elsewhere')) reached.push(request.url);
      response
        .writeHead(302, { location: `${server.url}/elsewhere/info/refs?service=git-upload-pack` })
        .end();
      return true;
    };
    await expect(open(`m${count}`)).rejects.toMatchObject({ blame: 'forge' });
    expect(reached).toEqual([]);
  });

  test('hooks, filters and monitors of the mirror are not run', async () => {
    const commit = seed(origin, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', x: '1\n' });
    mirror = await open(`m${count}`);
    const mark = join(scratch, `ran-${count}`);
    const run = `touch ${mark}`;
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.command',
      'merge.evil.driver',
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'uploadpack.packObjectsHook',
    ]) {
      git(mirror.dir, ['config', key, run]);
    }
    for (const hook of ['reference-transaction', 'pre-push', 'post-update', 'pre-auto-gc', 'post-checkout']) {
      git(mirror.dir, ['config', 'core.hooksPath', join(mirror.dir, 'hooks')]);
      mkdirSync(join(mirror.dir, 'hooks'), { recursive: true });
      writeFileSync(join(mirror.dir, 'hooks', hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
      seed(origin, { y: hook });
      await mirror.fetch();
      const tree = await mirror.writeTree('refs/heads/main', new Map([['x', file(`${hook}\n`)]]));
      const main = (await mirror.resolve('main'))!;
      const next = await mirror.commitTree({ tree, parents: [main], message: 'x\n', committer: BOT });
      expect(await mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }])).toMatchObject({
        ok: true,
      });
      await mirror.mergeTrees(commit, next);
      await mirror.changedPaths(commit, next);
    }
    expect(existsSync(mark)).toBe(false);
  });
});
