// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

beforeAll(async () => {
  const files = {
    ...below('web', smallPackage('web', { data: { color: 'unsafe' } })),
    ...below('api', smallPackage('api')),
  };
  stage = await startStage({ shop: { spec: 'branch: main\npublish: { requireApprovals: 1 }', files } });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a proposal that hides what git would merge is refused, until the base branch is merged into it (153)', async () => {
  const shop = stage.repository('shop');
  const { rest } = stage.as('bob');
  /** A merge that keeps the files of its first parent. */
  const merged = async (parents: readonly string[], path: string): Promise<string> => {
    const entry = {
      path,
      mode: '100644' as const,
      type: 'blob' as const,
      content: configMap('b', { a: 'b' }),
    };
    const tree = await rest.git.createTree({ ...shop.where, base_tree: parents[0]!, tree: [entry] });
    const commit = { message: 'Merge', tree: tree.data.sha, parents: [...parents] };
    return (await rest.git.createCommit({ ...shop.where, ...commit })).data.sha;
  };
  const one = await shop.push(
    'one',
    { 'api/config.yaml': configMap('api', { color: 'one' }) },
    { as: 'bob' },
  );
  const fixed = await shop.push('main', { 'web/config.yaml': configMap('web', { color: 'safe' }) });
  const both = await merged([one, fixed], 'api/b.yaml');
  const first = await shop.open('one', { as: 'bob' });
  await shop.review(first.number, 'APPROVE', undefined, 'carol');
  await stage.idle();
  await shop.command(first.number, '/portico publish', 'bob');
  await stage.idle();
  expect((await shop.pull(first.number)).merged).toBe(true);

  await rest.git.createRef({ ...shop.where, ref: 'refs/heads/two', sha: both });
  const { number } = await shop.open('two', { as: 'bob' });
  await shop.review(number, 'APPROVE', undefined, 'carol');
  await stage.idle();
  const check = (await shop.checksOf(number)).get('portico');
  expect([check?.conclusion, check?.output.summary]).toEqual([
    'failure',
    expect.stringContaining('Merge main into two, and push it.'),
  ]);
  const said = await shop.command(number, '/portico publish', 'bob');
  expect(said.reaction).not.toBe('rocket');
  expect(await shop.read('web/config.yaml')).toContain('safe');

  const sha = await merged([await shop.head('main'), both], 'api/b.yaml');
  await rest.git.updateRef({ ...shop.where, ref: 'heads/two', sha, force: true });
  await stage.idle();
  expect((await shop.checksOf(number)).get('portico/package')?.conclusion).toBe('success');
});
