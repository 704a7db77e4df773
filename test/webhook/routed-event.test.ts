import { expect, test } from 'vitest';

import { branchJob, commentJob } from '../../src/reconcile/jobs.ts';
import { readStored, routedEvent, storedText } from '../../src/webhook/routed-event.ts';

const repository = { installationId: 7, id: 3, owner: 'acme', name: 'web' };
const push = {
  installation: { id: 7 },
  repository: { id: 3, name: 'web', full_name: 'acme/web' },
  ref: 'refs/heads/main',
};
const job = branchJob(repository, 'refs/heads/main');

test('what is stored of an event is its jobs, with all that they carry', () => {
  const comment = commentJob(repository, 4, { kind: 'comment', id: 8 }, { aside: true });
  const body = storedText([job, comment]);
  expect(readStored({ id: 'one', event: 'issue_comment', body }, 1)).toEqual({
    id: 'one',
    name: 'issue_comment',
    jobs: [job, comment],
  });
  expect(comment.priority).toBe(10);
});

test('an event that another host hands over, and one that an earlier version stored, are routed where they are read', () => {
  const event = { id: 'one', name: 'push', repository: 'acme/web', jobs: [job] };
  expect(routedEvent({ id: 'one', name: 'push', payload: push }, 1)).toEqual(event);
  expect(readStored({ id: 'one', event: 'push', body: JSON.stringify(push) }, 1)).toEqual(event);
});

test.each([
  ['no JSON', '{"routed":', /invalid_type/],
  ['no jobs', '{"routed":1}', /^jobs: invalid_type$/],
  ['what a later version stores', '{"routed":2,"jobs":[]}', /^routed: invalid_value$/],
  ['a kind that is not known', '{"routed":1,"jobs":[{"kind":"mow","key":"k","data":{}}]}', /of kind mow$/],
  ['a job without its data', '{"routed":1,"jobs":[{"kind":"branch","key":"k","data":{}}]}', /ref/],
])('%s is told as unreadable, and asks for nothing', (_what, body, reason) => {
  expect(readStored({ id: 'one', event: 'push', body }, 1)).toMatchObject({
    id: 'one',
    name: 'push',
    jobs: [],
    unreadable: expect.stringMatching(reason),
  });
});
