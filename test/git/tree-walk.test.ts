import { expect, test } from 'vitest';

import { walkTree as walkFromCli } from '../../src/cli/walk-tree.ts';
import { openObjectReader } from '../../src/git/batch.ts';
import { createRepo } from '../../src/git/repo.ts';
import { walkChanges, walkKptfiles, walkTree } from '../../src/git/tree-walk.ts';
import { useMirrors } from './mirror-fixture.ts';
import { git } from './repository.ts';

const at = useMirrors();

/** Eight trees, each with the one below ten times: a hundred million paths, and no file. */
function bomb(leaf: string): string {
  let tree = leaf;
  for (let level = 0; level < 8; level += 1) {
    const lines = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\t${index}\n`);
    tree = git(at.origin, ['mktree'], lines.join(''));
  }
  return tree;
}

test('trees that hold each other many times are left to a process that can be ended', async () => {
  const setup = { gitDir: at.origin, protocols: [] };
  const objects = openObjectReader(setup);
  const repo = createRepo(setup, objects, { count: 0 });
  const empty = git(at.origin, ['mktree'], '');
  const one = bomb(empty);
  const other = bomb(git(at.origin, ['mktree'], `040000 tree ${empty}\tx\n`));
  expect(await walkTree(repo, one, undefined)).toBeNull();
  expect(await walkChanges(repo, one, other, undefined)).toBeNull();
  expect((await walkKptfiles(repo, one, undefined))?.found).toEqual([]);
  objects.restart();
});

test('a tree that is cut short is damage, and no smaller tree', async () => {
  const setup = { gitDir: at.origin, protocols: [] };
  const objects = openObjectReader(setup);
  const repo = createRepo(setup, objects, { count: 0 });
  const blob = git(at.origin, ['hash-object', '-w', '--stdin'], 'x');
  const whole = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(blob, 'hex')]);
  for (const bytes of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.from('100644 b')])]) {
    const tree = git(at.origin, ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], bytes);
    await expect(walkTree(repo, tree, undefined)).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
    await expect(walkFromCli(repo, tree)).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
  }
  expect(repo.damaged()).toBe(true);
  objects.restart();
});
