// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { configMap, kptfile, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Content that Portico cannot trace to who pushed it needs one more approval. bob wrote it, carol brings it. */
let stage: Stage;

const more = (name: string): Record<string, string> => ({
  [`${name}/more.yaml`]: configMap('more', { by: 'bob' }),
});

beforeAll(async () => {
  const one = { files: { ...below('web', smallPackage('web')), ...below('api', smallPackage('api')) } };
  stage = await startStage({ byhand: one, alive: one, cloned: one, demoted: one, moved: one });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** bob's approval is not enough; together with alice's it is. */
async function needsOneMore(repo: StageRepository, number: number, why: string, tag: string): Promise<void> {
  await repo.review(number, 'APPROVE', undefined, 'bob');
  const refused = await repo.command(number, '/portico publish', 'carol');
  expect(refused).toMatchObject({ reaction: 'confused', reply: expect.stringContaining(why) });
  expect([...(await repo.tags()).keys()]).not.toContain(tag);
  await repo.review(number, 'APPROVE', undefined, 'alice');
  await done(repo, number, '/portico publish', 'carol');
  expect([...(await repo.tags()).keys()]).toContain(tag);
}

/** carol merges bob's branch into hers, with git. */
async function mergedByHand(repo: StageRepository): Promise<void> {
  const { git } = stage.as('carol').rest;
  const theirs = await repo.push('topic', more('web'), { as: 'bob' });
  const mine = await repo.push('next', { 'web/mine.yaml': configMap('mine', { a: 'b' }) }, { as: 'carol' });
  const base = (await git.getCommit({ ...repo.where, commit_sha: mine })).data.tree.sha;
  const blob = configMap('more', { by: 'bob' });
  const file = { path: 'web/more.yaml', mode: '100644' as const, type: 'blob' as const, content: blob };
  const { data: tree } = await git.createTree({ ...repo.where, base_tree: base, tree: [file] });
  const message = "Merge branch 'topic' into next";
  const parents = [mine, theirs];
  const { data } = await git.createCommit({ ...repo.where, message, tree: tree.sha, parents });
  await git.updateRef({ ...repo.where, ref: 'heads/next', sha: data.sha });
}

test('a branch that is merged by hand and deleted needs one more approval (149)', async () => {
  const repo = stage.repository('byhand');
  await mergedByHand(repo);
  await stage.as('bob').rest.git.deleteRef({ ...repo.where, ref: 'heads/topic' });
  const { number } = await repo.open('next', { as: 'carol' });
  await needsOneMore(repo, number, 'a person merged another branch into it', 'web/v1');
});

test('of one that is still there, who pushed to it is an author (149)', async () => {
  const repo = stage.repository('alive');
  await mergedByHand(repo);
  const { number } = await repo.open('next', { as: 'carol' });
  expect((await repo.command(number, '/portico approve', 'bob')).reaction).toBe('confused');
  await done(repo, number, '/portico approve', 'alice');
  await done(repo, number, '/portico publish', 'carol');
});

test("a clone of somebody's branch needs one more approval, and one of a revision does not (150)", async () => {
  const repo = stage.repository('cloned');
  await repo.publish('first', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  await repo.push('topic', more('web'), { as: 'bob' });
  const { data } = await stage.as('carol').rest.issues.create({ ...repo.where, title: 'Packages' });
  for (const [command, name] of [
    ['/portico clone web@topic shop', 'shop'],
    ['/portico clone web@v1 copy', 'copy'],
  ] as const) {
    await done(repo, data.number, command, 'carol');
    const pull = (await repo.pulls()).find(({ head }) => head.ref.startsWith(`drafts/${name}/`));
    await done(repo, pull!.number, '/portico propose', 'carol');
    if (name === 'shop') await needsOneMore(repo, pull!.number, 'was never published', 'shop/v1');
    else {
      await done(repo, pull!.number, '/portico approve', 'bob');
      await done(repo, pull!.number, '/portico publish', 'carol');
    }
  }
});

test('what is left where a direct push took the Kptfile away needs one more approval (151)', async () => {
  const repo = stage.repository('demoted');
  await repo.publish('first', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  await repo.push('main', { 'web/Kptfile': null, ...more('web') }, { as: 'bob' });
  await stage.idle();
  const { number } = await repo.propose('again', { 'web/Kptfile': kptfile('web') }, { as: 'carol' });
  await needsOneMore(repo, number, 'pushed to the base branch without approval', 'web/v2');
});

test('what was pushed beside packages is not approved by who pushed it under another name with an edit (151)', async () => {
  const repo = stage.repository('moved');
  await repo.push('main', { 'later/draft.txt': configMap('more', { by: 'bob' }) }, { as: 'bob' });
  await stage.idle();
  const files = { 'later/draft.txt': null, 'api/more.yaml': configMap('more', { by: 'bob', edited: 'yes' }) };
  const { number } = await repo.propose('move', files, { as: 'carol' });
  expect(await repo.command(number, '/portico approve', 'bob')).toMatchObject({ reaction: 'confused' });
  await done(repo, number, '/portico approve', 'alice');
});
