// @module-tag story
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { collaborationStore } from '../../../localforge/src/collaboration-store.ts';
import { below, configuration } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

/** Two people see what is published or retired: what each of them saw, and in their own words. */
let stage: Stage;

const FILES = below('web', smallPackage('web'));
const DB = below('db', smallPackage('db'));
const NO_DB = Object.fromEntries(Object.keys(DB).map((path) => [path, null]));
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

const PUSHED = 'branch: main\npublish: { requireApprovals: 0, directPushes: publish }';

beforeAll(async () => {
  stage = await startStage(
    {
      ...Object.fromEntries(
        ['shared', 'beneath', 'retire', 'words', 'lost', 'late', 'untold'].map((name) => [
          name,
          { files: FILES },
        ]),
      ),
      porch: { spec: null, files: FILES },
      pushed: { spec: PUSHED, files: FILES },
      counted: { spec: `${PUSHED}\nversioning: semver`, files: FILES },
    },
    { watched: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The forge tells times by the second, and what meets within one counts for nothing. */
async function anotherSecond(): Promise<void> {
  await setTimeout(1_050);
}

/** `two` has the commit of `one` and takes back what that adds: on its own it changes a color. */
async function twoThatShare(repo: StageRepository): Promise<readonly [number, number]> {
  await repo.push('one', DB, { as: 'alice' });
  await repo.push('two', { ...NO_DB, ...change('red') }, { from: 'one', as: 'bob' });
  const one = await repo.open('one', { as: 'alice' });
  const two = await repo.open('two', { as: 'bob' });
  return [one.number, two.number];
}

/** The issue that asks to retire the first revision. */
async function issueOf(repo: StageRepository): Promise<number> {
  const { data } = await stage.as('alice').rest.issues.listForRepo({ ...repo.where, state: 'all' });
  return data.find(({ title }) => title === 'Retire web@v1?')!.number;
}

async function mark(repo: StageRepository, by: Login): Promise<void> {
  const sha = (await repo.tags()).get('web/v1')!;
  const ref = 'refs/heads/deletionProposed/web/v1';
  await stage.as(by).rest.git.createRef({ ...repo.where, ref, sha });
}

const untold = ({ path }: { readonly path: string }): number | undefined =>
  path.endsWith('/activity') ? 403 : undefined;

describe('a review is for the content that its giver saw', () => {
  test('two proposals share a commit, and merging one makes the other delete a package (64)', async () => {
    const repo = stage.repository('shared');
    const [one, two] = await twoThatShare(repo);
    await anotherSecond();
    await repo.review(two, 'APPROVE', undefined, 'carol');
    await anotherSecond();
    expect(await repo.sticky(two)).toContain('Approved for this content by carol');
    await repo.review(one, 'APPROVE', undefined, 'carol');
    await done(repo, one, '/portico publish');
    expect(await repo.sticky(two)).toContain(
      'The approval of carol does not count: it was given for other content',
    );
    expect(await repo.command(two, '/portico publish', 'bob')).toMatchObject({ reaction: 'confused' });
    expect(await repo.read('db/Kptfile')).not.toBeNull();

    await anotherSecond();
    await repo.review(two, 'APPROVE', undefined, 'carol');
    await done(repo, two, '/portico publish', 'bob');
    expect(await repo.read('db/Kptfile')).toBeNull();
  });

  test('also where nobody was told of the review, and of the command that approves (64)', async () => {
    const repo = stage.repository('lost');
    const [one, two] = await twoThatShare(repo);
    await stage.stopBot();
    await anotherSecond();
    await stage.as('carol').rest.pulls.createReview({ ...repo.where, pull_number: two, event: 'APPROVE' });
    await anotherSecond();
    const said = await repo.say(two, '/portico approve', 'carol');
    await stage.as('alice').rest.pulls.merge({ ...repo.where, pull_number: one });
    await stage.startBot();
    expect(await repo.sticky(two)).toContain(
      'The approval of carol does not count: it was given for other content',
    );
    // Whether it is read before or after the content changed, it approves nothing that came later.
    expect(await repo.answerTo(two, said)).toMatchObject({ reaction: expect.any(String) });
    expect(await repo.command(two, '/portico publish', 'bob')).toMatchObject({ reaction: 'confused' });

    const { comments } = collaborationStore(stage.forge.context.store);
    const early = await stage.watching(
      ({ method, path }) => {
        const [, id] = /\/issues\/comments\/(\d+)$/.exec(path) ?? [];
        if (method !== 'GET' || id === undefined) return;
        comments.update(Number(id), { createdAt: '2026-01-01T00:00:00Z' });
      },
      () => repo.command(two, '/portico approve', 'carol'),
    );
    expect(early.reply).toContain('first seen by Portico, after your comment');
    await anotherSecond();
    await done(repo, two, '/portico approve', 'carol');
    // One approval more, because the package that it removes has content that was merged without any.
    await done(repo, two, '/portico approve', 'alice');
    expect(await repo.sticky(two)).toMatch(/Approved for this content by .*carol/);
  });

  test('one that was given before there was a check counts for nothing and says so (64)', async () => {
    const repo = stage.repository('late');
    await stage.stopBot();
    await repo.push('next', change('red'));
    const { data } = await repo.create('next');
    const review = { ...repo.where, pull_number: data.number, event: 'APPROVE' as const };
    await stage.as('carol').rest.pulls.createReview(review);
    // The forge tells times by the second.
    const { reviews } = collaborationStore(stage.forge.context.store);
    reviews.update(reviews.all().at(-1)!.id, { submittedAt: '2026-01-01T00:00:00Z' });
    await stage.startBot();
    await stage.look('late');
    expect(await repo.sticky(data.number)).toContain(
      'The approval of carol does not count: the content had not been checked when it was given, so a new approval is needed',
    );
    await repo.review(data.number, 'APPROVE', undefined, 'carol');
    expect(await repo.sticky(data.number)).toContain('Approved for this content by carol');
  });
});

test('what is pushed to the base while Portico merges is not published with the proposal (64)', async () => {
  const repo = stage.repository('beneath');
  const { number } = await repo.propose('next', change('red'), { as: 'alice' });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  let pushed = false;
  await stage.watching(
    async ({ method, path }) => {
      if (pushed || method !== 'PUT' || !path.endsWith('/merge')) return;
      pushed = true;
      await repo.push('main', { 'web/extra.yaml': configMap('extra', { color: 'evil' }) }, { as: 'bob' });
    },
    () => done(repo, number, '/portico publish'),
  );
  expect(pushed).toBe(true);
  expect(await repo.pull(number)).toMatchObject({ merged: true });
  expect(await repo.tags()).toEqual(new Map());
  expect(await repo.sticky(number)).toContain('Merged without approval, not published');
  const checks = await repo.checks(await repo.head('main'));
  expect(checks.get('portico/publication')).toMatchObject({ conclusion: 'neutral' });
});

describe('a branch that asks to retire a revision', () => {
  test('is the wish of whoever pushed it: another person decides (67)', async () => {
    const repo = stage.repository('retire');
    await repo.publish('one', change('one'));
    await mark(repo, 'bob');
    await stage.look('retire');
    const number = await issueOf(repo);
    expect(await repo.command(number, '/portico approve', 'bob')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('requested it yourself'),
    });
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    await done(repo, number, '/portico approve', 'carol');
    expect((await repo.tags()).size).toBe(0);
  });

  test("is nobody's where the forge does not tell who pushed it, and the issue says so (67)", async () => {
    const repo = stage.repository('untold');
    await repo.publish('one', change('one'));
    await mark(repo, 'bob');
    await stage.watching(untold, () => stage.look('untold'));
    const number = await issueOf(repo);
    const { data } = await stage.as('bob').rest.issues.get({ ...repo.where, issue_number: number });
    expect(data.body).toContain('The forge does not report who pushed it');
    const answered = await stage.watching(untold, () => repo.command(number, '/portico approve', 'bob'));
    expect(answered.reaction).toBe('confused');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    await stage.look('untold');
    expect((await repo.command(number, '/portico approve', 'bob')).reply).toContain('requested it yourself');
  });

  test("is Porch's where it stood there before the registration, and no person pushed it (67)", async () => {
    const repo = stage.repository('porch');
    await repo.git('tag', 'web/v1', 'main');
    await mark(repo, 'alice');
    const { data } = await stage
      .as('alice')
      .rest.repos.listActivities({ ...repo.where, ref: 'deletionProposed/web/v1' });
    const byNobody = data.map((one) => ({ ...one, actor: null }));
    const main = await stage.as('alice').rest.repos.listActivities({ ...repo.where, ref: 'main' });
    const registered = { timestamp: '2036-01-01T00:00:00Z', after: '' };
    const watch = ({ path, query }: { readonly path: string; readonly query: string }) => {
      if (!path.endsWith('/activity')) return undefined;
      if (query.includes('deletionProposed')) return { status: 200, body: byNobody };
      return { status: 200, body: [{ ...main.data[0], ...registered }, ...main.data] };
    };
    registered.after = await repo.push('main', {
      '.github/portico.yaml': configuration('porch', 'branch: main'),
    });
    await stage.watching(watch, () => stage.idle());
    const number = await issueOf(repo);
    expect((await repo.comments(number))[0]!.body).toContain('`porch` requested the retirement of `web@v1`');
    await done(repo, number, '/portico approve', 'alice');
    expect((await repo.tags()).size).toBe(0);
  });
});

describe('words count as they were written', () => {
  test('a comment that another edits within the second is no command, and its writer is told (69)', async () => {
    const repo = stage.repository('words');
    const { number } = await repo.propose('next', change('red'), { as: 'bob' });
    const { comments } = collaborationStore(stage.forge.context.store);
    let edited = false;
    const answered = await stage.watching(
      async ({ method, path }) => {
        const [, id] = /\/issues\/comments\/(\d+)$/.exec(path) ?? [];
        if (edited || method !== 'GET' || id === undefined) return;
        edited = true;
        const comment_id = Number(id);
        const body = '/portico approve';
        await stage.as('bob').rest.issues.updateComment({ ...repo.where, comment_id, body });
        // Within the second of its making, whatever the machine is busy with.
        comments.update(comment_id, { updatedAt: comments.get(comment_id)!.createdAt });
      },
      () => repo.command(number, '/portico help', 'alice'),
    );
    expect(edited).toBe(true);
    expect(answered).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('This text was edited before Portico read it'),
    });
    expect(await repo.sticky(number)).toContain('Needs 1 approval');
  });

  test('a review that another edits within the second is no command (69)', async () => {
    const repo = stage.repository('words');
    const { number } = (await repo.pulls())[0]!;
    await repo.review(number, 'COMMENT', 'Looks right.', 'alice');
    const { reviews } = collaborationStore(stage.forge.context.store);
    const given = reviews.all().findLast(({ body }) => body === 'Looks right.')!;
    const byId = stage.forge.context.records.accountByLogin('bob')!.id;
    reviews.update(given.id, { body: '/portico approve', edit: { at: given.submittedAt!, byId } });
    await stage.look('words');
    const said = (await repo.comments(number)).filter(({ body }) =>
      body?.includes('edited before Portico read it'),
    );
    expect(said.some(({ body }) => body?.startsWith(`<!-- portico:reply review ${given.id} -->`))).toBe(true);
    expect(await stage.writesOf(() => stage.look('words'), 'words')).toEqual([]);
    expect(await repo.sticky(number)).toContain('Needs 1 approval');
  });

  test('what a pushed message says of who asked, and for which number, is no fact (63)', async () => {
    for (const [name, revision] of [
      ['pushed', 'web/v2'],
      ['counted', 'web/v0.2.0'],
    ] as const) {
      const repo = stage.repository(name);
      await repo.push('main', change('red'), {
        as: 'bob',
        message: 'Change\n\nRequested-By: alice\nRequested-In: 1\nRevision-Bump: major',
      });
      await stage.idle();
      expect([...(await repo.tags()).keys()].at(-1)).toBe(revision);
      expect(await repo.tagMessage(revision)).not.toContain('alice');
    }
  });
});
