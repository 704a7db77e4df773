import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createBareRepository, openBareRepository } from '../src/bare-repository.ts';
import type { GitRepository } from '../src/git-repository.ts';
import { pktLine, readPushHead, withReasons } from '../src/pkt-line.ts';

let directory: string;
let git: GitRepository;
const person = { name: 'A <b>\n', email: 'a@example.com', date: '2026-11-21T10:00:00+02:00' };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bare-'));
  await createBareRepository(directory, 'main');
  git = openBareRepository(directory);
});
afterAll(async () => {
  await git.close();
  await rm(directory, { recursive: true, force: true });
});

const real = (...args: string[]): string =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
const commitOf = async (files: Record<string, string>, parents: string[] = []): Promise<string> => {
  const entries = [];
  for (const [path, content] of Object.entries(files)) {
    entries.push({ path, mode: '100644', sha: await git.writeBlob(Buffer.from(content)) });
  }
  return git.writeCommit({
    tree: await git.writeTree(entries),
    parents,
    message: 'm\n',
    author: person,
    committer: person,
  });
};

describe('objects', () => {
  test('trees equal those of git, whatever the edits', async () => {
    const segment = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'a0', 'ä');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const edits = fc.array(fc.tuple(path, fc.boolean()), { minLength: 1, maxLength: 8 });
    const blob = await git.writeBlob(Buffer.from('x'));
    await fc.assert(
      fc.asyncProperty(edits, async (list) => {
        let tree = await git.writeTree([]);
        const files = new Set<string>();
        for (const [name, isSet] of list) {
          tree = await git.writeTree([{ path: name, mode: '100644', sha: isSet ? blob : null }], tree);
          if (isSet) {
            // A file takes the place of a directory of that name, and the other way round.
            for (const file of files)
              if (file.startsWith(`${name}/`) || name.startsWith(`${file}/`)) files.delete(file);
            files.add(name);
          } else
            for (const file of files) if (file === name || file.startsWith(`${name}/`)) files.delete(file);
        }
        const listed = (await git.tree(tree, { recursive: true })).filter((entry) => entry.type === 'blob');
        expect(listed.map((entry) => entry.path).toSorted()).toEqual([...files].toSorted());
      }),
      { numRuns: 60 },
    );
    expect(real('fsck', '--strict', '--no-dangling')).not.toMatch(/error|warning/);
  });

  test('come back whole from many questions at once, large ones too', async () => {
    const contents = [
      ...Array.from({ length: 300 }, (_, index) => Buffer.alloc(index * 97, index % 256)),
      Buffer.alloc(5_000_000, 7),
    ];
    const ids = await Promise.all(contents.map((content) => git.writeBlob(content)));
    const [objects, missing] = await Promise.all([
      Promise.all(ids.map((id) => git.object(id))),
      git.object('1'.repeat(40)),
    ]);
    expect(missing).toBeUndefined();
    for (const [index, found] of objects.entries())
      expect(found?.content.equals(contents[index]!)).toBe(true);
    expect(await git.object('x\ny')).toBeUndefined();
  });

  test('a person cannot break out of the header', async () => {
    const sha = await commitOf({ a: 'a' });
    expect(real('cat-file', '-p', sha)).toContain('author A b <a@example.com> 1795248000 +0200\n');
    expect((await git.commit(sha))!.author).toEqual({
      name: 'A b',
      email: 'a@example.com',
      date: '2026-11-21T08:00:00Z',
    });
  });
});

