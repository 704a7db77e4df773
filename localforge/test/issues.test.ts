import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeAll(async () => {
  forge = await collaboration();
});
afterAll(() => closeClean(forge));

const list = async (query: object) =>
  (await forge.bob.rest.issues.listForRepo({ ...REPO, ...query })).data.map((issue) => issue.number);

describe('issues', () => {
  test('share their numbers with pull requests and are opened, edited, closed and opened again', async () => {
    forge.hooks();
    const { data } = await forge.bob.rest.issues.create({
      ...REPO,
      title: 'Broken',
      body: 'It is',
      labels: ['bug'],
      assignees: ['bob'],
    });
    expect(data).toMatchObject({ number: 1, state: 'open', assignee: { login: 'bob' } });
    await forge.commit('side', { 's.yaml': 'a: 1\n' }, { from: 'main' });
    const pull = await forge.bob.rest.pulls.create({ ...REPO, title: 'Fix', head: 'side', base: 'main' });
    expect(pull.data.number).toBe(2);
    const update = (change: object) => forge.bob.rest.issues.update({ ...REPO, issue_number: 1, ...change });
    await update({ title: 'Very broken', labels: ['bug', 'p1'], assignees: [] });
    expect((await update({ state: 'closed', state_reason: 'not_planned' })).data).toMatchObject({
      state: 'closed',
      state_reason: 'not_planned',
      closed_by: { login: 'bob' },
    });
    await update({ state: 'open' });
    const sent = names(forge.hooks()).filter((name) => /^(issues|label)\./.test(name));
    expect(sent).toEqual([
      'label.created',
      'issues.opened',
      'issues.edited',
      'label.created',
      'issues.labeled',
      'issues.unassigned',
      'issues.closed',
      'issues.reopened',
    ]);
    expect(
      (await refused(forge.eve.rest.issues.update({ ...REPO, issue_number: 1, title: 'x' }))).status,
    ).toBe(403);
    expect((await refused(forge.bob.rest.issues.get({ ...REPO, issue_number: 99 }))).status).toBe(404);
  });

  test('are listed with the pull requests among them, filtered and sorted', async () => {
    expect(await list({})).toEqual([2, 1]);
    expect(await list({ labels: 'bug,p1' })).toEqual([1]);
    expect(await list({ labels: 'absent' })).toEqual([]);
    expect(await list({ creator: 'bob', sort: 'created', direction: 'asc' })).toEqual([1, 2]);
    expect(await list({ assignee: 'none', state: 'all' })).toEqual([2, 1]);
    expect(await list({ state: 'closed' })).toEqual([]);
  });

  test('a pull request is closed and labelled through its issue side', async () => {
    forge.hooks();
    await forge.bob.rest.issues.update({ ...REPO, issue_number: 2, state: 'closed', labels: ['bug'] });
    expect(names(forge.hooks())).toEqual(['pull_request.closed', 'pull_request.labeled']);
    expect((await forge.bob.rest.pulls.get({ ...REPO, pull_number: 2 })).data.state).toBe('closed');
    const { data } = await forge.bob.rest.issues.get({ ...REPO, issue_number: 2 });
    expect(data.pull_request?.url).toMatch(/\/pulls\/2$/);
  });

  test('assignees come and go', async () => {
    const one = { ...REPO, issue_number: 1 };
    const added = await forge.bob.rest.issues.addAssignees({ ...one, assignees: ['carol', 'bob'] });
    expect(added.data.assignees?.map((user) => user.login)).toEqual(['carol', 'bob']);
    const left = await forge.bob.rest.issues.removeAssignees({ ...one, assignees: ['carol'] });
    expect(left.data.assignees?.map((user) => user.login)).toEqual(['bob']);
  });

  test('a locked conversation takes comments only from those who may write', async () => {
    const one = { ...REPO, issue_number: 1 };
    await forge.bob.rest.issues.lock({ ...one, lock_reason: 'resolved' });
    expect((await refused(forge.eve.rest.issues.createComment({ ...one, body: 'Hi' }))).status).toBe(403);
    await forge.bob.rest.issues.createComment({ ...one, body: 'Closed' });
    await forge.bob.rest.issues.unlock(one);
    await forge.eve.rest.issues.createComment({ ...one, body: 'Hi' });
  });
});

