// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { closeClean, collaboration, lines, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeAll(async () => {
  forge = await collaboration();
});
afterAll(() => closeClean(forge));

const open = async (head: string, more: object = {}) =>
  (await forge.bob.rest.pulls.create({ ...REPO, title: `Take ${head}`, head, base: 'main', ...more })).data;

const merge = (number: number, more: object = {}) =>
  forge.bob.rest.pulls.merge({ ...REPO, pull_number: number, ...more });

describe('opening', () => {
  test('a pull request shows its sides, its size and its commits', async () => {
    const sha = await forge.commit(
      'one',
      { 'README.md': lines(20, { 3: 'third' }), 'new.yaml': 'a: 1\n' },
      { from: 'main' },
    );
    const main = (await forge.git(forge.clone, 'rev-parse', 'main')).trim();
    forge.hooks();
    const pull = await open('one', { body: 'Why' });
    expect(pull).toMatchObject({
      number: 1,
      state: 'open',
      draft: false,
      merged: false,
      mergeable: null,
      mergeable_state: 'unknown',
      commits: 1,
      additions: 2,
      deletions: 1,
      changed_files: 2,
      user: { login: 'bob' },
      head: { ref: 'one', sha, label: 'acme:one' },
      base: { ref: 'main', sha: main },
    });
    expect(names(forge.hooks())).toEqual(['pull_request.opened']);
    const files = (await forge.bob.rest.pulls.listFiles({ ...REPO, pull_number: 1 })).data;
    expect(files.map((file) => [file.filename, file.status, file.additions, file.deletions])).toEqual([
      ['README.md', 'modified', 1, 1],
      ['new.yaml', 'added', 1, 0],
    ]);
    expect(files[0]!.patch).toContain('-line 3\n+third');
    const commits = (await forge.bob.rest.pulls.listCommits({ ...REPO, pull_number: 1 })).data;
    expect(commits.map((commit) => commit.sha)).toEqual([sha]);
    const diff = await forge.bob.rest.pulls.get({ ...REPO, pull_number: 1, mediaType: { format: 'diff' } });
    expect(diff.data as unknown as string).toMatch(/^diff --git a\/README.md b\/README.md\n/);
    const patch = await forge.bob.rest.pulls.get({ ...REPO, pull_number: 1, mediaType: { format: 'patch' } });
    expect(patch.data as unknown as string).toContain('Subject: [PATCH] Change one');
    const advertised = await forge.git(forge.clone, 'ls-remote', 'origin', 'refs/pull/1/*');
    expect(advertised).toContain(`${sha}\trefs/pull/1/head`);
  });

  test('the first look answers null and starts the test merge', async () => {
    const first = (await forge.bob.rest.pulls.get({ ...REPO, pull_number: 1 })).data;
    expect([first.mergeable, first.mergeable_state]).toEqual([null, 'unknown']);
    const second = await forge.known(1);
    expect([second.mergeable, second.mergeable_state, second.rebaseable]).toEqual([true, 'clean', true]);
    const advertised = await forge.git(forge.clone, 'ls-remote', 'origin', 'refs/pull/1/merge');
    expect(advertised).toContain(second.merge_commit_sha);
  });

  test('what cannot be proposed is refused', async () => {
    const create = (head: string, base = 'main') =>
      refused(forge.bob.rest.pulls.create({ ...REPO, title: 'x', head, base }));
    expect(await create('one')).toMatchObject({
      status: 422,
      text: expect.stringContaining('A pull request already exists for acme:one.'),
    });
    expect(await create('nowhere')).toMatchObject({
      status: 422,
      text: expect.stringContaining('"field":"head"'),
    });
    expect(await create('stranger:one')).toMatchObject({
      status: 422,
      text: expect.stringContaining('"field":"head"'),
    });
    expect(await create('one', 'nowhere')).toMatchObject({
      status: 422,
      text: expect.stringContaining('"field":"base"'),
    });
    await forge.git(forge.clone, 'push', '-q', 'origin', 'main:refs/heads/empty');
    expect(await create('empty')).toMatchObject({
      status: 422,
      text: expect.stringContaining('No commits between main and empty'),
    });
    expect(
      (await refused(forge.eve.rest.pulls.create({ ...REPO, title: 'x', head: 'one', base: 'main' }))).status,
    ).toBe(404);
  });

  test('lists are filtered by state, head and base, and paged', async () => {
    for (const name of ['list-a', 'list-b']) {
      await forge.commit(name, { [`${name}.yaml`]: 'a: 1\n' }, { from: 'main' });
      await open(name);
    }
    const list = async (query: object) =>
      (await forge.bob.rest.pulls.list({ ...REPO, ...query })).data.map((pull) => pull.head.ref);
    expect(await list({ state: 'open' })).toEqual(['list-b', 'list-a', 'one']);
    expect(await list({ head: 'acme:list-a' })).toEqual(['list-a']);
    expect(await list({ head: 'other:list-a' })).toEqual([]);
    expect(await list({ base: 'other' })).toEqual([]);
    expect(await list({ sort: 'created', direction: 'asc', per_page: 1, page: 2 })).toEqual(['list-a']);
    const page = await forge.bob.rest.pulls.list({ ...REPO, per_page: 1 });
    expect(page.headers.link).toContain('rel="next"');
  });
});

