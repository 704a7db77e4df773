// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** What was checked is what was approved is what is merged is what is tagged. */
let stage: Stage;

const FILES = below('web', smallPackage('web'));
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

beforeAll(async () => {
  stage = await startStage(
    Object.fromEntries(
      ['push', 'merge', 'rewrite', 'modes', 'merged', 'base', 'twice', 'foreign', 'crash'].map((name) => [
        name,
        { files: { ...FILES, 'infra/net.tf': 'open = true\nport = 1\n' } },
      ]),
    ),
    { watched: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('what moves breaks the chain', () => {
  test('a push between the comment and its run: refused, and both commits are named (25)', async () => {
    const repo = stage.repository('push');
    const { number, head } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    let pushed = '';
    const answered = await stage.watching(
      async ({ path }) => {
        if (pushed !== '' || !/\/issues\/comments\/\d+$/.test(path)) return;
        pushed = 'now';
        pushed = await repo.push('next', change('evil'));
      },
      () => repo.command(number, '/portico publish'),
    );
    expect(answered.reaction).toBe('confused');
    expect(answered.reply).toContain(head.sha.slice(0, 7));
    expect(answered.reply).toContain(pushed.slice(0, 7));
    expect((await repo.pull(number)).merged).toBe(false);
  });

  test('a push between the last look and the merge: the forge refuses, nothing is tagged (26)', async () => {
    const repo = stage.repository('merge');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    let pushed = '';
    const answered = await stage.watching(
      async ({ path }) => {
        if (pushed !== '' || !path.endsWith(`/pulls/${number}/merge`)) return;
        pushed = await repo.push('next', change('evil'));
      },
      () => repo.command(number, '/portico publish'),
    );
    expect(pushed).not.toBe('');
    expect(answered.reaction).toBe('confused');
    expect((await repo.pull(number)).merged).toBe(false);
    expect((await repo.tags()).size).toBe(0);
  });

  test('an approval survives a rewrite of the same content, and no other (27)', async () => {
    const repo = stage.repository('rewrite');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    const main = await repo.head('main');

    await repo.push('next', change('red'), { from: main, force: true, message: 'The same in other words' });
    await stage.idle();
    expect(await repo.sticky(number)).toContain('Approved for this content by bob.');

    await repo.push('next', change('evil'), { from: main, force: true });
    await stage.idle();
    expect(await repo.sticky(number)).toContain(
      'The approval of bob does not count: it was given for other content.',
    );
    expect(await repo.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('Needs 1 approval: anyone with write access except alice'),
    });

    await repo.push('next', change('red'), { from: main, force: true });
    await stage.idle();
    expect((await repo.command(number, '/portico publish')).reaction).toBe('rocket');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
  });

  test.each(['120000', '100755'] as const)(
    'an approval does not survive another mode of a file beside packages: %s (119)',
    async (mode) => {
      const repo = stage.repository('modes');
      const tool = `tools/run-${mode}`;
      const branch = `mode-${mode}`;
      const text = '../../etc/passwd';
      const { number } = await repo.propose(branch, { [tool]: text, ...change(mode) }, { as: 'bob' });
      await repo.review(number, 'APPROVE', undefined, 'carol');
      expect(await repo.sticky(number)).toContain('Approved for this content by carol.');
      const { git } = stage.as('bob').rest;
      const head = await repo.head(branch);
      const entry = { path: tool, mode, type: 'blob', content: text } as const;
      const tree = await git.createTree({ ...repo.where, base_tree: head, tree: [entry] });
      const made = { message: 'Another mode', tree: tree.data.sha, parents: [head] };
      const { data } = await git.createCommit({ ...repo.where, ...made });
      await git.updateRef({ ...repo.where, ref: `heads/${branch}`, sha: data.sha });
      await stage.idle();
      expect(await repo.sticky(number)).toContain('The approval of carol does not count');
      expect((await repo.command(number, '/portico publish', 'bob')).reaction).toBe('confused');
      expect((await repo.tags()).size).toBe(0);
    },
  );

  test('nor a merge of the base in which a file beside packages takes back what the base got (119)', async () => {
    const repo = stage.repository('merged');
    const proposed = { 'infra/net.tf': 'open = true\nport = 2\n', ...change('red') };
    const { number } = await repo.propose('next', proposed, { as: 'bob' });
    await repo.review(number, 'APPROVE', undefined, 'carol');
    expect(await repo.sticky(number)).toContain('Approved for this content by carol.');
    await repo.push('main', { 'infra/net.tf': 'open = false\nport = 1\n' }, { as: 'alice' });
    const { git } = stage.as('bob').rest;
    const parents = [await repo.head('next'), await repo.head('main')];
    const tree = await repo.git('rev-parse', `${parents[0]}^{tree}`);
    const { data } = await git.createCommit({ ...repo.where, message: 'Merge main', tree, parents });
    await git.updateRef({ ...repo.where, ref: 'heads/next', sha: data.sha });
    await stage.idle();
    expect(await repo.sticky(number)).toContain('The approval of carol does not count');
    expect((await repo.command(number, '/portico publish', 'bob')).reaction).toBe('confused');
    expect(await repo.read('infra/net.tf')).toContain('open = false');
  });

  test('an approval is for a branch: retargeted, nothing is published (28)', async () => {
    const repo = stage.repository('base');
    await repo.push('other', { 'x.txt': 'x\n' });
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    await stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: number, base: 'other' });
    await stage.idle();
    // A command of the same second as the change of the base is refused for that.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await repo.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('targets `other`'),
    });
    expect((await repo.pull(number)).merged).toBe(false);
    await repo.merge(number);
    expect((await repo.tags()).size).toBe(0);
  });
});

describe('one revision, one tag', () => {
  test('two publishes at once (29)', async () => {
    const repo = stage.repository('twice');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    const said = await Promise.all([
      repo.say(number, '/portico publish'),
      repo.say(number, '/portico publish', 'bob'),
      repo.say(number, '/portico publish', 'carol'),
    ]);
    await stage.idle();
    const ends = await Promise.all(said.map(async (id) => (await repo.answerTo(number, id)).reaction ?? ''));
    expect(ends.toSorted()).toEqual(['confused', 'confused', 'rocket']);
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    expect(await repo.releases()).toEqual(['web/v1']);
  });

  test('a tag that is there is never moved: the next number is taken (30)', async () => {
    const repo = stage.repository('foreign');
    await repo.publish('one', change('one'));
    const aside = await repo.push(
      'aside',
      { 'web/config.yaml': configMap('web', { color: 'aside' }) },
      { from: await repo.git('rev-parse', 'main~1') },
    );
    const foreign = await repo.tag('web/v2', aside);
    await stage.idle();
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2']);

    await repo.publish('two', change('two'));
    const tags = await repo.tags();
    expect([...tags.keys()]).toEqual(['web/v1', 'web/v2', 'web/v3']);
    expect(await repo.git('rev-parse', 'refs/tags/web/v2')).toBe(foreign);
    expect(tags.get('web/v3')).toBe(await repo.head('main'));
  });

  test('a merge that nobody saw is tagged once at the next start (31)', async () => {
    const repo = stage.repository('crash');
    const { number } = await repo.propose('next', change('red'));
    await repo.review(number, 'APPROVE');
    await stage.stopBot();
    const sha = await repo.press(number);
    await stage.startBot();
    expect(await repo.tags()).toEqual(new Map([['web/v1', sha]]));
    expect(await repo.releases()).toEqual(['web/v1']);
    expect(await repo.sticky(number)).toContain('Published `web@v1`');
    expect(await stage.writesOf(() => stage.look('crash'))).toEqual([]);
  });
});