describe('comments', () => {
  test('are written, edited, listed and deleted, also by the App', async () => {
    const one = { ...REPO, issue_number: 2 };
    forge.hooks();
    const { data } = await forge.app.rest.issues.createComment({ ...one, body: 'Rendered' });
    expect(data).toMatchObject({
      user: { login: 'local-app[bot]', type: 'Bot' },
      performed_via_github_app: { slug: 'local-app' },
    });
    const comment = { ...REPO, comment_id: data.id };
    await forge.app.rest.issues.updateComment({ ...comment, body: 'Rendered again' });
    expect((await refused(forge.eve.rest.issues.updateComment({ ...comment, body: 'x' }))).status).toBe(403);
    expect((await forge.bob.rest.issues.getComment(comment)).data.body).toBe('Rendered again');
    expect((await forge.bob.rest.issues.listComments(one)).data.map((each) => each.id)).toEqual([data.id]);
    expect((await forge.bob.rest.issues.listCommentsForRepo(REPO)).data.length).toBe(3);
    await forge.alice.rest.issues.deleteComment(comment);
    expect((await refused(forge.bob.rest.issues.getComment(comment))).status).toBe(404);
    const sent = forge.hooks();
    expect(names(sent)).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']);
    expect(sent[0]!.payload.issue.pull_request).toBeDefined();
    expect(sent[1]!.payload.changes).toEqual({ body: { from: 'Rendered' } });
  });

  test('longer than GitHub takes, or empty, are refused', async () => {
    const write = (body: string) =>
      refused(forge.bob.rest.issues.createComment({ ...REPO, issue_number: 1, body }));
    // Two bytes each: what counts is bytes.
    expect((await write('é'.repeat(131_073))).text).toContain('is too long');
    expect((await write('')).status).toBe(422);
    const { data } = await forge.bob.rest.issues.createComment({
      ...REPO,
      issue_number: 1,
      body: 'é'.repeat(131_072),
    });
    expect(data.body?.length).toBe(131_072);
  });
});

describe('labels', () => {
  test('are made, renamed and deleted', async () => {
    const { data } = await forge.bob.rest.issues.createLabel({
      ...REPO,
      name: 'area/api',
      color: 'ff0000',
      description: 'API',
    });
    expect(data).toMatchObject({ name: 'area/api', color: 'ff0000', default: false });
    expect((await refused(forge.bob.rest.issues.createLabel({ ...REPO, name: 'Area/API' }))).text).toContain(
      'already_exists',
    );
    forge.hooks();
    await forge.bob.rest.issues.updateLabel({ ...REPO, name: 'area/api', new_name: 'area/web' });
    expect((await forge.bob.rest.issues.getLabel({ ...REPO, name: 'area/web' })).data.id).toBe(data.id);
    await forge.bob.rest.issues.deleteLabel({ ...REPO, name: 'area/web' });
    expect(names(forge.hooks())).toEqual(['label.edited', 'label.deleted']);
    const all = (await forge.bob.rest.issues.listLabelsForRepo(REPO)).data;
    expect(all.map((label) => label.name)).toEqual(['bug', 'p1']);
  });

  test('are put on issues and taken off', async () => {
    const one = { ...REPO, issue_number: 1 };
    const added = await forge.bob.rest.issues.addLabels({ ...one, labels: ['new'] });
    expect(added.data.map((label) => label.name)).toEqual(['bug', 'p1', 'new']);
    const left = await forge.bob.rest.issues.removeLabel({ ...one, name: 'p1' });
    expect(left.data.map((label) => label.name)).toEqual(['bug', 'new']);
    expect((await refused(forge.bob.rest.issues.removeLabel({ ...one, name: 'p1' }))).status).toBe(404);
    await forge.bob.rest.issues.setLabels({ ...one, labels: ['p1'] });
    expect((await forge.bob.rest.issues.listLabelsOnIssue(one)).data.map((label) => label.name)).toEqual([
      'p1',
    ]);
    await forge.bob.rest.issues.removeAllLabels(one);
    expect((await forge.bob.rest.issues.listLabelsOnIssue(one)).data).toEqual([]);
    expect((await refused(forge.eve.rest.issues.addLabels({ ...one, labels: ['bug'] }))).status).toBe(404);
  });
});

describe('reactions', () => {
  test('come once per person and kind', async () => {
    const comment = (
      await forge.bob.rest.issues.createComment({ ...REPO, issue_number: 1, body: '/portico help' })
    ).data;
    const one = { ...REPO, comment_id: comment.id };
    const first = await forge.app.rest.reactions.createForIssueComment({ ...one, content: 'eyes' });
    const second = await forge.app.rest.reactions.createForIssueComment({ ...one, content: 'eyes' });
    expect([first.status, second.status, second.data.id]).toEqual([201, 200, first.data.id]);
    await forge.eve.rest.reactions.createForIssueComment({ ...one, content: 'rocket' });
    const listed = (await forge.bob.rest.reactions.listForIssueComment(one)).data;
    expect(listed.map((each) => [each.user?.login, each.content])).toEqual([
      ['local-app[bot]', 'eyes'],
      ['eve', 'rocket'],
    ]);
    expect((await forge.bob.rest.issues.getComment(one)).data.reactions).toMatchObject({
      total_count: 2,
      eyes: 1,
    });
    const removal = { ...one, reaction_id: first.data.id };
    expect((await refused(forge.eve.rest.reactions.deleteForIssueComment(removal))).status).toBe(403);
    await forge.app.rest.reactions.deleteForIssueComment(removal);
    const wrong = forge.app.request('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', {
      ...one,
      content: 'thumbsup' as '+1',
    });
    expect((await refused(wrong)).status).toBe(422);
    const onIssue = await forge.eve.rest.reactions.createForIssue({
      ...REPO,
      issue_number: 1,
      content: '+1',
    });
    await forge.eve.rest.reactions.deleteForIssue({ ...REPO, issue_number: 1, reaction_id: onIssue.data.id });
    expect((await forge.eve.rest.reactions.listForIssue({ ...REPO, issue_number: 1 })).data).toEqual([]);
  });
});
