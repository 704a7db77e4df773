import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { mockForge, ORIGIN, REPO } from './forge-mock.ts';
import type { Json } from './forge-mock.ts';

const raw = (fields: Json): Json => ({
  id: 1,
  tag_name: 'app/v1',
  name: 'app@v1',
  body: 'notes',
  html_url: 'https://forge.test/r',
  ...fields,
});
const RELEASE = { tag: 'app/v1', name: 'app@v1', body: 'notes' };

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('releases', () => {
  test('one per tag: made, left alone, corrected', async () => {
    const { repository } = mockForge();
    const path = `${REPO}/releases/tags/app%2Fv1`;
    nock(ORIGIN).get(path).reply(404, { message: 'Not Found' });
    nock(ORIGIN).post(`${REPO}/releases`).reply(201, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({
      written: 'created',
      release: { tag: 'app/v1' },
    });
    nock(ORIGIN)
      .get(path)
      .reply(200, raw({ body: 'notes\r\n' }));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'unchanged' });
    nock(ORIGIN)
      .get(path)
      .reply(200, raw({ body: 'old' }));
    nock(ORIGIN).patch(`${REPO}/releases/1`).reply(200, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'updated' });
  });

  test('one that appeared meanwhile is taken', async () => {
    const { repository } = mockForge();
    const path = `${REPO}/releases/tags/app%2Fv1`;
    nock(ORIGIN).get(path).reply(404, { message: 'Not Found' });
    nock(ORIGIN)
      .post(`${REPO}/releases`)
      .reply(422, { message: 'Validation Failed', errors: [{ code: 'already_exists' }] });
    nock(ORIGIN).get(path).reply(200, raw({}));
    expect(await repository.upsertRelease(RELEASE)).toMatchObject({ written: 'unchanged' });
  });
});