describe('changing', () => {
  test('title, body and base are edited; closing and opening again work', async () => {
    await forge.commit('edit', { 'edit.yaml': 'a: 1\n' }, { from: 'main' });
    await forge.git(forge.clone, 'push', '-q', 'origin', 'main:refs/heads/other');
    const { number } = await open('edit');
    forge.hooks();
    const update = (change: object) =>
      forge.bob.rest.pulls.update({ ...REPO, pull_number: number, ...change });
    await update({ title: 'Better', body: 'Because' });
    await update({ base: 'other' });
    await update({ state: 'closed' });
    expect((await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data).toMatchObject({
      title: 'Better',
      body: 'Because',
      state: 'closed',
      base: { ref: 'other' },
    });
    await update({ state: 'open' });
    const sent = forge.hooks();
    expect(names(sent)).toEqual([
      'pull_request.edited',
      'pull_request.edited',
      'pull_request.closed',
      'pull_request.reopened',
    ]);
    expect(sent[0]!.payload.changes).toEqual({ title: { from: 'Take edit' }, body: { from: '' } });
    expect(sent[1]!.payload.changes.base.ref.from).toBe('main');
    expect(
      (await refused(forge.eve.rest.pulls.update({ ...REPO, pull_number: number, title: 'x' }))).status,
    ).toBe(403);
  });

  test('a push to the head synchronizes, its deletion closes', async () => {
    const before = await forge.commit('moving', { 'm.yaml': 'a: 1\n' }, { from: 'main' });
    const { number } = await open('moving');
    await forge.known(number);
    forge.hooks();
    const after = await forge.commit('moving', { 'm.yaml': 'a: 2\n' });
    const pull = (await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data;
    expect([pull.head.sha, pull.mergeable]).toEqual([after, null]);
    const sync = forge.hooks().find((hook) => hook.action === 'synchronize');
    expect(sync?.payload).toMatchObject({ before, after, number });
    await forge.git(forge.clone, 'push', '-q', 'origin', ':moving');
    expect((await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data.state).toBe('closed');
    expect(
      (await refused(forge.bob.rest.pulls.update({ ...REPO, pull_number: number, state: 'open' }))).status,
    ).toBe(422);
  });

  test('a head that is reset to its base is closed, not merged', async () => {
    await forge.commit('reset', { 'r.yaml': 'a: 1\n' }, { from: 'main' });
    const { number } = await open('reset');
    await forge.git(forge.clone, 'push', '-q', '--force', 'origin', 'main:reset');
    const pull = (await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data;
    expect([pull.state, pull.merged]).toEqual(['closed', false]);
  });

  test('the base can be merged into the head', async () => {
    await forge.commit('behind', { 'b.yaml': 'a: 1\n' }, { from: 'main' });
    const { number } = await open('behind');
    const main = await forge.commit('main', { 'm2.yaml': 'a: 1\n' });
    const wrong = { ...REPO, pull_number: number, expected_head_sha: main };
    expect((await refused(forge.bob.rest.pulls.updateBranch(wrong))).status).toBe(422);
    const reply = await forge.bob.rest.pulls.updateBranch({ ...REPO, pull_number: number });
    expect(reply.status).toBe(202);
    await forge.git(forge.clone, 'fetch', '-q');
    const parents = await forge.git(forge.clone, 'log', '-1', '--format=%P', 'origin/behind');
    expect(parents).toContain(main);
    expect((await refused(forge.bob.rest.pulls.updateBranch({ ...REPO, pull_number: number }))).status).toBe(
      422,
    );
  });
});

describe('merging', () => {
  test('a merge commit has two parents and GitHub’s words', async () => {
    const head = await forge.commit('m-merge', { 'mm.yaml': 'a: 1\n' }, { from: 'main' });
    const { number } = await open('m-merge');
    expect((await refused(forge.bob.rest.pulls.checkIfMerged({ ...REPO, pull_number: number }))).status).toBe(
      404,
    );
    expect((await refused(merge(number, { sha: '0'.repeat(40) }))).status).toBe(409);
    forge.hooks();
    const { data } = await merge(number, { sha: head });
    expect(data).toMatchObject({ merged: true, message: 'Pull Request successfully merged' });
    expect((await forge.bob.rest.pulls.checkIfMerged({ ...REPO, pull_number: number })).status).toBe(204);
    await forge.git(forge.clone, 'fetch', '-q');
    const shown = await forge.git(forge.clone, 'log', '-1', '--format=%H|%P|%s|%b|%an|%cn', 'origin/main');
    const [sha, parents, subject, body, author, committer] = shown.trim().split('|');
    expect([sha, subject, body, author, committer]).toEqual([
      data.sha,
      `Merge pull request #${number} from acme/m-merge`,
      'Take m-merge\n',
      'bob',
      'GitHub',
    ]);
    expect(parents).toContain(head);
    const pull = (await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data;
    expect(pull).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: 'bob' },
      merge_commit_sha: data.sha,
      changed_files: 1,
    });
    expect(names(forge.hooks())).toEqual(expect.arrayContaining(['push', 'pull_request.closed']));
    expect((await refused(merge(number))).status).toBe(405);
  });

  test('a squash is one commit, a rebase replays each', async () => {
    await forge.git(forge.clone, 'pull', '-q', '--rebase', 'origin', 'main');
    const fresh = { from: 'origin/main' };
    await forge.commit('m-squash', { 's.yaml': 'a: 1\n' }, { ...fresh, message: 'One' });
    await forge.commit('m-squash', { 's.yaml': 'a: 2\n' }, { message: 'Two' });
    const squash = await open('m-squash');
    await merge(squash.number, { merge_method: 'squash' });
    await forge.git(forge.clone, 'fetch', '-q');
    const one = await forge.git(forge.clone, 'log', '-1', '--format=%s|%b|%P', 'origin/main');
    expect(one).toContain(`Take m-squash (#${squash.number})|* One\n\n* Two`);
    await forge.commit('m-rebase', { 'x.yaml': 'a: 1\n' }, { ...fresh, message: 'Three' });
    await forge.commit('m-rebase', { 'x.yaml': 'a: 2\n' }, { message: 'Four' });
    await forge.commit('main', { 'aside.yaml': 'a: 1\n' }, { from: 'origin/main' });
    const rebase = await open('m-rebase');
    await merge(rebase.number, { merge_method: 'rebase' });
    await forge.git(forge.clone, 'fetch', '-q');
    const log = await forge.git(forge.clone, 'log', '-3', '--format=%s', 'origin/main');
    expect(log.trim().split('\n')).toEqual(['Four', 'Three', 'Change main']);
    expect(await forge.git(forge.clone, 'show', 'origin/main:x.yaml')).toBe('a: 2\n');
  });

  test('lines far apart are both kept, lines that clash are a conflict', async () => {
    await forge.commit('far', { 'README.md': lines(20, { 2: 'two' }) }, { from: 'origin/main' });
    await forge.commit('near', { 'README.md': lines(20, { 19: 'nineteen' }) }, { from: 'origin/main' });
    await forge.commit('clash', { 'README.md': lines(20, { 2: 'zwei' }) }, { from: 'origin/main' });
    const [far, near, clash] = [await open('far'), await open('near'), await open('clash')];
    await merge(far.number);
    await merge(near.number);
    await forge.git(forge.clone, 'fetch', '-q');
    expect(await forge.git(forge.clone, 'show', 'origin/main:README.md')).toBe(
      lines(20, { 2: 'two', 19: 'nineteen' }),
    );
    expect((await forge.known(clash.number)).mergeable_state).toBe('dirty');
    expect(await refused(merge(clash.number))).toMatchObject({
      status: 405,
      text: expect.stringContaining('Pull Request is not mergeable'),
    });
  });

  test('a draft is not merged', async () => {
    await forge.commit('drafty', { 'd.yaml': 'a: 1\n' }, { from: 'origin/main' });
    const { number } = await open('drafty', { draft: true });
    expect((await forge.known(number)).mergeable_state).toBe('draft');
    expect(await refused(merge(number))).toMatchObject({
      status: 405,
      text: expect.stringContaining('still a draft'),
    });
  });

  test('a head that is pushed into the base counts as merged', async () => {
    const head = await forge.commit('by-push', { 'p.yaml': 'a: 1\n' }, { from: 'origin/main' });
    const { number } = await open('by-push');
    await forge.git(forge.clone, 'push', '-q', 'origin', 'by-push:main');
    const pull = (await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data;
    expect(pull).toMatchObject({ merged: true, merge_commit_sha: head, merged_by: { login: 'bob' } });
  });

  test('a merge into the default branch closes the issues that it names', async () => {
    const issue = (await forge.bob.rest.issues.create({ ...REPO, title: 'Wanted' })).data.number;
    await forge.git(forge.clone, 'fetch', '-q');
    await forge.commit('closing', { 'c.yaml': 'a: 1\n' }, { from: 'origin/main' });
    const { number } = await open('closing', { body: `Mentions #1, fixes #${issue}.` });
    await merge(number);
    const closed = (await forge.bob.rest.issues.get({ ...REPO, issue_number: issue })).data;
    expect([closed.state, closed.state_reason]).toEqual(['closed', 'completed']);
  });

  test('one branch is merged into another', async () => {
    await forge.git(forge.clone, 'fetch', '-q');
    await forge.commit('feature', { 'f.yaml': 'a: 1\n' }, { from: 'origin/main' });
    const { data, status } = await forge.bob.rest.repos.merge({ ...REPO, base: 'main', head: 'feature' });
    expect([status, data.parents.length]).toEqual([201, 2]);
    expect((await forge.bob.rest.repos.merge({ ...REPO, base: 'main', head: 'feature' })).status).toBe(204);
    expect((await refused(forge.bob.rest.repos.merge({ ...REPO, base: 'main', head: 'clash' }))).status).toBe(
      409,
    );
    expect(
      (await refused(forge.bob.rest.repos.merge({ ...REPO, base: 'main', head: 'nowhere' }))).status,
    ).toBe(404);
  });
});
