// @module-tag story
import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Merges that put other commits before the ones that Portico sealed, or beside an older state of them. */
let stage: Stage;

const SHOP = smallPackage('web');
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ packages: [web] }]
  waves:
  - { name: canary, select: { repositories: [canary, second] }, gate: { statuses: [flux] } }
  - { name: all }
`;
const NOBODY =
  'branch: main\ndeployment: true\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }';
const color = (name: string, value: string): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap('web', { color: value }),
});

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', SHOP), '.github/portico/rollout.yaml': ROLLOUT } },
      plain: { files: below('web', SHOP) },
      canary: { spec: NOBODY },
      second: { spec: NOBODY },
      open: { spec: 'branch: main\nupdates: { follow: latest }' },
      draft: { files: below('web', SHOP) },
      replayed: { spec: 'branch: main\nupdates: { follow: latest }' },
    },
    { shares: true },
  );
  await stage.repository('up').publish('one', color('web', 'one'));
  await stage.repository('plain').publish('one', color('web', 'one'));
  for (const name of ['canary', 'second']) await follow(name, 'up');
  for (const name of ['open', 'replayed']) await follow(name, 'plain');
  await stage.repository('open').publish('own', color('shop', 'mine'));
  for (const name of ['up', 'plain']) await stage.repository(name).publish('two', color('web', 'two'));
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function follow(name: string, upstream: string): Promise<void> {
  const up = stage.repository(upstream);
  const Kptfile = locked(SHOP['Kptfile']!, up.url, 'web', 'web/v1', (await up.tags()).get('web/v1')!);
  const files = below('shop', { ...SHOP, Kptfile });
  await stage.repository(name).push('main', { ...files, ...color('shop', 'one') });
  await stage.idle();
}

async function update(repo: StageRepository) {
  const pull = (await repo.pulls()).find(({ user }) => user?.type === 'Bot')!;
  const checks = await repo.checksOf(pull.number);
  return { pull, conflicts: checks.get('portico/conflicts'), portico: checks.get('portico') };
}

/** Pushes a merge with the content of the branch and these parents to it. */
async function pushMerge(
  repo: StageRepository,
  parentsOf: (head: string) => Promise<string[]>,
  of?: number,
): Promise<void> {
  const pull = of === undefined ? (await update(repo)).pull : await repo.pull(of);
  const { git } = stage.as('bob').rest;
  const tree = (await git.getCommit({ ...repo.where, commit_sha: pull.head.sha })).data.tree.sha;
  const parents = await parentsOf(pull.head.sha);
  const { data } = await git.createCommit({ ...repo.where, message: 'Merge', tree, parents });
  await git.updateRef({ ...repo.where, ref: `heads/${pull.head.ref}`, sha: data.sha, force: true });
  await stage.idle();
}

test('a merge whose first parent is the base branch does not release an update that a rollout holds (144)', async () => {
  const canary = stage.repository('canary');
  await canary.press((await update(canary)).pull.number);
  const { context } = stage.forge;
  const repository = context.records.repositoryByName('acme', 'canary')!;
  const by = context.records.account(repository.ownerId);
  const sha = await canary.head('main');
  await putStatus(context, { repository, sha, by, context: 'kustomization/shop/0c9c2e41', state: 'failure' });
  await stage.idle();
  const second = stage.repository('second');
  const held = expect.stringContaining('Held: rollout apps is stopped');
  expect((await update(second)).portico?.output.title).toEqual(held);
  await pushMerge(second, async (head) => [await second.head('main'), head]);
  expect((await update(second)).portico?.output.title).toEqual(held);
});

test('nor does it settle an open conflict (144)', async () => {
  const repo = stage.repository('open');
  expect((await update(repo)).conflicts?.output.title).toContain('Open: ConfigMap/web');
  await pushMerge(repo, async (head) => [await repo.head('main'), head]);
  const { pull } = await update(repo);
  await stage.as('bob').rest.pulls.update({ ...repo.where, pull_number: pull.number, body: 'Updates shop.' });
  await stage.sweep();
  await repo.review(pull.number, 'APPROVE', undefined, 'carol');
  const { conflicts, portico } = await update(repo);
  expect(conflicts?.conclusion).toBe('action_required');
  expect(portico?.conclusion).toBe('action_required');
});

test('nor does an older state of the update that stands before it in a merge (144)', async () => {
  const repo = stage.repository('replayed');
  const old = (await update(repo)).pull.head.sha;
  await repo.publish('own', color('shop', 'mine'));
  expect((await update(repo)).conflicts?.output.title).toContain('Open: ConfigMap/web');
  await pushMerge(repo, async (head) => [old, head]);
  const { conflicts, portico } = await update(repo);
  expect([conflicts?.conclusion, portico?.conclusion]).toEqual(['action_required', 'action_required']);
});

test('nor does a copy of an older state, whose seal is as good, beside the newer one (144)', async () => {
  const repo = stage.repository('replayed');
  const { pull } = await update(repo);
  const { git } = stage.as('bob').rest;
  const sealed = (await repo.git('log', '--format=%H', '--grep=Portico-Update', pull.head.sha)).split('\n');
  const { data } = await git.getCommit({ ...repo.where, commit_sha: sealed.at(-1)! });
  const copy = { ...repo.where, message: data.message, tree: data.tree.sha };
  const author = { name: 'bob', email: 'bob@example.com', date: '2031-01-01T00:00:00Z' };
  const parents = data.parents.map(({ sha }) => sha);
  const made = await git.createCommit({ ...copy, author, committer: author, parents });
  await pushMerge(repo, (head) => Promise.resolve([made.data.sha, head]));
  const { conflicts, portico } = await update(repo);
  expect(conflicts?.output.title).toContain('A record of conflicts cannot be read');
  expect(portico?.conclusion).not.toBe('success');
});

test("nor does it settle a conflict of a person's proposal, which Portico merged the base branch into (144)", async () => {
  const repo = stage.repository('draft');
  const { number } = await repo.propose('two', color('web', 'mine'));
  await repo.publish('one', color('web', 'theirs'));
  const conflicts = async () => (await repo.checksOf(number)).get('portico/conflicts');
  expect((await conflicts())?.conclusion).toBe('action_required');
  await pushMerge(repo, async (head) => [await repo.head('main'), head], number);
  expect((await conflicts())?.conclusion).toBe('action_required');
});
