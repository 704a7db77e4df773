import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { mockForge, ORIGIN, rawPull, REPO } from './forge-mock.ts';
import type { Json } from './forge-mock.ts';

const REFUSED_WORKFLOW =
  'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission';

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('pull requests', () => {
  test.each([
    [409, 'Head branch was modified. Review and try the merge again.', 'moved'],
    [403, 'Resource not accessible by integration', 'forbidden'],
    [403, REFUSED_WORKFLOW, 'forbidden'],
    [405, REFUSED_WORKFLOW, 'forbidden'],
    [422, REFUSED_WORKFLOW, 'forbidden'],
    [405, 'Pull Request is not mergeable', 'not-mergeable'],
    [405, 'Merge conflict between base and head', 'not-mergeable'],
    [405, 'Required status check "portico" is expected.', 'blocked'],
    [405, 'Repository rule violations found. Pull Request is not mergeable', 'blocked'],
    [405, 'Merge commits are not allowed on this repository.', 'blocked'],
  ])('a merge refused with %s %j is %s', async (status, message, reason) => {
    const { repository } = mockForge();
    nock(ORIGIN).persist().put(`${REPO}/pulls/1/merge`).reply(status, { message });
    nock(ORIGIN)
      .get(`${REPO}/pulls/1`)
      .reply(200, rawPull({ mergeable: false }));
    const result = await repository.mergePull(1, { sha: 'a'.repeat(40), method: 'merge' });
    expect(result).toMatchObject({ ok: false, reason, message: expect.stringContaining(message) });
  });

  test('a merge names the head, and is not sent again after a 502', async () => {
    const { repository, calls } = mockForge();
    const sent: Json[] = [];
    nock(ORIGIN)
      .put(`${REPO}/pulls/1/merge`)
      .reply(502, async (request: Request) => {
        sent.push((await request.json()) as Json);
        return { message: 'Bad Gateway' };
      });
    const merging = repository.mergePull(1, {
      sha: 'a'.repeat(40),
      method: 'squash',
      title: 'T',
      message: 'M',
    });
    await expect(merging).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
    expect(sent).toEqual([
      { sha: 'a'.repeat(40), merge_method: 'squash', commit_title: 'T', commit_message: 'M' },
    ]);
    expect(calls.filter((call) => call.method === 'PUT')).toHaveLength(1);
  });

  test('what is not known yet is null, and so is a pull request that is not there', async () => {
    const { repository } = mockForge();
    nock(ORIGIN)
      .get(`${REPO}/pulls/1`)
      .reply(200, rawPull({ mergeable: null }));
    expect(await repository.getPull(1)).toMatchObject({ mergeable: null });
    nock(ORIGIN).get(`${REPO}/pulls/2`).reply(404, { message: 'Not Found' });
    expect(await repository.getPull(2)).toBeNull();
  });

  test('one that exists is found instead of made twice', async () => {
    const { repository } = mockForge();
    const wanted = { title: 'T', body: '', head: 'drafts/app/next', base: 'main' };
    nock(ORIGIN)
      .post(`${REPO}/pulls`)
      .twice()
      .reply(422, {
        message: 'Validation Failed',
        errors: [{ message: 'A pull request already exists for acme:drafts/app/next.' }],
      });
    const list = { state: 'open', head: 'acme:drafts/app/next', page: 1, per_page: 100 };
    nock(ORIGIN)
      .get(`${REPO}/pulls`)
      .query(list)
      .reply(200, [rawPull({ number: 9, base: { ref: 'other', sha: 'c' } }), rawPull({ number: 4 })]);
    expect(await repository.createPull(wanted)).toMatchObject({ created: false, pull: { number: 4 } });
    nock(ORIGIN).get(`${REPO}/pulls`).query(list).reply(200, []);
    await expect(repository.createPull(wanted)).rejects.toMatchObject({ code: 'FORGE_INVALID' });
  });
});
