// @module-tag story
import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import type { FileChange } from '../../src/reconcile/git-port.ts';
import { BOT, file, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();

/** Names that sort in ways one does not expect: a directory comes as if its name ended in a slash. */
const NAMES = ['a', 'a.b', 'a0', 'a-', 'b', 'Kptfile', 'ü', 'c d'];

test('trees that are written and compared one by one are those that git makes', async () => {
  const first = seed(at.origin, { 'a/x': '1', 'keep.yaml': 'keep' });
  const mirror = await at.open();
  const model = new Map([
    ['a/x', '1'],
    ['keep.yaml', 'keep'],
  ]);
  let turn = 0;
  const roll = (sides: number): number =>
    createHash('sha256')
      .update(`${(turn += 1)}`)
      .digest()
      .readUInt32BE() % sides;
  let tree = git(at.origin, ['rev-parse', `${first}^{tree}`]);
  for (let round = 0; round < 60; round += 1) {
    const changes = new Map<string, FileChange>();
    for (let count = 1 + roll(6); count > 0; count -= 1) {
      const path = Array.from({ length: 1 + roll(3) }, () => NAMES[roll(NAMES.length)]!).join('/');
      const overlaps = [...changes.keys()].some(
        (other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
      );
      if (!overlaps) changes.set(path, roll(3) === 0 ? null : file(`${round} ${count}`));
    }
    const before = new Map(model);
    for (const [path, change] of changes) {
      const above = path.split('/').map((_part, end, parts) => parts.slice(0, end).join('/'));
      const belowFile = above.some((one) => model.has(one));
      if (change === null && belowFile) continue;
      for (const one of model.keys()) {
        if (one === path || one.startsWith(`${path}/`) || (change !== null && above.includes(one)))
          model.delete(one);
      }
      if (change !== null) model.set(path, new TextDecoder().decode(change.bytes));
    }
    const next = await mirror.writeTree(tree, changes);
    const listed = await mirror.list(next);
    const told = await Promise.all(
      listed.map(async ({ path, id, size }) => {
        const bytes = await mirror.readBlob(id);
        expect(size).toBe(bytes.length);
        return [path, new TextDecoder().decode(bytes)] as const;
      }),
    );
    expect(new Map(told)).toEqual(model);
    const list = git(mirror.dir, ['ls-tree', '-r', '--name-only', '-z', next]);
    expect(listed.map(({ path }) => `${path}\0`).join('')).toBe(list);
    const diff = git(mirror.dir, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', tree, next]);
    expect((await mirror.changedPaths(tree, next)).map(({ path }) => `${path}\0`).join('')).toBe(diff);
    const paths = new Set([...before.keys(), ...model.keys()]);
    const changed = [...paths].filter((path) => before.get(path) !== model.get(path));
    expect(new Set((await mirror.changedPaths(tree, next)).map(({ path }) => path))).toEqual(
      new Set(changed),
    );
    const packages = [...model.keys()].filter((path) => /(^|\/)Kptfile$/.test(path));
    expect((await mirror.findPackages(next, '')).map(({ path }) => path).toSorted()).toEqual(
      packages.map((path) => path.replace(/\/?Kptfile$/, '') || '.').toSorted(),
    );
    tree = next;
  }
  const commit = await mirror.commitTree({ tree, parents: [first], message: 'All\n', committer: BOT });
  expect(await mirror.push([{ ref: 'refs/heads/main', to: commit, expect: first }])).toMatchObject({
    ok: true,
  });
  expect(git(at.origin, ['fsck', '--strict', '--no-dangling'])).toBe('');
});
