// @module-tag story
/** A command is about what the pull request brought to the base branch that it had when the comment was written. */
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

beforeAll(async () => {
  const one = {
    spec: 'branch: main\npublish: { requireApprovals: 0 }',
    files: below('web', smallPackage('web')),
  };
  stage = await startStage({ running: one, away: one });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The forge tells times by the second. */
const tick = (): Promise<void> => setTimeout(1_100);

/** One harmless file, as long as the branch below it is the base; carol publishes that, and bob changes the base. */
async function retargeted(repo: StageRepository, wait = tick): Promise<{ number: number; said: number }> {
  await repo.push('other', { 'web/config.yaml': configMap('web', { color: 'evil' }) }, { as: 'bob' });
  const file = { 'web/more.yaml': configMap('more', { a: 'b' }) };
  await repo.push('next', file, { as: 'bob', from: 'other' });
  const { pulls } = stage.as('bob').rest;
  const { data } = await pulls.create({ ...repo.where, title: 'More', head: 'next', base: 'other' });
  await tick();
  const said = await repo.say(data.number, '/portico publish', 'carol');
  await wait();
  await pulls.update({ ...repo.where, pull_number: data.number, base: 'main' });
  return { number: data.number, said };
}

test.each(['running', 'away'] as const)(
  'a pull request whose base is changed after the command is not published, Portico %s (140)',
  async (name) => {
    const repo = stage.repository(name);
    if (name === 'away') await stage.stopBot();
    // With Portico there, the base is changed before it comes to the comment.
    const { number, said } = await retargeted(repo, name === 'away' ? tick : () => Promise.resolve());
    if (name === 'away') await stage.startBot();
    await stage.idle();
    await stage.look(name);
    await stage.sweep();
    const { reply } = await repo.answerTo(number, said);
    expect([...(await repo.tags()).keys()]).toEqual([]);
    expect(await repo.read('web/config.yaml')).not.toContain('evil');
    // With Portico there, it may have read the former base, which is none of its own.
    if (name === 'away') {
      expect(reply).toContain('The base branch was changed to `main` after your comment');
      const again = await repo.command(number, '/portico publish', 'carol');
      expect(again.reaction).toBe('rocket');
    }
  },
);
