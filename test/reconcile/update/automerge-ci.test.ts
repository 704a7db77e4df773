// @module-tag story
import { ACTIONS_APP } from '@portico/localforge/actors/apps';
import { beginRun, concludeRun } from '@portico/localforge/actors/check-app';
import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { MERGE_QUEUE } from '../../../localforge/test/merge-queue-rule.ts';
import { below, locked } from '../../e2e/packages.ts';
import type { Watch } from '../forge-door.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Updates that merge themselves, where others check, and where the repository does not take every merge. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue' } });
const NAMES = ['checked', 'reddened', 'direct', 'squashed', 'queued', 'ruled'];
const color = (name: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color: name }),
});

const specOf = (name: string): string =>
  `branch: main\nupdates: { follow: latest, automerge: all, pullRequest: ${name !== 'direct'} }\npublish: { requireApprovals: 0 }`;

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      ...Object.fromEntries(NAMES.map((name) => [name, { spec: specOf(name) }])),
    },
    { shares: true, watched: true },
  );
  const up = stage.repository('up');
  await up.publish('one', color('first'));
  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  const files = { ...PACKAGE, 'config.yaml': color('first')['web/config.yaml']!, Kptfile };
  for (const name of NAMES) await stage.repository(name).push('main', below('shop', files));
  await stage.idle();
  await setRules();
  const { context, ...commit } = await commitOf('checked', 'main');
  concludeRun(context, commit, beginRun(context, commit, ACTIONS_APP, 'test'), 'success');
  await putStatus(context, { ...commit, by: alice(), context: 'ci/old', state: 'success' });
  // CI has not begun on the newest commit, and something else has said a word there.
  await stage.repository('checked').push('main', { 'README.md': 'Shops.\n' });
  const newest = await commitOf('checked', 'main');
  for (const name of ['kustomization/apps/0c9c2e41', 'triage']) {
    await putStatus(context, { ...commit, sha: newest.sha, by: alice(), context: name, state: 'success' });
  }
  await up.publish('two', color('second'));
});

async function setRules(): Promise<void> {
  const { rest } = stage.as('alice');
  const whereOf = (name: string) => stage.repository(name).where;
  await rest.repos.update({
    ...whereOf('squashed'),
    allow_merge_commit: false,
    allow_rebase_merge: false,
    allow_squash_merge: true,
  });
  const rules = {
    enforcement: 'active' as const,
    conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
  };
  await rest.repos.createRepoRuleset({
    ...whereOf('queued'),
    ...rules,
    name: 'queue',
    rules: [MERGE_QUEUE],
  });
  await rest.repos.createRepoRuleset({
    ...whereOf('ruled'),
    ...rules,
    name: 'reviews',
    rules: [
      {
        type: 'pull_request',
        parameters: {
          dismiss_stale_reviews_on_push: false,
          require_code_owner_review: false,
          require_last_push_approval: false,
          required_approving_review_count: 1,
          required_review_thread_resolution: false,
        },
      },
    ],
  });
}

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const alice = () => stage.forge.context.records.accountByLogin('alice')!;

async function commitOf(name: string, branch: string) {
  const { context } = stage.forge;
  const repository = context.records.repositoryByName('acme', name)!;
  return { context, repository, sha: await stage.repository(name).head(branch), branch };
}

async function updateOf(name: string): Promise<Awaited<ReturnType<StageRepository['pulls']>>[number]> {
  const all = await stage.repository(name).pulls('all');
  return all.find(({ head }) => head.ref.startsWith('portico/update/'))!;
}

