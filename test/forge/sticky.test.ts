import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { mockForge, ORIGIN, rawComment, record, REPO } from './forge-mock.ts';
import type { Json } from './forge-mock.ts';

const MARKER = '<!-- portico:summary -->';
const list = (...comments: Json[]): void => {
  nock(ORIGIN).get(`${REPO}/issues/1/comments`).query({ page: 1, per_page: 100 }).reply(200, comments);
};

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('the sticky comment', () => {
  test('is made, left alone, and changed', async () => {
    const { repository } = mockForge();
    const created = record('post', `${REPO}/issues/1/comments`, rawComment({ id: 5 }));
    list();
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'created' });
    expect(created).toEqual([{ body: `${MARKER}\none` }]);
    list(rawComment({ id: 5, body: `${MARKER}\r\none\n` }));
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'unchanged' });
    const updated = record('patch', `${REPO}/issues/comments/5`, rawComment({ id: 5 }));
    list(rawComment({ id: 5, body: `${MARKER}\none` }));
    expect(await repository.upsertSticky(1, MARKER, 'two')).toMatchObject({ id: 5, written: 'updated' });
    expect(updated).toEqual([{ body: `${MARKER}\ntwo` }]);
  });

  test("a stranger's comment with our marker is not ours", async () => {
    const { repository } = mockForge();
    const body = `${MARKER}\none`;
    list(
      rawComment({ id: 1, body, user: { login: 'eve', type: 'User' }, performed_via_github_app: null }),
      rawComment({
        id: 2,
        body,
        user: { login: 'portico[bot]', type: 'Bot' },
        performed_via_github_app: { id: 666 },
      }),
      rawComment({
        id: 3,
        body,
        user: { login: 'portico[bot]', type: 'User' },
        performed_via_github_app: null,
      }),
      rawComment({ id: 4, body: `quoted:\n\n${body}` }),
    );
    record('post', `${REPO}/issues/1/comments`, rawComment({ id: 5 }));
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 5, written: 'created' });
  });

  test('a second one of ours is folded away', async () => {
    const { repository } = mockForge();
    list(
      rawComment({ id: 1, body: `${MARKER}\none` }),
      rawComment({ id: 2, node_id: 'IC_2', body: `${MARKER}\none` }),
    );
    const graphql = record('post', '/api/graphql', { data: { minimizeComment: null } });
    expect(await repository.upsertSticky(1, MARKER, 'one')).toMatchObject({ id: 1, written: 'unchanged' });
    expect(graphql).toMatchObject([
      { variables: { id: 'IC_2' }, query: expect.stringContaining('OUTDATED') },
    ]);
  });
});
