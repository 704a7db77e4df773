import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { closeClean, collaboration, lines, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;
let number: number;
let head: string;

beforeAll(async () => {
  forge = await collaboration();
  head = await forge.commit(
    'draft',
    { 'README.md': lines(20, { 10: 'ten' }), 'new.yaml': 'a: 1\nb: 2\n' },
    { from: 'main' },
  );
  number = (await forge.bob.rest.pulls.create({ ...REPO, title: 'Change', head: 'draft', base: 'main' })).data
    .number;
});
afterAll(() => closeClean(forge));

const at = () => ({ ...REPO, pull_number: number });

const comment = (more: object) =>
  forge.carol.rest.pulls.createReviewComment({
    ...at(),
    body: 'Hm',
    commit_id: head,
    path: 'README.md',
    ...more,
  });

describe('reviews', () => {
  test('others approve, demand changes or comment; the author can only comment', async () => {
    forge.hooks();
    const review = (
      who: 'bob' | 'carol' | 'app',
      event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT',
      body = 'Text',
    ) => forge[who].rest.pulls.createReview({ ...at(), event, body });
    expect((await review('carol', 'APPROVE')).data).toMatchObject({
      state: 'APPROVED',
      commit_id: head,
      user: { login: 'carol' },
    });
    expect((await review('app', 'REQUEST_CHANGES')).data).toMatchObject({
      user: { login: 'local-app[bot]' },
    });
    expect(await refused(review('bob', 'APPROVE'))).toMatchObject({
      status: 422,
      text: expect.stringContaining('Can not approve your own pull request'),
    });
    expect((await refused(review('bob', 'REQUEST_CHANGES'))).status).toBe(422);
    expect((await refused(review('carol', 'COMMENT', ''))).status).toBe(422);
    expect((await review('bob', 'COMMENT')).data.state).toBe('COMMENTED');
    const sent = forge.hooks();
    expect(names(sent)).toEqual(Array(3).fill('pull_request_review.submitted'));
    expect(sent[0]!.payload.review.state).toBe('approved');
    const states = (await forge.eve.rest.pulls.listReviews(at())).data.map((each) => each.state);
    expect(states).toEqual(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED']);
  });

  test('a pending review is seen by its author alone until it is submitted', async () => {
    const { data } = await forge.carol.rest.pulls.createReview({
      ...at(),
      body: 'Later',
      comments: [{ path: 'README.md', line: 10, body: 'Here' }],
    });
    expect(data.state).toBe('PENDING');
    const one = { ...at(), review_id: data.id };
    expect((await refused(forge.bob.rest.pulls.getReview(one))).status).toBe(404);
    expect((await forge.bob.rest.pulls.listReviewComments(at())).data).toEqual([]);
    expect((await refused(forge.carol.rest.pulls.createReview(at()))).status).toBe(422);
    forge.hooks();
    const done = await forge.carol.rest.pulls.submitReview({ ...one, event: 'COMMENT' });
    expect(done.data).toMatchObject({ state: 'COMMENTED', body: 'Later' });
    expect(names(forge.hooks())).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
    ]);
    const comments = (await forge.bob.rest.pulls.listCommentsForReview(one)).data;
    expect(comments.map((comment) => [comment.path, comment.body])).toEqual([['README.md', 'Here']]);
    expect((await forge.bob.rest.pulls.getReview(one)).data.state).toBe('COMMENTED');
  });

  test('a pending review can be deleted, a submitted one edited', async () => {
    const pending = await forge.carol.rest.pulls.createReview({ ...at(), body: 'No' });
    const gone = { ...at(), review_id: pending.data.id };
    await forge.carol.rest.pulls.deletePendingReview(gone);
    expect((await refused(forge.carol.rest.pulls.getReview(gone))).status).toBe(404);
    const [first] = (await forge.carol.rest.pulls.listReviews(at())).data;
    const edit = { ...at(), review_id: first!.id, body: 'Better' };
    expect((await refused(forge.bob.rest.pulls.updateReview(edit))).status).toBe(403);
    forge.hooks();
    expect((await forge.carol.rest.pulls.updateReview(edit)).data.body).toBe('Better');
    expect(names(forge.hooks())).toEqual(['pull_request_review.edited']);
    expect(
      (await refused(forge.carol.rest.pulls.deletePendingReview({ ...at(), review_id: first!.id }))).status,
    ).toBe(422);
  });

  test('a review is dismissed by those who may write', async () => {
    const [first] = (await forge.bob.rest.pulls.listReviews(at())).data;
    const dismissal = { ...at(), review_id: first!.id, message: 'Outdated' };
    expect((await refused(forge.eve.rest.pulls.dismissReview(dismissal))).status).toBe(403);
    forge.hooks();
    expect((await forge.alice.rest.pulls.dismissReview(dismissal)).data.state).toBe('DISMISSED');
    expect(names(forge.hooks())).toEqual(['pull_request_review.dismissed']);
  });
});