test('an update waits for the checks that its base has, however late they come, and for a status of older CI', async () => {
  const update = await updateOf('checked');
  expect(update.merged_at).toBeNull();
  const { context, ...commit } = await commitOf('checked', update.head.ref);
  // Somebody proposes the same commit from a fork, and workflows that run for that fail.
  const elsewhere = { ...commit, branch: 'patch-1' };
  concludeRun(context, elsewhere, beginRun(context, elsewhere, ACTIONS_APP, 'stranger'), 'failure');
  const run = beginRun(context, commit, ACTIONS_APP, 'test');
  await stage.idle();
  concludeRun(context, commit, run, 'success');
  await putStatus(context, { ...commit, by: alice(), context: 'triage', state: 'success' });
  await stage.idle();
  expect((await updateOf('checked')).merged_at).toBeNull();

  // The forge may refuse an App in words that name no reason: then both are told that help.
  await stage.watching(refuseMerge, async () => {
    await putStatus(context, { ...commit, by: alice(), context: 'ci/old', state: 'success' });
    await stage.idle();
  });
  expect((await updateOf('checked')).merged_at).toBeNull();
  const said = (await stage.repository('checked').comments(update.number)).map(({ body }) => body ?? '');
  expect(said.filter((body) => body.includes('the forge does not allow the App to do it'))).toEqual([
    expect.stringMatching(
      /Resource not accessible by integration.*permission Workflows. Merge it yourself.*Otherwise, check that the App has the permission/s,
    ),
  ]);

  await stage.look('checked');
  expect((await updateOf('checked')).merged_at).not.toBeNull();
});

test('where the configuration wants no pull request, the update comes without one, and its tag says so', async () => {
  const repo = stage.repository('direct');
  expect(await repo.pulls('all')).toEqual([]);
  expect(await repo.read('shop/config.yaml')).toContain('second');
  const head = await repo.head('main');
  expect((await repo.tags()).get('shop/v1')).toBe(head);
  expect((await repo.checks(head)).get('portico')?.conclusion).toBe('success');
  expect(await repo.tagMessage('shop/v1')).toMatch(/^Without-Proposal: updates\.pullRequest$/m);
  expect(await repo.git('for-each-ref', 'refs/heads/portico')).toBe('');
});

test('a repository that squashes gets squashes, which publish, and the next update knows what was there', async () => {
  const repo = stage.repository('squashed');
  expect((await updateOf('squashed')).merged_at).not.toBeNull();
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
  let merges = 0;
  const redden: Watch = async ({ method, path }) => {
    if (method !== 'PUT' || !/\/reddened\/pulls\/\d+\/merge$/.test(path)) return undefined;
    merges += 1;
    // A check fails while the forge is not ready to merge.
    const update = await updateOf('reddened');
    const { context, ...commit } = await commitOf('reddened', update.head.ref);
    concludeRun(context, commit, beginRun(context, commit, ACTIONS_APP, 'late'), 'failure');
    return { status: 405, body: { message: 'Base branch was modified. Review and try the merge again.' } };
  };
  await stage.watching(redden, () => stage.repository('up').publish('three', color('third')));
  expect(merges).toBe(1);
  expect((await updateOf('reddened')).merged_at).toBeNull();
  expect([...(await repo.tags()).keys()]).toEqual(['shop/v1', 'shop/v2']);
  expect(await repo.git('rev-list', '--merges', 'main')).toBe('');
  expect(await repo.read('shop/config.yaml')).toContain('color: third');
});

test('where the branch has a merge queue, the update goes through it', async () => {
  expect((await updateOf('queued')).merged_at).not.toBeNull();
  expect([...(await stage.repository('queued').tags()).keys()]).toContain('shop/v1');
});

test('a rule that stands against it is told, once', async () => {
  const repo = stage.repository('ruled');
  const { number, merged_at: merged } = await updateOf('ruled');
  expect(merged).toBeNull();
  const said = await repo.comments(number);
  expect(said.filter(({ body }) => body?.includes('rules of the branch do not allow it'))).toHaveLength(1);
  expect(await stage.writesOf(() => stage.look('ruled'), 'ruled')).toEqual([]);
});

/** Answers every merge in the repository `checked` as GitHub does an App that lacks a permission. */
function refuseMerge({ method, path }: Parameters<Watch>[0]): ReturnType<Watch> {
  return method === 'PUT' && /\/checked\/pulls\/\d+\/merge$/.test(path)
    ? { status: 403, body: { message: 'Resource not accessible by integration' } }
    : undefined;
}
