import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { STORIES, longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const FILES = { ...below('web', smallPackage('web')), ...below('apps/db', smallPackage('db')) };
/** Nobody's approval is asked for. */
const NOBODY = 'branch: main\npublish: { requireApprovals: 0 }';
const change = (name: string, color: string): Record<string, string> => ({
  [`${name === 'db' ? 'apps/db' : name}/config.yaml`]: configMap(name, { color }),
});

beforeAll(async () => {
  stage = await startStage({
    button: { files: FILES, spec: NOBODY },
    direct: { files: FILES },
    semver: { files: FILES, spec: 'branch: main\nversioning: semver' },
    ledger: { files: FILES },
    ...(STORIES && {
      first: { files: FILES, spec: null },
      pushes: { files: FILES, spec: 'branch: main\npublish: { directPushes: publish, release: false }' },
      foreign: { files: FILES },
      root: { files: smallPackage('root') },
      invented: { files: FILES, spec: NOBODY },
    }),
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('by the button', () => {
  test('three methods of merging make one revision each, of the commit on the branch', async () => {
    const repo = stage.repository('button');
    for (const [at, method] of (['merge', 'squash', 'rebase'] as const).entries()) {
      const { number } = await repo.propose(`by-${method}`, change('web', method));
      const sha = await repo.merge(number, method);
      expect(await repo.head('main')).toBe(sha);
      expect((await repo.tags()).get(`web/v${at + 1}`)).toBe(sha);
    }
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2', 'web/v3']);
  });

  longTest(
    'a tag that somebody made takes its number, and nothing that its trailers say is believed',
    async () => {
      const repo = stage.repository('invented');
      const { number } = await repo.propose('one', change('web', 'one'));
      const sha = await repo.merge(number);
      const says = `web v9\n\nPackage: web\nRevision: v9\nDigest: sha256:0\nApproved-by: alice\nProposal: #${number}`;
      const eve = ['-c', 'user.name=eve', '-c', 'user.email=eve@example.com'];
      await repo.git(...eve, 'tag', '-a', 'web/v9', '-m', says, sha);
      await stage.look('invented');
      expect(await repo.releases()).toEqual(['web/v1']);
      expect(await repo.sticky(number)).toContain('Published `web@v1`');
      const next = await repo.propose('two', change('web', 'two'));
      await repo.merge(next.number);
      expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v10', 'web/v9']);
    },
  );

  test('a merge of two packages makes two revisions; one that touches none makes none', async () => {
    const repo = stage.repository('button');
    const { number } = await repo.propose('both', { ...change('web', 'both'), ...change('db', 'both') });
    const sha = await repo.merge(number);
    const tags = await repo.tags();
    expect([tags.get('web/v4'), tags.get('apps/db/v1')]).toEqual([sha, sha]);
    expect(await repo.sticky(number)).toContain('Published `apps/db@v1`, `web@v4`');
    const docs = await repo.propose('docs', { 'docs/a.md': 'a\n' });
    await repo.merge(docs.number);
    expect((await repo.tags()).size).toBe(5);
    expect(await repo.sticky(docs.number)).toContain('there is no new revision');
  });

  longTest('two merges that were seen late make two revisions, each with its notes', async () => {
    const repo = stage.repository('button');
    const one = await repo.propose('late-one', change('web', 'late1'));
    await stage.stopBot();
    const first = await repo.press(one.number);
    const { data: two } = await (async () => {
      await repo.push('late-two', change('web', 'late2'));
      return stage
        .as('alice')
        .rest.pulls.create({ ...repo.where, title: 'late', head: 'late-two', base: 'main' });
    })();
    const second = await repo.press(two.number);
    await stage.startBot();
    const tags = await repo.tags();
    expect([tags.get('web/v5'), tags.get('web/v6')]).toEqual([first, second]);
    expect(await repo.releases()).toEqual([
      'apps/db/v1',
      'web/v1',
      'web/v2',
      'web/v3',
      'web/v4',
      'web/v5',
      'web/v6',
    ]);
  });

  longTest('a removed package keeps its tags and gets no revision', async () => {
    const repo = stage.repository('button');
    const { number } = await repo.propose('remove', { 'web/Kptfile': null, 'web/config.yaml': null });
    await repo.merge(number);
    expect([...(await repo.tags()).keys()].filter((tag) => tag.startsWith('web/'))).toHaveLength(6);
    const again = await repo.propose('again', below('web', smallPackage('web')));
    await repo.merge(again.number);
    expect((await repo.tags()).get('web/v7')).toBe(await repo.head('main'));
  });

  longTest(
    'the first two merges of a package, seen late, are two revisions; what was merged before is none',
    async () => {
      const repo = stage.repository('first');
      await repo.push('before', change('web', 'before'));
      const { data: before } = await repo.create('before');
      await repo.merge(before.number);
      await repo.push('main', { '.github/portico.yaml': configuration('first', NOBODY) });
      await stage.idle();
      expect((await repo.tags()).size).toBe(0);
      await stage.stopBot();
      const merged: string[] = [];
      for (const color of ['one', 'two']) {
        await repo.push(color, change('web', color));
        merged.push(await repo.press((await repo.create(color)).data.number));
      }
      await stage.startBot();
      const tags = await repo.tags();
      expect([tags.get('web/v1'), tags.get('web/v2')]).toEqual(merged);
    },
  );

  longTest('a package at the top is tagged v1', async () => {
    const repo = stage.repository('root');
    const { number } = await repo.propose('next', { 'config.yaml': configMap('root', { color: 'red' }) });
    const sha = await repo.merge(number);
    expect(await repo.tags()).toEqual(new Map([['v1', sha]]));
  });
});

describe('past any proposal', () => {
  test('a direct push is flagged and not tagged; the next proposal publishes it too', async () => {
    const repo = stage.repository('direct');
    await repo.publish('one', change('web', 'one'));
    await repo.push('main', change('web', 'pushed'));
    await stage.idle();
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    const check = (await repo.checks(await repo.head('main'))).get('portico/publication');
    expect(check?.conclusion).toBe('neutral');
    expect(check?.output.title).toBe('Not published: apps/db, web');
    expect(check?.output.summary).toContain('directPushes: publish');
    expect(await stage.writesOf(() => stage.look('direct'), 'direct')).toEqual([]);
    const board = async (): Promise<string> => {
      await stage.dashboard('direct');
      const { data } = await stage.as('alice').rest.issues.listForRepo(repo.where);
      return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
    };
    expect(await board()).toContain('| `web` | `v1` |  |  | changed without approval, not published |');

    // What was pushed goes with it, so that one more has to see it.
    const more = { 'web/more.yaml': configMap('more', { color: 'two' }) };
    await repo.publish('two', more, '/portico publish', ['bob', 'carol']);
    const tags = await repo.tags();
    expect([...tags.keys()]).toEqual(['web/v1', 'web/v2']);
    const after = (await repo.checks(tags.get('web/v2')!)).get('portico/publication');
    expect(after?.output.title).toBe('Not published: apps/db');
    expect(await repo.read('web/config.yaml', 'web/v2')).toContain('pushed');
    expect(await board()).not.toContain('changed without approval');
  });

  longTest('with directPushes: publish it is tagged; release: false makes no release', async () => {
    const repo = stage.repository('pushes');
    expect([...(await repo.tags()).keys()].toSorted()).toEqual(['apps/db/v1', 'web/v1']);
    // Who pushes writes the message: it speaks for nobody else.
    const sha = await repo.push('main', change('web', 'pushed'), { message: 'Pushed\n\nRequested-By: bob' });
    await stage.idle();
    expect((await repo.tags()).get('web/v2')).toBe(sha);
    expect(await repo.tagMessage('web/v2')).not.toContain('Requested-by');
    expect(await repo.releases()).toEqual([]);
    expect(await repo.tagMessage('web/v2')).not.toContain('Proposal:');
    expect(await repo.tagMessage('web/v2')).toContain('\nApproved-by: none\n');
    const tree = await repo.git('rev-parse', 'refs/tags/web/v2:web');
    expect(await repo.tagMessage('web/v2')).toContain(`\nTree: ${tree}\n`);
  });
});

describe('names and what they say', () => {
  test('the tag tells where the revision comes from, the release what changed', async () => {
    const repo = stage.repository('direct');
    const message = await repo.tagMessage('web/v2');
    expect(message).toContain('Package: web\n');
    expect(message).toContain('Revision: v2\n');
    expect(message).toMatch(/\nDigest: \S+/);
    expect(message).toContain('\nApproved-by: bob');
    expect(message).toContain('\nRequested-by: alice');
    expect(message).toMatch(/\nProposal: #\d+/);
    const { data } = await stage.as('alice').rest.repos.getReleaseByTag({ ...repo.where, tag: 'web/v2' });
    expect(data.name).toBe('web v2');
    expect(data.body).toContain('Since `v1`');
    expect(data.body).toContain('more.yaml');
    expect(data.body).toContain('Approved by `bob`');
  });

  test('SemVer: the command says which part goes up', async () => {
    const repo = stage.repository('semver');
    const { number } = await repo.propose('first', change('web', 'one'));
    await repo.review(number, 'APPROVE');
    expect(await repo.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('major, minor or patch'),
    });
    expect((await repo.command(number, '/portico publish minor')).reaction).toBe('rocket');
    await repo.publish('second', change('web', 'two'), '/portico publish patch');
    await repo.publish('third', change('web', 'three'), '/portico publish major');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v0.1.0', 'web/v0.1.1', 'web/v1.0.0']);
  });

  longTest('tags that were there before are read as revisions', async () => {
    const repo = stage.repository('foreign');
    const main = await repo.head('main');
    await repo.tag('web/v0.9.0', main);
    await repo.tag('web/v2.0.0', main);
    await repo.tag('web/latest', main);
    await repo.publish('next', change('web', 'next'));
    expect([...(await repo.tags()).keys()]).toEqual(['web/latest', 'web/v0.9.0', 'web/v2.0.0', 'web/v3']);
    const { data } = await stage.as('alice').rest.repos.getReleaseByTag({ ...repo.where, tag: 'web/v3' });
    expect(data.body).toContain('Since `v2.0.0`');
  });

  test('a number is never used again, even when its tag is deleted', async () => {
    const repo = stage.repository('ledger');
    await repo.publish('one', change('web', 'one'));
    await repo.publish('two', change('web', 'two'));
    expect(await repo.git('rev-parse', 'refs/portico/published/web/v2')).toBe(
      await repo.git('rev-parse', 'refs/tags/web/v2'),
    );
    await stage.as('alice').rest.git.deleteRef({ ...repo.where, ref: 'tags/web/v2' });
    await stage.idle();
    await stage.look('ledger');
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
    await repo.publish('three', change('web', 'three'));
    expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v3']);
  });
});