describe('refs', () => {
  test('move all together, and only from where they were expected', async () => {
    const one = await commitOf({ a: '1' });
    const two = await commitOf({ a: '2' }, [one]);
    expect(await git.updateRefs([{ ref: 'refs/heads/main', before: null, after: one }])).toEqual({
      ok: true,
    });
    const again = await git.updateRefs([
      { ref: 'refs/heads/other', before: null, after: one },
      { ref: 'refs/heads/main', before: two, after: two },
    ]);
    expect(again.ok).toBe(false);
    expect(await git.ref('refs/heads/other')).toBeUndefined();
    expect(
      (await git.updateRefs([{ ref: 'refs/heads/x\ndelete refs/heads/main', before: null, after: one }])).ok,
    ).toBe(false);
    expect(await git.isAncestor(one, two)).toBe(true);
    expect(await git.aheadBehind(one, two)).toEqual({ ahead: 1, behind: 0 });
    for (const word of ['main', 'heads/main', 'refs/heads/main', 'HEAD', one, one.slice(0, 10)]) {
      expect(await git.resolve(word)).toBe(one);
    }
    for (const word of ['main~1', '--all', 'main:a', '@', '', ':/m', '^main'])
      expect(await git.resolve(word)).toBeUndefined();
  });

  test('answer about history as git does, near and far', async () => {
    const shas = [await commitOf({ a: '0' })];
    // A line of 60, with a side branch merged in the middle.
    for (let index = 1; index < 60; index += 1) {
      const parents = [shas.at(-1)!, ...(index === 30 ? [await commitOf({ side: 's' }, [shas[5]!])] : [])];
      shas.push(await commitOf({ a: String(index), [`d/${index % 3}`]: 'x' }, parents));
    }
    const apart = await commitOf({ z: 'z' });
    for (const [one, other] of [
      [0, 59],
      [59, 0],
      [58, 59],
      [29, 31],
      [3, 40],
      [5, 5],
    ] as const) {
      const [from, to] = [shas[one]!, shas[other]!];
      const reached = real('rev-list', to).includes(from);
      expect(await git.isAncestor(from, to)).toBe(reached);
      expect(await git.mergeBase(from, to)).toBe(real('merge-base', from, to).trim());
      const listed = real('rev-list', to, `^${from}`).trim().split('\n').filter(Boolean);
      expect((await git.log({ include: [to], exclude: [from] })).toSorted()).toEqual(listed.toSorted());
      const trees = await Promise.all([from, to].map(async (sha) => (await git.commit(sha))!.tree));
      const changed = (await git.changedPaths(trees[0], trees[1])).map(
        ({ status, path }) => `${status}\t${path}`,
      );
      const names = real('diff-tree', '-r', '--no-renames', '--name-status', from, to)
        .trim()
        .split('\n')
        .filter(Boolean);
      expect(changed.toSorted()).toEqual(names.toSorted());
    }
    expect(await git.isAncestor(apart, shas[59]!)).toBe(false);
    expect(await git.mergeBase(apart, shas[0]!)).toBeUndefined();
  });

  test('merge by their trees, with conflicts named', async () => {
    const base = await commitOf({ a: '1\n2\n3\n4\n5\n', b: 'b' });
    const ours = await commitOf({ a: 'one\n2\n3\n4\n5\n', b: 'b' }, [base]);
    const theirs = await commitOf({ a: '1\n2\n3\n4\nfive\n', b: 'b' }, [base]);
    const clean = await git.mergeTree(ours, theirs);
    expect(clean.clean).toBe(true);
    expect((await git.object((await git.entry(clean.tree, 'a'))!.sha))!.content.toString()).toBe(
      'one\n2\n3\n4\nfive\n',
    );
    const other = await commitOf({ a: 'uno\n2\n3\n4\n5\n', b: 'b' }, [base]);
    expect(await git.mergeTree(ours, other)).toMatchObject({ clean: false, conflicts: ['a'] });
  });

  test('a change of type, a mode and an odd name are one file each', async () => {
    const blob = await git.writeBlob(Buffer.from('x\n'));
    const entry = (path: string, mode: string) => ({ path, mode, sha: blob });
    const from = await git.writeTree([
      entry('a\tb"', '100644'),
      entry('link', '100644'),
      entry('z', '100644'),
    ]);
    const to = await git.writeTree([
      entry('a\tb"', '100755'),
      entry('link', '120000'),
      { ...entry('z', '100644'), sha: await git.writeBlob(Buffer.from('y\n')) },
    ]);
    const files = await git.diff(from, to);
    expect(files.map((file) => [file.path, file.status, file.patch])).toEqual([
      ['a\tb"', 'modified', undefined],
      ['link', 'changed', '@@ -0,0 +1 @@\n+x'],
      ['z', 'modified', '@@ -1 +1 @@\n-x\n+y'],
    ]);
  });
});

describe('the protocol of a push', () => {
  const sha = 'a'.repeat(40);
  const head = Buffer.concat([
    pktLine(`${'0'.repeat(40)} ${sha} refs/heads/x\0 report-status atomic`),
    Buffer.from('0000PACK'),
  ]);

  test('is read however it is cut', () => {
    for (let cut = 0; cut < head.length - 8; cut += 1)
      expect(readPushHead(head.subarray(0, cut))).toBeUndefined();
    expect(readPushHead(head)).toEqual({
      commands: [{ ref: 'refs/heads/x', before: null, after: sha }],
      capabilities: ['report-status', 'atomic'],
    });
    expect(() => readPushHead(Buffer.from('nonsense'))).toThrow(RangeError);
  });

  test('carries the reasons of the forge in its report, and nothing else changes', () => {
    const status = Buffer.concat([
      pktLine('unpack ok\n'),
      pktLine('ok refs/heads/y\n'),
      pktLine('ng refs/heads/x hook declined\n'),
      Buffer.from('0000'),
    ]);
    const reasons = new Map([['refs/heads/x', 'protected branch hook declined']]);
    expect(withReasons(status, reasons).toString()).toContain(
      'ng refs/heads/x protected branch hook declined\n',
    );
    expect(withReasons(status, new Map())).toEqual(status);
    const banded = Buffer.concat([
      pktLine(Buffer.concat([Buffer.from([2]), Buffer.from('hello')])),
      pktLine(Buffer.concat([Buffer.from([1]), status])),
      Buffer.from('0000'),
    ]);
    const out = withReasons(banded, reasons).toString('latin1');
    expect(out).toContain('\u0002hello');
    expect(out).toContain('\u0001000eunpack ok\n');
    expect(out.endsWith('00000000')).toBe(true);
  });
});