describe('comments on lines', () => {
  test('a line of the diff can be commented, another cannot', async () => {
    forge.hooks();
    const { data } = await comment({ line: 10, side: 'RIGHT' });
    expect(data).toMatchObject({
      line: 10,
      side: 'RIGHT',
      position: 5,
      subject_type: 'line',
      commit_id: head,
    });
    expect(data.diff_hunk).toMatch(/^@@ -7,7 \+7,7 @@.*\n line 7\n line 8\n line 9\n-line 10\n\+ten$/);
    expect(names(forge.hooks())).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
    ]);
    expect((await comment({ line: 10, side: 'LEFT' })).data).toMatchObject({
      line: 10,
      side: 'LEFT',
      position: 4,
    });
    expect((await comment({ path: 'new.yaml', start_line: 1, line: 2 })).data).toMatchObject({
      start_line: 1,
      line: 2,
    });
    expect((await comment({ subject_type: 'file' })).data.subject_type).toBe('file');
    for (const wrong of [
      { line: 1 },
      { line: 99 },
      { path: 'absent', line: 1 },
      { commit_id: '0'.repeat(40), line: 10 },
    ]) {
      expect((await refused(comment(wrong))).status).toBe(422);
    }
  });

  test('comments are answered, edited, listed and deleted', async () => {
    const [first] = (await forge.bob.rest.pulls.listReviewComments(at())).data;
    const reply = await forge.bob.rest.pulls.createReplyForReviewComment({
      ...at(),
      comment_id: first!.id,
      body: 'Yes',
    });
    expect(reply.data.in_reply_to_id).toBe(first!.id);
    const one = { ...REPO, comment_id: reply.data.id };
    expect((await forge.bob.rest.pulls.getReviewComment(one)).data.body).toBe('Yes');
    expect((await forge.bob.rest.pulls.updateReviewComment({ ...one, body: 'No' })).data.body).toBe('No');
    expect((await refused(forge.eve.rest.pulls.updateReviewComment({ ...one, body: 'x' }))).status).toBe(403);
    const all = (await forge.bob.rest.pulls.listReviewCommentsForRepo(REPO)).data;
    expect(all.map((each) => each.id)).toContain(reply.data.id);
    forge.hooks();
    await forge.bob.rest.pulls.deleteReviewComment(one);
    expect(names(forge.hooks())).toEqual(['pull_request_review_comment.deleted']);
    expect((await refused(forge.bob.rest.pulls.getReviewComment(one))).status).toBe(404);
  });

  test('reviewers are asked, and no longer once they have reviewed', async () => {
    forge.hooks();
    const asked = await forge.bob.rest.pulls.requestReviewers({
      ...at(),
      reviewers: ['alice', 'carol'],
      team_reviewers: ['platform'],
    });
    expect(asked.data.requested_reviewers?.map((user) => user.login)).toEqual(['alice', 'carol']);
    expect(names(forge.hooks())).toEqual(Array(3).fill('pull_request.review_requested'));
    await forge.carol.rest.pulls.createReview({ ...at(), event: 'COMMENT', body: 'Done' });
    const left = (await forge.bob.rest.pulls.listRequestedReviewers(at())).data;
    expect([left.users.map((user) => user.login), left.teams.map((team) => team.slug)]).toEqual([
      ['alice'],
      ['platform'],
    ]);
    forge.hooks();
    await forge.bob.rest.pulls.removeRequestedReviewers({
      ...at(),
      reviewers: ['alice'],
      team_reviewers: ['platform'],
    });
    expect(names(forge.hooks())).toEqual(Array(2).fill('pull_request.review_request_removed'));
    const ask = (login: string) =>
      refused(forge.bob.rest.pulls.requestReviewers({ ...at(), reviewers: [login] }));
    expect((await ask('bob')).status).toBe(422);
    expect((await ask('nobody')).status).toBe(422);
  });
});
