// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { done } from '../command/commanded.ts';
import { forkOf } from '../fork-of.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

/** Whoever has a part in the content does not approve it, however it came to the branch. bob is the one who tries. */
let stage: Stage;

const FILES = below('web', smallPackage('web'));
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

const PRIVATE = [
  'asked',
  'others',
  'merge',
  'gone',
  'init',
  'first',
  'beside',
  'taken',
  'nobody',
  'stacked',
  'reused',
];

const WAITS = 'branch: main\npublish: { requireApprovals: 1 }\nupdates: { follow: none }';

beforeAll(async () => {
  stage = await startStage(
    {
      ...Object.fromEntries(PRIVATE.map((name) => [name, { files: FILES }])),
      open: { files: FILES, private: false },
      up: { files: FILES, private: false },
      down: { files: {}, private: false },
      waits: { files: {}, private: false, spec: WAITS },
      closed: { files: FILES },
      renamed: { files: FILES, collaborators: { bob: 'write', carol: 'write', mona: 'write' } },
    },
    { watched: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** bob's review and command do not count, and nothing is published; carol's approval does. */
async function refusedAlone(
  repo: StageRepository,
  number: number,
  why: string,
  revision = 'web/v1',
): Promise<void> {
  const tags = [...(await repo.tags()).keys()];
  await repo.review(number, 'APPROVE', undefined, 'bob').catch(() => 0);
  expect(await repo.command(number, '/portico approve', 'bob')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringMatching(new RegExp(why, 'i')),
  });
  expect(await repo.command(number, '/portico publish', 'bob')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringContaining('Needs 1 approval'),
  });
  expect([...(await repo.tags()).keys()]).toEqual(tags);
  await repo.review(number, 'APPROVE', undefined, 'carol');
  await done(repo, number, '/portico publish', 'bob');
  expect(await repo.tagMessage(revision)).toMatch(/^Approved-by: carol$/m);
}

async function issueIn(repo: StageRepository, by: Login): Promise<number> {
  return (await stage.as(by).rest.issues.create({ ...repo.where, title: 'Packages' })).data.number;
}

/** The pull request of a branch. */
async function pullOf(repo: StageRepository, branch: string): Promise<number> {
  return (await repo.pulls()).find(({ head }) => head.ref === branch)!.number;
}

describe('who pushed a part of the content does not approve it', () => {
  test('a command makes all of it: its asker does not approve it (63)', async () => {
    const repo = stage.repository('asked');
    await done(repo, await issueIn(repo, 'bob'), '/portico init shop', 'bob');
    const { number } = (await repo.pulls())[0]!;
    await done(repo, number, '/portico propose', 'bob');
    await refusedAlone(repo, number, 'one of your commands made part of this content', 'shop/v1');
  });

  test('a command makes the draft, its asker force-pushes content of his own (63)', async () => {
    const repo = stage.repository('init');
    await done(repo, await issueIn(repo, 'bob'), '/portico init shop', 'bob');
    const number = await pullOf(repo, (await repo.pulls())[0]!.head.ref);
    const branch = (await repo.pull(number)).head.ref;
    await repo.push(branch, change('evil'), { from: 'main', force: true, as: 'bob' });
    await stage.idle();
    await done(repo, number, '/portico propose', 'bob');
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test("a merge whose first parent is his own, and Portico's commit its second (63)", async () => {
    const repo = stage.repository('first');
    await done(repo, await issueIn(repo, 'bob'), '/portico init shop', 'bob');
    const { number, head } = (await repo.pulls())[0]!;
    const own = await repo.push('aside', change('evil'), { as: 'bob' });
    const rest = stage.as('bob').rest;
    const { tree } = (await rest.git.getCommit({ ...repo.where, commit_sha: own })).data;
    const merge = await rest.git.createCommit({
      ...repo.where,
      message: 'Merge',
      tree: tree.sha,
      parents: [own, head.sha],
    });
    await rest.git.updateRef({ ...repo.where, ref: `heads/${head.ref}`, sha: merge.data.sha });
    await stage.idle();
    await done(repo, number, '/portico propose', 'bob');
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test("a push onto another's pull request, though the other pushed last (63)", async () => {
    const repo = stage.repository('others');
    const { number } = await repo.propose('next', change('red'), { as: 'alice' });
    await repo.push('next', change('evil'), { as: 'bob' });
    await repo.push('next', { 'web/notes.md': 'Later.\n' }, { as: 'alice' });
    await stage.idle();
    expect(await repo.sticky(number)).not.toContain('Approved for');
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test('a merge of the base that holds more than both sides; one that holds no more leaves its giver free (63)', async () => {
    const repo = stage.repository('merge');
    const { number } = await repo.propose('next', change('red'), { as: 'alice' });
    await repo.push('main', { 'README.md': 'Moved on.\n' });
    await stage.idle();
    await stage.as('carol').rest.pulls.updateBranch({ ...repo.where, pull_number: number });
    await stage.idle();

    await repo.push('main', { 'README.md': 'Moved on again.\n' });
    const [head, main] = [await repo.head('next'), await repo.head('main')];
    const rest = stage.as('bob').rest;
    const merged = await rest.git.createTree({
      ...repo.where,
      base_tree: head,
      tree: Object.entries({ ...change('evil'), 'README.md': 'Moved on again.\n' }).map(
        ([path, content]) => ({
          path,
          content,
          mode: '100644' as const,
          type: 'blob' as const,
        }),
      ),
    });
    const evil = await rest.git.createCommit({
      ...repo.where,
      message: "Merge branch 'main' into next",
      tree: merged.data.sha,
      parents: [head, main],
    });
    await rest.git.updateRef({ ...repo.where, ref: 'heads/next', sha: evil.data.sha });
    await stage.idle();
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test('his commit, pushed on by somebody else under another name (63)', async () => {
    const repo = stage.repository('beside');
    await repo.push('his', change('evil'), { as: 'bob' });
    await repo.push('next', { 'web/notes.md': 'Mine.\n' }, { from: 'his', as: 'alice' });
    const { number } = await repo.open('next', { as: 'alice' });
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test('a branch `proposed/…`, for which Portico opens the pull request (63)', async () => {
    const repo = stage.repository('taken');
    await repo.push('proposed/web/next', change('evil'), { as: 'bob' });
    await stage.look('taken');
    const number = await pullOf(repo, 'proposed/web/next');
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test('a pull request of his that was merged into the branch of another (63)', async () => {
    const repo = stage.repository('stacked');
    const { number } = await repo.propose('next', change('red'), { as: 'alice' });
    await repo.push('part', change('evil'), { from: 'next', as: 'bob' });
    const part = await repo.open('part', { as: 'bob', base: 'next' });
    await repo.merge(part.number, 'squash', 'alice');
    await stage.as('bob').rest.git.deleteRef({ ...repo.where, ref: 'heads/part' });
    await stage.idle();
    await refusedAlone(repo, number, 'one of your pull requests was merged into this branch');
  });

  test('what a forced push took away counts, because it may have come back in other words (63)', async () => {
    const repo = stage.repository('gone');
    await repo.push('next', change('evil'), { as: 'bob' });
    await repo.push('next', change('evil'), {
      from: 'main',
      force: true,
      as: 'alice',
      message: 'In my words',
    });
    const { number } = await repo.open('next', { as: 'alice' });
    await refusedAlone(repo, number, 'you pushed part of this content');
  });

  test('a name that is used again is a new branch: who pushed to the old one may approve', async () => {
    const repo = stage.repository('reused');
    await repo.push('next', change('old'), { as: 'bob' });
    await stage.as('bob').rest.git.deleteRef({ ...repo.where, ref: 'heads/next' });
    const { number } = await repo.propose('next', change('red'), { as: 'alice' });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    await done(repo, number, '/portico publish');
    expect(await repo.tagMessage('web/v1')).toMatch(/^Approved-by: bob$/m);
  });
});

describe('an update pull request', () => {
  beforeAll(async () => {
    const up = stage.repository('up');
    await up.publish('one', change('one'));
    await up.publish('two', change('two'));
    const PACKAGE = smallPackage('web');
    const lock = (await up.tags()).get('web/v1')!;
    const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
    for (const name of ['down', 'waits'])
      await stage
        .repository(name)
        .push(
          'main',
          below('shop', { ...PACKAGE, Kptfile, 'config.yaml': configMap('web', { color: 'one' }) }),
        );
    await stage.idle();
  });

  test("is nobody's own; who pushes onto it does not approve it (63)", async () => {
    const repo = stage.repository('down');
    const { number, head } = (await repo.pulls())[0]!;
    await repo.review(number, 'APPROVE', undefined, 'bob');
    expect(await repo.sticky(number)).toContain('Approved for this content by bob');
    await repo.push(head.ref, { 'shop/config.yaml': configMap('web', { color: 'evil' }) }, { as: 'bob' });
    await stage.idle();
    await refusedAlone(repo, number, 'you pushed part of this content', 'shop/v1');
  });

  test('of a revision that somebody asked for is not approved by who asked (63)', async () => {
    const repo = stage.repository('waits');
    await done(repo, await issueIn(repo, 'bob'), '/portico update shop v2', 'bob');
    const { number } = (await repo.pulls())[0]!;
    await refusedAlone(repo, number, 'one of your commands made part of this content', 'shop/v1');
  });
});

/** Names of accounts change while `act` runs, one after the other, and are as before after it. */
async function renamed(
  names: readonly (readonly [string, string])[],
  act: () => Promise<void>,
): Promise<void> {
  const { accounts, accountByLogin } = stage.forge.context.records;
  const change = ([from, login]: readonly [string, string]): void => {
    accounts.update(accountByLogin(from)!.id, { login });
  };
  names.forEach(change);
  try {
    await act();
  } finally {
    names.toReversed().forEach(([from, to]) => change([to, from]));
  }
}

describe('an account that gets another login', () => {
  test('stays the author of what it asked for, and no other has its approvals (63)', async () => {
    const repo = stage.repository('renamed');
    const issue = await issueIn(repo, 'bob');
    await done(repo, issue, '/portico init shop', 'bob');
    const { number } = (await repo.pulls())[0]!;
    await done(repo, number, '/portico propose', 'bob');
    await renamed([['bob', 'robert']], async () => {
      await repo.review(number, 'APPROVE', undefined, 'bob');
      expect(await repo.command(number, '/portico approve', 'bob')).toMatchObject({
        reaction: 'confused',
        reply: expect.stringMatching(/one of your commands made part of this content/i),
      });
      expect((await repo.command(number, '/portico publish', 'bob')).reply).toContain(
        'not counted: `robert` (an author of the content cannot approve it)',
      );
    });
    await done(repo, number, '/portico approve', 'carol');
    expect(await repo.sticky(number)).toContain('Approved for this content by carol');
    const taken = [
      ['carol', 'caroline'],
      ['mona', 'carol'],
    ] as const;
    await renamed(taken, async () => {
      const { reaction, reply } = await repo.command(number, '/portico publish');
      expect(reaction).toBe('confused');
      expect(reply).toContain('Needs 1 approval');
      expect(reply).toContain('`carol` (the account that gave it no longer has this name');
      expect((await repo.tags()).size).toBe(0);
    });
    await done(repo, number, '/portico publish');
    expect(await repo.tagMessage('shop/v1')).toMatch(/^Approved-by: carol$/m);
  });

  test('and was recorded by its login alone: one more approval is needed (63)', async () => {
    const repo = stage.repository('renamed');
    const issue = await issueIn(repo, 'bob');
    await stage.watching(
      // As records were before they held the account's number.
      async ({ method, path }) => {
        const [, id] = /\/issues\/comments\/(\d+)$/.exec(path) ?? [];
        if (method !== 'GET' || id === undefined) return undefined;
        const { data } = await stage
          .as('alice')
          .rest.issues.getComment({ ...repo.where, comment_id: Number(id) });
        return { status: 200, body: { ...data, user: { login: 'bob', type: 'User' } } };
      },
      () => done(repo, issue, '/portico init store', 'bob'),
    );
    const { number } = (await repo.pulls())[0]!;
    await done(repo, number, '/portico propose', 'bob');
    await repo.review(number, 'APPROVE', undefined, 'carol');
    await renamed([['bob', 'robert']], async () => {
      const { reaction, reply } = await repo.command(number, '/portico publish');
      expect(reaction).toBe('confused');
      expect(reply).toContain('Needs 1 more approval (given by carol)');
      expect(reply).toContain('under a login that no longer exists');
    });
    await done(repo, number, '/portico publish');
  });
});

describe('where nobody can tell who pushed, one more approval is needed', () => {
  test('the forge names nobody, or does not answer (63)', async () => {
    const repo = stage.repository('nobody');
    const { number } = await repo.propose('next', change('red'), { as: 'alice' });
    await repo.review(number, 'APPROVE', undefined, 'bob');
    for (const [answer, why] of [
      [403, 'the forge does not report who pushed part of it'],
      [200, 'an App, a workflow or a key pushed part of it'],
    ] as const) {
      const told = await stage.watching(
        async ({ path }) => {
          if (!path.endsWith('/activity')) return undefined;
          if (answer === 403) return 403;
          const { data } = await stage.as('alice').rest.repos.listActivities({ ...repo.where, ref: 'next' });
          return { status: 200, body: data.map((one) => ({ ...one, actor: null })) };
        },
        () => repo.command(number, '/portico publish'),
      );
      expect(told.reply).toContain('Needs 1 more approval (given by bob)');
      expect(told.reply?.toLowerCase()).toContain(why.toLowerCase());
    }
    expect((await repo.tags()).size).toBe(0);
    await done(repo, number, '/portico publish');
  });

  test('a fork that Portico may not look into; in a public one it sees who pushed (63)', async () => {
    for (const [name, needed] of [
      ['open', 1],
      ['closed', 2],
    ] as const) {
      const repo = stage.repository(name);
      await stage.as('rita').rest.repos.createFork(repo.where);
      const fork = forkOf(stage, 'rita', name);
      await fork.push('next', change('red'));
      const { data } = await stage
        .as('rita')
        .rest.pulls.create({ ...repo.where, title: 'Red', head: 'rita:next', base: 'main' });
      await stage.idle();
      await repo.review(data.number, 'APPROVE', undefined, 'bob');
      expect(await repo.sticky(data.number)).toContain(
        needed === 1 ? 'Approved for this content by bob' : 'Needs 1 more approval (given by bob)',
      );
      if (needed === 2) {
        expect(await repo.command(data.number, '/portico publish')).toMatchObject({
          reaction: 'confused',
          reply: expect.stringContaining('Portico cannot see who pushed to the fork that it comes from'),
        });
        await repo.review(data.number, 'APPROVE', undefined, 'carol');
      }
      await done(repo, data.number, '/portico publish');
    }
  });
});
